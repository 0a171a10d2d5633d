import { Exit, operatorCommand } from '@orderly/operator/definitions';
import { parseDuration } from '@orderly/simulator/client';

export const orderCommand = operatorCommand({
  name: 'order',
  usage: 'order <order id> [--payload] [--verbose]',
  positionals: ['order id'],
  options: { payload: { type: 'boolean' }, verbose: { type: 'boolean' } },
  example: ['order', '5d41402abc4b2a76b9719d911017c592'],
  about: 'where an order is: its saga, its events and commands, and what each consumer did with them',
  details: `Ends with a verdict: complete (exit 0), pending (3), or failed (4: a failure waits, its saga is stuck, something was
lost or done twice, the order waits for nothing, or it is approved and undone). Times count from the first event.
  --payload   the events' data and actors too: people's data
  --verbose   full ids and times`,
  parse: ({ words: [orderId], options: { payload, verbose } }) => ({ orderId, payload, verbose }),
  run: async (...call) => (await import('./order.js')).showOrder(...call),
});

const EXAMPLE = ['trace', '5d41402abc4b2a76b9719d911017c592'] as const;

export const traceCommand = operatorCommand({
  name: 'trace',
  usage: 'trace <order, event or correlation id> [--follow] [--verbose] [--since <duration>]',
  positionals: ['id'],
  options: {
    follow: { type: 'boolean' },
    verbose: { type: 'boolean' },
    since: { type: 'string', default: '1h' },
  },
  example: EXAMPLE,
  about: 'everything that followed from an order, an event, a command or a request, as a tree with times',
  details: `Begins with a verdict: complete (exit code 0), pending (3), or failed (4). Times count from the first event.
  --follow    shows it again every 5 seconds, until nothing is pending
  --verbose   full ids and times
  --since     how far back a correlation id is searched that is no UUIDv7; default 1h`,
  parse: ({ words: [id], options: { follow, verbose, since }, wrong }) => {
    try {
      return { id, follow, verbose, back: parseDuration(since) };
    } catch (error) {
      throw wrong(`--since: ${(error as Error).message}.`);
    }
  },
  run: async (context, { follow, back, ...request }) => {
    const { showTrace } = await import('../../lambdas/operations/trace.js');
    const search = { back, most: 20_000, where: 'since the time of --since', narrower: 'a shorter --since' };
    const look = () => showTrace(context, { ...request, search });
    if (!follow) return look();
    const { openTerminal: terminal, watchOutcome: watched } = await import('@orderly/operator');
    return watched(look, terminal('--follow', EXAMPLE), ({ exitCode }) => exitCode !== Exit.PENDING);
  },
});
