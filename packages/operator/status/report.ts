import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { aligned, duration, plural } from '../cli/text.js';
import type { AuditState, ConsumerState, StatusFacts } from './facts.js';
import type { Problem } from './judge.js';

/** What an application adds to the status of its environment. */
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
export function reportOf(
  facts: StatusFacts,
  problems: readonly Problem[],
  { sections, all }: { readonly sections: readonly StatusSection[]; readonly all: boolean },
): Outcome {
  const everything = [...problems, ...sections.flatMap((section) => section.problems ?? [])];
  return {
    exitCode: everything.length === 0 ? Exit.OK : Exit.FAILED,
    text: [
      ...verdictOf(everything),
      '',
      aligned([...sections.flatMap(({ rows }) => rows), ...rowsOf(facts)]),
      '',
      ...tableOf(facts.consumers, all),
    ].join('\n'),
    json: jsonOf(facts, everything, sections),
  };
}

function verdictOf(problems: readonly Problem[]): readonly string[] {
  const [first, ...others] = problems;
  if (!first) return ['HEALTHY'];
  const rows = others.flatMap((other) => [`also: ${other.text}`, `      ${other.next}`, ...pageRow(other)]);
  return [`NOT HEALTHY: ${first.text}. Next: ${first.next}`, ...pageRow(first), ...rows];
}

const pageRow = ({ page }: Problem): readonly string[] => (page === undefined ? [] : [`      page: ${page}`]);

function rowsOf({ now, relays, sweepers, deadLetters, audit, alarms, consumers }: StatusFacts): readonly string[][] {
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
        ? `${plural(relays.length, 'relay')}, nothing read in the last minutes`
        : `at most ${duration(slowest.lagSeconds)} behind (${slowest.service})`,
    ],
    ...(sweepers.length === 0
      ? []
      : [
          [
            'sweepers',
            [
              oldestTick === undefined
                ? 'no tick in the last minutes'
                : `last tick ${duration(secondsBetween(oldestTick, now))} ago`,
              ...(oldestTick !== undefined && silent > 0 ? [`${silent} of ${sweepers.length} without a tick`] : []),
            ].join('; '),
          ],
        ]),
    ['sagas', `${stuck === 0 ? 'none' : stuck} stuck`],
    ['dead letters', `${filled === 0 ? 'none' : plural(filled, 'message')} in ${plural(deadLetters.queues, 'queue')}`],
    ...(audit ? [['audit', auditText(audit, now)]] : []),
    [
      'alarms',
      alarms ? `${alarms.active.length === 0 ? 'none' : alarms.active.length} of ${alarms.total} on` : 'unread',
    ],
  ];
}

function auditText({ auditedUntil, followed }: AuditState, now: string): string {
  if (auditedUntil === undefined) return 'has not run yet';
  const until = `nothing is missing that is older than ${duration(secondsBetween(auditedUntil, now))}`;
  return followed === 0 ? until : `${until}, but ${plural(followed, 'delivery was', 'deliveries were')} sent again`;
}

const isQuiet = ({ pending, inFlight, failed, parked = 0, stuck = 0 }: ConsumerState): boolean =>
  pending + inFlight + failed + parked + stuck === 0;

function tableOf(consumers: readonly ConsumerState[], all: boolean): readonly string[] {
  const shown = consumers.filter((one) => all || !isQuiet(one));
  const quiet = consumers.length - shown.length;
  const rest = quiet === 0 ? [] : [`${plural(quiet, 'consumer')} ${quiet === 1 ? 'has' : 'have'} nothing to do`];
  if (shown.length === 0) return rest;
  const rows = shown.map((one) => [
    `${one.service}/${one.consumer}`,
    String(one.pending),
    String(one.inFlight),
    one.oldestSeconds === undefined ? '-' : duration(one.oldestSeconds),
    `${one.failed}${one.moreFailed ? '+' : ''}`,
    one.parked === undefined ? '-' : String(one.parked),
  ]);
  const head = ['CONSUMER', 'PENDING', 'IN FLIGHT', 'OLDEST', 'FAILED', 'PARKED'];
  return [aligned([head, ...rows]), ...(rest.length > 0 ? ['', ...rest] : [])];
}

/** The shape is documented in this folder's parent's README, and pinned by a test. */
const jsonOf = (
  { now, consumers, relays, sweepers, deadLetters, audit, alarms, unread, missingStacks = [] }: StatusFacts,
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
  deadLetters,
  audit: audit ?? null,
  alarms: alarms ?? null,
  unread: [...unread, ...missingStacks.map((name) => `stack ${name} (not deployed)`)],
});
