import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { terminalWidth } from '../cli/table.js';
import { type CommandText, duration, plural, wrapped } from '../cli/text.js';
import { readStuckGroups, type StuckSagas } from '../sagas/saga-groups.js';
import { causeWords, shortened } from './failure-causes.js';
import { type CustomerSource, type Customers, customersOf } from './failure-customers.js';
import {
  type Group,
  ofFailures,
  ofSagas,
  type Summary,
  summaryOf,
  type Thing,
  waysOf,
} from './failure-group-summary.js';
import { readGroups } from './failure-groups.js';

/** Maximum number of groups as text, and of groups whose customers are looked for. `--json` has all groups. */
const SHOWN_GROUPS = 20;
/** Maximum width of the text, in characters. */
const WIDTH = 100;

type Context = Pick<CommandContext, 'documents' | 'services' | 'command' | 'pageOn' | 'clock'>;

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
  const { documents, services, clock } = context;
  // Before it reads: what gets stuck meanwhile may not be in the list.
  const now = clock.now();
  const [failures, stuck] = await Promise.all([
    readGroups(documents, services, consumer),
    readStuckGroups(documents, services, consumer),
  ]);
  const groups = [...failures.map(ofFailures), ...stuck.groups.map(ofSagas)].toSorted(
    (one, other) => other.things.length - one.things.length || one.id.localeCompare(other.id),
  );
  const shown = groups.slice(0, SHOWN_GROUPS).map(({ things }) => things);
  const found = customers ? await customersOf(context, customers, shown) : [];
  const summaries = groups.map((group, at) => summaryOf(group, found[at], { ...context, now }));
  return {
    exitCode: groups.length + stuck.unreadable.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: [listText(groups, summaries, { ...context, now, consumer }), ...unreadableLines(stuck)].join('\n'),
    json: { groups: summaries, unreadable: stuck.unreadable.length },
  };
}

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
      return first ? ['', ...nextOf(kind, shortened(first.id, ids), context)] : [];
    }),
  ].join('\n');
}

function unreadableLines({ unreadable }: StuckSagas): readonly string[] {
  const [first] = unreadable;
  if (!first) return [];
  return [
    '',
    `${plural(unreadable.length, 'stuck saga')} can't be read: ${first.kind.type}/${first.id}: ${first.why}`,
    'use the command line of the release that is deployed',
  ];
}

function headOf(summaries: readonly Summary[], where: string): string {
  const parts = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = summaries.filter((one) => one.kind === kind);
    const count = (of: 'count' | 'lastHour') => own.reduce((sum, one) => sum + one[of], 0);
    if (own.length === 0) return [];
    return [
      `${own.some(({ more }) => more) ? 'at least ' : ''}${plural(count('count'), kind)}${where} in ${plural(own.length, 'group')}, ${count('lastHour')} in the last hour`,
    ];
  });
  return parts.join('; ');
}

function nextOf(kind: Group['kind'], id: string, context: ListContext): readonly string[] {
  const { again, close } = waysOf(kind, id, context);
  const isFailure = kind === 'failure';
  return [
    `next, once the cause is gone (the first ${isFailure ? 'message' : 'saga'} is sent alone, as a probe):`,
    `  ${again}`,
    isFailure ? 'or, if they must never be processed:' : 'or, after you have compensated all of them by hand:',
    `  ${close}`,
  ];
}

function groupText(
  { kind, cause, things }: Group,
  summary: Summary,
  shortId: string,
  { command, now }: ListContext,
): readonly string[] {
  const {
    count,
    lastHour,
    hourBefore,
    unknown,
    sealedTexts,
    subjects,
    customers,
    first = '',
    last = '',
    page,
  } = summary;
  const ago = (at: string) => `${duration(Math.max(0, secondsBetween(at, now)))} ago`;
  const newest = things.at(-1);
  const since = `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`;
  const rows: readonly (readonly [string, string])[] = [
    ['', causeWords(cause)],
    [kind === 'failure' ? 'failed' : 'stuck', since],
    ...(unknown > 0
      ? [['unknown', `${unknown} may have been processed before; a redrive of the group skips them`] as const]
      : []),
    ...(sealedTexts > 0
      ? [['text', `sealed in ${sealedTexts}, since it may contain data of a person: the sample shows it`] as const]
      : []),
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : someOf(subjects)],
    ...(customers && customers.count > 0 ? [['customers', customerWords(customers, count)] as const] : []),
    ...(newest ? [['sample', sampleOf(newest, things, command)] as const] : []),
    ...(page === undefined ? [] : [['see', page] as const]),
  ];
  const width = customers ? 11 : 9;
  return [
    `${shortId}  ${summary.more ? 'at least ' : ''}${plural(count, kind)}  ${cause.service}/${cause.consumer}`,
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
