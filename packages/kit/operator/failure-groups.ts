import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import type { CommandContext } from './context.js';
import { Exit, OperatorError } from './errors.js';
import { type Cause, causeOf, causeWords, groupIdOf, shortened } from './failure-causes.js';
import type { Outcome } from './outcome.js';
import { type FoundRecord, failuresOf } from './records.js';
import { listenersNamed, listenersOf, type Service } from './services.js';
import { terminalWidth } from './table.js';
import { type CommandText, duration, plural } from './text.js';

/** Failures with the same cause that wait for an operator. */
export interface FailureGroup {
  readonly id: string;
  readonly cause: Cause;
  /** Oldest first, without their messages. */
  readonly failures: readonly FoundRecord[];
}

/** Returns the groups of failures, the largest first. */
export function groupsOf(found: readonly FoundRecord[]): readonly FailureGroup[] {
  const groups = new Map<string, { cause: Cause; failures: FoundRecord[] }>();
  for (const one of found.toSorted((one, other) => failedAt(one).localeCompare(failedAt(other)))) {
    const cause = causeOf(one);
    const id = groupIdOf(cause);
    const group = groups.get(id) ?? { cause, failures: [] };
    group.failures.push(one);
    groups.set(id, group);
  }
  return [...groups]
    .map(([id, group]) => ({ id, ...group }))
    .toSorted((one, other) => other.failures.length - one.failures.length || one.id.localeCompare(other.id));
}

const failedAt = ({ record }: FoundRecord): string => record.failedAt ?? '';

/**
 * Reads the failures of an environment, or of one consumer, and groups them. Eventually consistent.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function readGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer: string | undefined,
): Promise<readonly FailureGroup[]> {
  const listeners = consumer === undefined ? listenersOf(services) : listenersNamed(services, consumer);
  const asked = { limit: Number.POSITIVE_INFINITY, withoutMessages: true };
  return groupsOf((await Promise.all(listeners.map((listener) => failuresOf(documents, listener, asked)))).flat());
}

/**
 * Finds the group whose id begins so, as git finds a commit.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so
 */
export function groupNamed(groups: readonly FailureGroup[], prefix: string): FailureGroup {
  const found = groups.filter(({ id }) => id.startsWith(prefix));
  const [only, another] = found;
  if (only && !another) return only;
  const next = ['failures', 'groups'];
  if (!only) {
    throw new OperatorError(
      'not-found',
      `No failure of a group '${prefix}' waits: another group, or none any more.`,
      next,
    );
  }
  const all = found.map(({ id, cause }) => `${id} (${cause.consumer})`).join(', ');
  throw new OperatorError('refused', `${found.length} groups begin with '${prefix}': ${all}.`, next);
}

/** Length of the two periods that are compared. */
const TREND_SECONDS = 3_600;
/** Maximum number of groups as text, and of subjects of a group. `--json` has all groups. */
const SHOWN_GROUPS = 20;
const SHOWN_SUBJECTS = 3;
/** Maximum width of the text, in characters. */
const WIDTH = 100;

/**
 * `failures groups`: failures by their cause, the largest group first.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function listFailureGroups(
  context: Pick<CommandContext, 'documents' | 'services' | 'command' | 'pageOn'>,
  { consumer }: { readonly consumer: string | undefined },
): Promise<Outcome> {
  const groups = await readGroups(context.documents, context.services, consumer);
  const now = clock.now();
  const summaries = groups.map((group) => summaryOf(group, { ...context, now }));
  return {
    exitCode: groups.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: listText(groups, summaries, { ...context, now, consumer }),
    json: { groups: summaries },
  };
}

/** Returns the fields of a group for scripts. */
function summaryOf({ id, cause, failures }: FailureGroup, { now, command, pageOn }: Omit<ListContext, 'consumer'>) {
  const ages = failures.map((one) => secondsBetween(failedAt(one), now));
  const subjects = [...new Set(failures.flatMap(({ record }) => record.subject ?? []))];
  const newest = failures.at(-1);
  const page = pageOn?.({ what: 'failure', consumer: cause.consumer, error: cause.error });
  return {
    id,
    ...cause,
    count: failures.length,
    first: failures[0]?.record.failedAt,
    last: newest?.record.failedAt,
    lastHour: ages.filter((age) => age < TREND_SECONDS).length,
    hourBefore: ages.filter((age) => age >= TREND_SECONDS && age < 2 * TREND_SECONDS).length,
    /** Those that may have been processed before: a redrive of the group leaves them out. */
    unknown: failures.filter(({ record }) => record.unknown).length,
    subjects: { count: subjects.length, newest: subjects.slice(-SHOWN_SUBJECTS).toReversed() },
    sample: newest?.messageId,
    next: command('failures', 'redrive', '--group', id),
    ...(page !== undefined && { page }),
  };
}

interface ListContext extends Pick<CommandContext, 'command' | 'pageOn'> {
  readonly now: string;
  readonly consumer: string | undefined;
}

function listText(
  groups: readonly FailureGroup[],
  summaries: readonly ReturnType<typeof summaryOf>[],
  context: ListContext,
): string {
  const [first] = groups;
  const where = context.consumer === undefined ? '' : ` of ${context.consumer}`;
  if (!first) return `no failures${where}`;
  const { command } = context;
  const ids = groups.map(({ id }) => id);
  const count = (of: 'count' | 'lastHour') => summaries.reduce((sum, one) => sum + one[of], 0);
  const head = `${plural(count('count'), 'failure')}${where} in ${plural(groups.length, 'group')}, ${count('lastHour')} in the last hour`;
  const blocks = groups
    .slice(0, SHOWN_GROUPS)
    .map((group, at) =>
      groupText(group, summaries[at] as (typeof summaries)[number], shortened(group.id, ids), context),
    );
  const more = groups.length - blocks.length;
  const id = shortened(first.id, ids);
  return [
    head,
    ...blocks.flatMap((block) => ['', ...block]),
    ...(more > 0 ? ['', `and ${plural(more, 'smaller group')}: --json, or --consumer <name>`] : []),
    '',
    'next, once the cause is gone (the first message is sent alone, as a probe):',
    `  ${command('failures', 'redrive', '--group', id)}`,
    'or, if they must never be processed:',
    `  ${command('failures', 'discard', '--group', id, '--reason', '<why>')}`,
  ].join('\n');
}

function groupText(
  { cause, failures }: FailureGroup,
  summary: ReturnType<typeof summaryOf>,
  shortId: string,
  { command, now }: ListContext,
): readonly string[] {
  const { count, lastHour, hourBefore, unknown, subjects, first = '', last = '', page } = summary;
  const ago = (at: string) => `${duration(Math.max(0, secondsBetween(at, now)))} ago`;
  const names = subjects.newest.join(', ');
  const others = subjects.count - subjects.newest.length;
  const newest = failures.at(-1);
  const rows: readonly (readonly [string, string])[] = [
    ['', `${causeWords(cause)}`],
    [
      'failed',
      `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`,
    ],
    ...(unknown > 0
      ? [['unknown', `${unknown} may have been processed before; a redrive of the group skips them`] as const]
      : []),
    [
      'about',
      subjects.count === 0
        ? 'no subject: the messages can’t be read'
        : `${names}${others > 0 ? ` and ${others} more` : ''}`,
    ],
    ...(newest ? [['sample', sampleOf(newest, failures, command)] as const] : []),
    ...(page === undefined ? [] : [['see', page] as const]),
  ];
  return [
    `${shortId}  ${plural(count, 'failure')}  ${cause.service}/${cause.consumer}`,
    ...rows.flatMap(([name, text]) => {
      const indent = `  ${name === '' ? '' : name.padEnd(9)}`;
      // A command can't be pasted in two lines.
      if (name === 'sample') return [indent + text];
      return wrapped(text, Math.min(WIDTH, terminalWidth() ?? WIDTH) - indent.length).map(
        (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
      );
    }),
  ];
}

/** Returns the command that shows a failure, with a shortened id where the whole one doesn't fit. */
function sampleOf({ listener, messageId }: FoundRecord, others: readonly FoundRecord[], command: CommandText): string {
  const show = (id: string) => command('failures', 'show', listener.name, id);
  const whole = show(messageId);
  if (whole.length + 11 <= WIDTH) return whole;
  return show(
    shortened(
      messageId,
      others.map((one) => one.messageId),
      'body:'.length + 7,
    ),
  );
}

/** Breaks a text between words, and a longer word anywhere. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    for (let rest = word; ; rest = rest.slice(width)) {
      const part = rest.slice(0, width);
      const line = lines.at(-1) ?? '';
      if (line === '') lines[lines.length - 1] = part;
      else if (line.length + 1 + part.length <= width) lines[lines.length - 1] = `${line} ${part}`;
      else lines.push(part);
      if (rest.length <= width) break;
    }
  }
  return lines;
}
