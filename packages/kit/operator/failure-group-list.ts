import { clock, secondsBetween } from '../aws/clock.js';
import type { CommandContext, Trouble } from './context.js';
import { Exit } from './errors.js';
import { type Cause, causeWords, shortened } from './failure-causes.js';
import { type CustomerSource, type Customers, customersOf, type FailedThing } from './failure-customers.js';
import { type FailureGroup, readGroups } from './failure-groups.js';
import type { Outcome } from './outcome.js';
import { readStuckGroups, type StuckGroup } from './saga-groups.js';
import { stuckSince } from './saga-words.js';
import { terminalWidth } from './table.js';
import { type CommandText, duration, plural, wrapped } from './text.js';

/** Length of the two periods that are compared. */
const TREND_SECONDS = 3_600;
/** Maximum number of groups as text, and of groups whose customers are looked for. `--json` has all groups. */
const SHOWN_GROUPS = 20;
/** Maximum number of subjects of a group. */
const SHOWN_SUBJECTS = 3;
/** Maximum width of the text, in characters. */
const WIDTH = 100;

type Context = Pick<CommandContext, 'documents' | 'services' | 'command' | 'pageOn'>;

/**
 * `failures groups`: failures and stuck sagas by their cause, the largest group first.
 * @param customers how the application finds the customers. @default the groups don't say them
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function listFailureGroups(
  context: Context,
  { consumer }: { readonly consumer: string | undefined },
  customers?: CustomerSource,
): Promise<Outcome> {
  const { documents, services } = context;
  const [failures, stuck] = await Promise.all([
    readGroups(documents, services, consumer),
    readStuckGroups(documents, services, consumer),
  ]);
  const groups = [...failures.map(ofFailures), ...stuck.map(ofSagas)].toSorted(
    (one, other) => other.things.length - one.things.length || one.id.localeCompare(other.id),
  );
  const shown = groups.slice(0, SHOWN_GROUPS).map(({ things }) => things);
  const found = customers ? await customersOf(context, customers, shown) : [];
  const now = clock.now();
  const summaries = groups.map((group, at) => summaryOf(group, found[at], { ...context, now }));
  return {
    exitCode: groups.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: listText(groups, summaries, { ...context, now, consumer }),
    json: { groups: summaries },
  };
}

/** One of a group, in the words that both kinds of groups have. */
interface Thing extends FailedThing {
  /** Time of its failure. */
  readonly at: string;
  /** Message id, or id of the saga. */
  readonly id: string;
  /** Words of the command that shows it, without its id. */
  readonly show: readonly string[];
  readonly unknown: boolean;
}

interface Group {
  readonly kind: 'failure' | 'stuck saga';
  readonly id: string;
  readonly cause: Cause;
  readonly trouble: Trouble;
  /** Oldest first. */
  readonly things: readonly Thing[];
}

const ofFailures = ({ id, cause, failures }: FailureGroup): Group => ({
  kind: 'failure',
  id,
  cause,
  trouble: { what: 'failure', consumer: cause.consumer, error: cause.error },
  things: failures.map((failure) => ({
    at: failure.record.failedAt ?? '',
    id: failure.messageId,
    show: ['failures', 'show', failure.listener.name],
    unknown: failure.record.unknown === true,
    subject: failure.record.subject,
    failure,
  })),
});

const ofSagas = ({ id, cause, sagas }: StuckGroup): Group => ({
  kind: 'stuck saga',
  id,
  cause,
  trouble: { what: 'stuck saga', reason: sagas[0]?.state.reason },
  things: sagas.map((saga) => ({
    at: stuckSince(saga),
    id: saga.id,
    show: ['sagas', 'show'],
    unknown: false,
    subject: `${saga.kind.type}/${saga.id}`,
  })),
});

/** Commands that end a group, without the program: once its cause is gone, and by a decision. */
const WAYS = {
  failure: {
    again: ['failures', 'redrive', '--group'],
    close: ['failures', 'discard', '--group'],
    reason: ['--reason', '<why>'],
    if: 'or, if they must never be processed:',
  },
  'stuck saga': {
    again: ['sagas', 'retry', '--group'],
    close: ['sagas', 'resolve', '--group'],
    reason: ['--note', '<what you did>'],
    if: 'or, after you have compensated all of them by hand:',
  },
} as const;

/** Returns the fields of a group for scripts. */
function summaryOf(
  { kind, id, cause, trouble, things }: Group,
  customers: Customers | undefined,
  { now, command, pageOn }: Omit<ListContext, 'consumer'>,
) {
  const ages = things.map(({ at }) => secondsBetween(at, now));
  const subjects = [...new Set(things.flatMap(({ subject }) => subject ?? []))];
  const newest = things.at(-1);
  const page = pageOn?.(trouble);
  return {
    id,
    kind,
    ...cause,
    count: things.length,
    first: things[0]?.at,
    last: newest?.at,
    lastHour: ages.filter((age) => age < TREND_SECONDS).length,
    hourBefore: ages.filter((age) => age >= TREND_SECONDS && age < 2 * TREND_SECONDS).length,
    /** Those that may have been processed before: a redrive of the group leaves them out. */
    unknown: things.filter(({ unknown }) => unknown).length,
    subjects: { count: subjects.length, newest: subjects.slice(-SHOWN_SUBJECTS).toReversed() },
    ...(customers && { customers }),
    sample: newest?.id,
    next: command(...WAYS[kind].again, id),
    close: command(...WAYS[kind].close, id, ...WAYS[kind].reason),
    ...(page !== undefined && { page }),
  };
}

type Summary = ReturnType<typeof summaryOf>;

interface ListContext extends Pick<CommandContext, 'command' | 'pageOn'> {
  readonly now: string;
  readonly consumer: string | undefined;
}

function listText(groups: readonly Group[], summaries: readonly Summary[], context: ListContext): string {
  const where = context.consumer === undefined ? '' : ` of ${context.consumer}`;
  if (groups.length === 0) return `no failures${where}`;
  const ids = groups.map(({ id }) => id);
  const blocks = groups
    .slice(0, SHOWN_GROUPS)
    .map((group, at) => groupText(group, summaries[at] as Summary, shortened(group.id, ids), context));
  const more = groups.length - blocks.length;
  return [
    headOf(summaries, where),
    ...blocks.flatMap((block) => ['', ...block]),
    ...(more > 0 ? ['', `and ${plural(more, 'smaller group')}: --json, or --consumer <name>`] : []),
    ...(['failure', 'stuck saga'] as const).flatMap((kind) => {
      const first = groups.find((group) => group.kind === kind);
      return first ? ['', ...nextOf(kind, shortened(first.id, ids), context.command)] : [];
    }),
  ].join('\n');
}

function headOf(summaries: readonly Summary[], where: string): string {
  const parts = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = summaries.filter((one) => one.kind === kind);
    const count = (of: 'count' | 'lastHour') => own.reduce((sum, one) => sum + one[of], 0);
    if (own.length === 0) return [];
    return [
      `${plural(count('count'), kind)}${where} in ${plural(own.length, 'group')}, ${count('lastHour')} in the last hour`,
    ];
  });
  return parts.join('; ');
}

function nextOf(kind: Group['kind'], id: string, command: CommandText): readonly string[] {
  const { again, close, reason, if: when } = WAYS[kind];
  const one = kind === 'failure' ? 'message' : 'saga';
  return [
    `next, once the cause is gone (the first ${one} is sent alone, as a probe):`,
    `  ${command(...again, id)}`,
    when,
    `  ${command(...close, id, ...reason)}`,
  ];
}

function groupText(
  { kind, cause, things }: Group,
  summary: Summary,
  shortId: string,
  { command, now }: ListContext,
): readonly string[] {
  const { count, lastHour, hourBefore, unknown, subjects, customers, first = '', last = '', page } = summary;
  const ago = (at: string) => `${duration(Math.max(0, secondsBetween(at, now)))} ago`;
  const newest = things.at(-1);
  const since = `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`;
  const rows: readonly (readonly [string, string])[] = [
    ['', causeWords(cause)],
    [kind === 'failure' ? 'failed' : 'stuck', since],
    ...(unknown > 0
      ? [['unknown', `${unknown} may have been processed before; a redrive of the group skips them`] as const]
      : []),
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : someOf(subjects)],
    ...(customers && customers.count > 0 ? [['customers', customerWords(customers, count)] as const] : []),
    ...(newest ? [['sample', sampleOf(newest, things, command)] as const] : []),
    ...(page === undefined ? [] : [['see', page] as const]),
  ];
  const width = customers ? 11 : 9;
  return [
    `${shortId}  ${plural(count, kind)}  ${cause.service}/${cause.consumer}`,
    ...rows.flatMap(([name, text]) => {
      const indent = `  ${name === '' ? '' : name.padEnd(width)}`;
      // A command can't be pasted in two lines.
      if (name === 'sample') return [indent + text];
      return wrapped(text, Math.min(WIDTH, terminalWidth() ?? WIDTH) - indent.length).map(
        (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
      );
    }),
  ];
}

function someOf({ count, newest }: { readonly count: number; readonly newest: readonly string[] }): string {
  const others = count - newest.length;
  return `${newest.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

const customerWords = (customers: Customers, count: number): string =>
  `${someOf(customers)}${customers.looked < count ? ` (of the newest ${customers.looked})` : ''}`;

/** Returns the command that shows one, with a shortened id where the whole one doesn't fit. */
function sampleOf({ id, show }: Thing, others: readonly Thing[], command: CommandText): string {
  const whole = command(...show, id);
  if (whole.length + 13 <= WIDTH) return whole;
  const ids = others.map((one) => one.id);
  return command(...show, shortened(id, ids, 'body:'.length + 7));
}
