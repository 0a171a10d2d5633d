import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { alignColumns, formatDuration, pluralize } from '../cli/text-format.js';
import { describeLastError } from './failing.js';
import type { Problem } from './problems.js';
import type { AuditState, ConsumerState, FailingFunction, StatusFacts } from './status-facts.js';

/** Section that an application adds to the status of its environment. */
export interface StatusSection {
  /** Its key in the JSON object. */
  readonly name: string;
  /** Rows of two cells: a word, and what is said about it. */
  readonly rows: readonly (readonly [string, string])[];
  readonly json: Readonly<Record<string, unknown>>;
  /** @default none */
  readonly problems?: readonly Problem[];
}

/** Presents a status: the verdict first. @param all whether quiet consumers are listed, too */
export function toStatusOutcome(
  facts: StatusFacts,
  problems: readonly Problem[],
  { sections, all }: { readonly sections: readonly StatusSection[]; readonly all: boolean },
): Outcome {
  const everything = [...problems, ...sections.flatMap((section) => section.problems ?? [])];
  return {
    exitCode: everything.length === 0 ? Exit.OK : Exit.FAILED,
    text: [
      ...renderVerdict(everything),
      '',
      alignColumns([...sections.flatMap(({ rows }) => rows), ...renderRows(facts)]),
      '',
      ...renderFailing(facts.failing),
      ...renderConsumers(facts.consumers, all),
    ].join('\n'),
    json: toJson(facts, everything, sections),
  };
}

function renderVerdict(problems: readonly Problem[]): readonly string[] {
  const [first, ...others] = problems;
  if (!first) return ['HEALTHY'];
  const rows = others.flatMap((other) => [`also: ${other.text}`, `      ${other.next}`, ...pageRow(other)]);
  return [`NOT HEALTHY: ${first.text}. Next: ${first.next}`, ...pageRow(first), ...rows];
}

const pageRow = ({ page }: Problem): readonly string[] => (page === undefined ? [] : [`      page: ${page}`]);

function renderRows({
  now,
  relays,
  sweepers,
  deadLetters,
  audit,
  alarms,
  consumers,
}: StatusFacts): readonly string[][] {
  const stuck = consumers.reduce((sum, one) => sum + (one.stuck ?? 0), 0);
  const lags = relays.flatMap(({ lagSeconds }) => (lagSeconds === undefined ? [] : [lagSeconds]));
  const slowest = relays.find(({ lagSeconds }) => lagSeconds === Math.max(...lags));
  const ticks = sweepers.flatMap(({ lastTick }) => lastTick ?? []).toSorted();
  const [oldestTick] = ticks;
  const silent = sweepers.length - ticks.length;
  const filled = deadLetters.filled.reduce((sum, { messages }) => sum + messages, 0);
  return [
    [
      'relays',
      slowest?.lagSeconds === undefined
        ? `${pluralize(relays.length, 'relay')}, nothing read in the last minutes`
        : `at most ${formatDuration(slowest.lagSeconds)} behind (${slowest.service})`,
    ],
    ...(sweepers.length === 0
      ? []
      : [
          [
            'sweepers',
            [
              oldestTick === undefined
                ? 'no tick in the last minutes'
                : `last tick ${formatDuration(secondsBetween(oldestTick, now))} ago`,
              ...(oldestTick !== undefined && silent > 0 ? [`${silent} of ${sweepers.length} without a tick`] : []),
            ].join('; '),
          ],
        ]),
    ...consumers.flatMap(({ consumer, pending, paused }) =>
      paused
        ? [
            [
              'paused',
              `${consumer} since ${formatDuration(secondsBetween(paused.since, now))}, ${pending} waiting (${paused.by}: ${paused.reason})`,
            ],
          ]
        : [],
    ),
    ['sagas', `${stuck === 0 ? 'none' : stuck} stuck`],
    [
      'dead letters',
      `${filled === 0 ? 'none' : pluralize(filled, 'message')} in ${pluralize(deadLetters.queues, 'queue')}`,
    ],
    ...(audit ? [['audit', describeAudit(audit, now)]] : []),
    [
      'alarms',
      alarms ? `${alarms.active.length === 0 ? 'none' : alarms.active.length} of ${alarms.total} on` : 'unread',
    ],
  ];
}

function describeAudit({ auditedUntil, followed }: AuditState, now: string): string {
  if (auditedUntil === undefined) return 'has not run yet';
  const until = `nothing is missing that is older than ${formatDuration(secondsBetween(auditedUntil, now))}`;
  return followed === 0 ? until : `${until}, but ${pluralize(followed, 'delivery was', 'deliveries were')} sent again`;
}

/** Lists the functions of which calls failed lately, each with its last error in a line of its own. */
function renderFailing(failing: readonly FailingFunction[]): readonly string[] {
  if (failing.length === 0) return [];
  const rows = failing.map((one) => [
    one.kind === 'relay' ? `${one.service}/relay` : one.entry,
    String(one.calls),
    String(one.failed),
    String(one.retried),
    one.oldestSeconds === undefined ? '-' : formatDuration(one.oldestSeconds),
    one.givesUpInSeconds === undefined ? '-' : formatDuration(one.givesUpInSeconds),
  ]);
  const head = ['FAILED IN 10 MIN', 'CALLS', 'FAILED', 'RETRIED', 'OLDEST', 'GIVES UP IN'];
  const [first = '', ...lines] = alignColumns([head, ...rows]).split('\n');
  return [
    first,
    ...lines.flatMap((line, at) => {
      const { lastError } = failing[at] ?? {};
      return [line, ...(lastError ? [`  ${lastError.at} ${describeLastError(lastError)}`] : [])];
    }),
    '',
  ];
}

const isQuiet = ({ pending, inFlight, failed, parked = 0, stuck = 0, paused }: ConsumerState): boolean =>
  !paused && pending + inFlight + failed + parked + stuck === 0;

function renderConsumers(consumers: readonly ConsumerState[], all: boolean): readonly string[] {
  const shown = consumers.filter((one) => all || !isQuiet(one));
  const quiet = consumers.length - shown.length;
  const rest = quiet === 0 ? [] : [`${pluralize(quiet, 'consumer')} ${quiet === 1 ? 'has' : 'have'} nothing to do`];
  if (shown.length === 0) return rest;
  const rows = shown.map((one) => [
    `${one.service}/${one.consumer}`,
    String(one.pending),
    String(one.inFlight),
    one.oldestSeconds === undefined ? '-' : formatDuration(one.oldestSeconds),
    `${one.failed}${one.moreFailed ? '+' : ''}`,
    one.parked === undefined ? '-' : String(one.parked),
  ]);
  const head = ['CONSUMER', 'PENDING', 'IN FLIGHT', 'OLDEST', 'FAILED', 'PARKED'];
  return [alignColumns([head, ...rows]), ...(rest.length > 0 ? ['', ...rest] : [])];
}

/** The shape is documented in this folder's parent's README, and pinned by a test. */
const toJson = (
  { now, consumers, relays, sweepers, failing, deadLetters, audit, alarms, unread, missingStacks = [] }: StatusFacts,
  problems: readonly Problem[],
  sections: readonly StatusSection[],
): Outcome['json'] => ({
  state: problems.length === 0 ? 'healthy' : 'unhealthy',
  at: now,
  problems,
  ...Object.fromEntries(sections.map(({ name, json }) => [name, json])),
  consumers,
  relays,
  sweepers,
  failing,
  deadLetters,
  audit: audit ?? null,
  alarms: alarms ?? null,
  unread: [...unread, ...missingStacks.map((name) => `stack ${name} (not deployed)`)],
});
