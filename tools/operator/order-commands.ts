import { Exit, OperatorError, operatorCommand } from '@orderly/operator/definitions';
import { parseDuration } from '@orderly/simulator/client';
import {
  checkForms,
  DEFAULT_LIMIT,
  MAX_LIMIT,
  REASONS,
  STATUSES,
  toWord,
  WrongOrdersQuery,
} from '../../lambdas/operations/orders-request.js';

const ORDERS_EXAMPLE = ['orders', '--status', 'rejected', '--since', '1h'] as const;
/** Queries of one call at most: about 400,000 orders, and 24,000 read units. */
const ORDERS_CALLS = 400;

export const ordersCommand = operatorCommand({
  name: 'orders',
  usage:
    'orders [--since <time span> | --from <time> [--to <time>]] [--status <status>] [--reason <reason>] [--customer <id>] [--sku <sku>] [--search <text>] [--key <key>] [--limit <n>] [--cursor <cursor>] [--synthetic]',
  positionals: [],
  options: {
    since: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    status: { type: 'string' },
    reason: { type: 'string' },
    customer: { type: 'string' },
    sku: { type: 'string' },
    search: { type: 'string' },
    key: { type: 'string' },
    limit: { type: 'string' },
    cursor: { type: 'string' },
    synthetic: { type: 'boolean' },
  },
  example: ORDERS_EXAMPLE,
  about: 'the orders of a time, newest first, and how many have which status and reason',
  details: `Exit code 0: the orders, or that there are none. 3: the list lacks orders of an earlier release, and says how it is filled.
  --since     the last 90s, 15m, 1h, 7d. Default: 1h; with --customer, --sku or --search 24h
  --from, --to  from a time and before another one: 12:00 (UTC, the latest one) or 2026-12-01T08:00:00Z. Default of --to: now
  --status    ${STATUSES.map(toWord).join(', ')}
  --reason    of rejections: ${REASONS.slice(0, 5).map(toWord).join(', ')},
              ${REASONS.slice(5).map(toWord).join(', ')}
  --customer  id of a customer
  --sku       SKU of a line
  --search    beginning of an order id, a customer id, a SKU or a correlation id
  --key       idempotency key of the request that placed it; with --customer
  --limit     orders of a page, 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}. The last line is the command for the next page
  --synthetic synthetic orders, too
--status and --reason take several with commas. A whole order id and a --key are found whenever the order was placed.`,
  parse: ({ options, wrong }) => {
    try {
      checkForms(options);
    } catch (error) {
      if (error instanceof WrongOrdersQuery) throw wrong(`--${error.parameter}: ${error.detail}.`);
      throw error;
    }
    return options;
  },
  run: async (context, options) => {
    const { listOrders } = await import('../../lambdas/operations/list-orders.js');
    try {
      return await listOrders(context, options, { calls: ORDERS_CALLS });
    } catch (error) {
      if (!(error instanceof WrongOrdersQuery)) throw error;
      // A time that is wrong by the clock of the environment, or a malformed key.
      throw new OperatorError('usage', `--${error.parameter}: ${error.detail}.`, ORDERS_EXAMPLE, { cause: error });
    }
  },
});

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
