import type { AuditShortcuts } from '../audit/audit.js';
import type { DuplicateCheck } from '../audit/duplicate-check.js';
import { operatorCommand } from '../cli/command.js';
import { MAX_RATE, parseRate, parseSpan, timeOf } from './options.js';

/** Time within which a message may be on its way: without a record it is too new to tell. */
export const DEFAULT_GRACE = '15m';

/**
 * @param consumer name of a consumer, for the examples in the help
 * @param shortcuts options for aggregates that have the same id: with `{ order: ['Order', 'Payment'] }`, `--order 4711` audits
 * `Order/4711` and `Payment/4711`
 * @param duplicateCheck loads how the application finds what was done twice. @default the audit doesn't ask for that
 */
export const auditCommands = (
  consumer: string,
  shortcuts: AuditShortcuts = {},
  duplicateCheck?: () => Promise<DuplicateCheck>,
) => [
  operatorCommand({
    name: 'audit',
    usage: `audit --since <time span> | --from <time> [--to <time>] | ${Object.keys(shortcuts)
      .map((name) => `--${name} <id> | `)
      .join('')}--subject <Type/id>  [--resend]`,
    positionals: [],
    changesWith: 'resend',
    options: {
      since: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      subject: { type: 'string' },
      consumer: { type: 'string' },
      grace: { type: 'string', default: DEFAULT_GRACE },
      resend: { type: 'boolean' },
      rate: { type: 'string', default: '10' },
      ...Object.fromEntries(Object.keys(shortcuts).map((name) => [name, { type: 'string' } as const])),
    },
    example: ['audit', '--since', '1h'],
    about: `compares what was committed with what became of it at each consumer: was anything lost${duplicateCheck ? ', or done twice' : ''}?`,
    details: `Exit code 0: nothing is missing. 3: what was missing was sent again. 4: deliveries are missing.${
      duplicateCheck ? ' 1: something was\ndone twice. With --consumer it does not look for that.' : ''
    }
  --since     the last 90s, 15m, 1h, 7d
  --from, --to  from a time and before another one, as 2026-12-01T08:00:00Z. Default of --to: now
  --subject   all messages of one aggregate, as Trip/3f9c…
${Object.entries(shortcuts)
  .map(([name, types]) => `  --${name.padEnd(10)}${aboutShortcut(types)}\n`)
  .join('')}\
  --consumer  one consumer only, as ${consumer}
  --grace     messages that are younger and have no record are too new to tell. Default: ${DEFAULT_GRACE}
  --resend    sends what is missing again, to the consumer's queue only. Consumers recognise duplicates
  --rate      messages that are sent again in a second, 1 to ${MAX_RATE}. Default: 10`,
    parse: ({ options, wrong }) => {
      const { since, consumer, resend } = options;
      const named = Object.entries(shortcuts).flatMap(([name, [type, ...parts]]) => {
        const id: unknown = Reflect.get(options, name);
        if (id === undefined) return [];
        const option = [`--${name}`, String(id)] as const;
        return [{ subject: `${type}/${id}`, parts: parts.map((part) => `${part}/${id}`), named: option }];
      });
      const subjects = [...(options.subject === undefined ? [] : [{ subject: options.subject }]), ...named];
      const begins = [since, options.from, ...subjects].filter((one) => one !== undefined);
      if (begins.length !== 1) {
        const ways = ['since', 'from', ...Object.keys(shortcuts)].map((name) => `--${name}`).join(', ');
        throw wrong(`'audit' needs one of ${ways} and --subject.`);
      }
      const [{ subject, ...others } = { subject: undefined }] = subjects;
      if (options.to !== undefined && options.from === undefined) throw wrong('--to needs --from.');
      if (subject !== undefined && !/^[A-Za-z]+\/.+$/.test(subject))
        throw wrong(`--subject is '${subject}': expected the aggregate's type and id, as Trip/3f9c…`);
      const graceSeconds = parseSpan('grace', options.grace, '90s or 1h', wrong);
      const from =
        since === undefined ? timeOf('from', options.from, wrong) : parseSpan('since', since, '90s or 1h', wrong);
      const to = timeOf('to', options.to, wrong);
      return { from, to, subject, ...others, consumer, graceSeconds, resend, rate: parseRate(options.rate, wrong) };
    },
    run: async (...call) => (await import('../audit/audit-command.js')).runAudit(...call, await duplicateCheck?.()),
  }),
];

const aboutShortcut = ([type, ...parts]: AuditShortcuts[string]): string =>
  parts.length === 0
    ? `the same as --subject ${type}/<id>`
    : `all messages of ${type}/<id>, and of its ${parts.join(', ')}.
              What other aggregates sent because of it is audited by time only`;
