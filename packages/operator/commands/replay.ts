import { operatorCommand } from '../cli/command.js';
import { MAX_RATE, parseRate, timeOf } from './options.js';

/** @param consumer name of a consumer, for the examples in the help */
export const replayCommand = (consumer: string) =>
  operatorCommand({
    name: 'replay',
    usage:
      'replay --consumer <name> (--from <time> [--to <time>] | --aggregate <Type/id> | --event <id>)  [--rate <n>] [--again] [--dry-run]',
    positionals: [],
    options: {
      consumer: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      aggregate: { type: 'string' },
      event: { type: 'string' },
      rate: { type: 'string', default: '10' },
      again: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
    example: ['replay', '--consumer', consumer, '--from', '2026-12-01T08:00:00Z'],
    about: 'sends events from the feed to one consumer, which has not processed them',
    details: `Says first how many messages that are, and how long it takes. What has a record of the consumer is not sent, and a
duplicate is recognised. Ctrl-C stops it, and it prints the command that continues. At AWS it asks before it sends.
Exit code 0: all were sent. 3: stopped. 4: some have failed, or became too old meanwhile.
  --from, --to  commits from a time and before another one, as 2026-12-01T08:00:00Z. Default of --to: now
  --aggregate   all messages of one aggregate, as Trip/3f9c…
  --event       one event or command, by its id
  --rate        messages in a second, 1 to ${MAX_RATE}. Default: 10
  --again       also what an earlier generation of the consumer has processed: its effects happen again
  --dry-run     only the estimate`,
    parse: ({ options, wrong }) => {
      const { aggregate, event, again } = options;
      if (options.consumer === undefined) throw wrong("'replay' needs --consumer.");
      const from = timeOf('from', options.from, wrong);
      const to = timeOf('to', options.to, wrong);
      if ([from, aggregate, event].filter((one) => one !== undefined).length !== 1)
        throw wrong("'replay' needs one of --from, --aggregate and --event.");
      if (to !== undefined && from === undefined) throw wrong('--to needs --from.');
      if (aggregate !== undefined && !/^[A-Za-z]+\/.+$/.test(aggregate))
        throw wrong(`--aggregate is '${aggregate}': expected its type and id, as Trip/3f9c…`);
      const selection =
        aggregate !== undefined
          ? ({ kind: 'aggregate', subject: aggregate } as const)
          : event !== undefined
            ? ({ kind: 'event', id: event } as const)
            : ({ kind: 'span', from: from ?? '', to } as const);
      const rate = parseRate(options.rate, wrong);
      return { consumer: options.consumer, selection, rate, again, dryRun: options['dry-run'] };
    },
    run: async (...call) => (await import('../replay/replay-command.js')).runReplay(...call),
  });
