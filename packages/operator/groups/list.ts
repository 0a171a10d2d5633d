import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { terminalWidth } from '../cli/table.js';
import { formatDuration, pluralize, wrapText } from '../cli/text-format.js';
import { shortenId } from '../records/list-format.js';
import { describeCause } from './cause.js';
import { type CustomerSource, findCustomers } from './customers.js';
import { readFailureGroups } from './failures.js';
import { largestFirst, type OperatorGroup } from './group.js';
import { readStuckGroups, type StuckSagas } from './sagas.js';
import { closingCommands, type Summary, type SummaryContext, summaryOf } from './summary.js';

/** Maximum number of groups as text, and of groups whose customers are looked for. `--json` has all groups. */
const SHOWN_GROUPS = 20;
/** Maximum width of the text, in characters. */
const WIDTH = 100;

/**
 * `failures groups`: failures and stuck sagas by their cause, the largest group first.
 * @param customers how the application finds the customers. @default the groups don't say them
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function listFailureGroups(
  context: Pick<CommandContext, 'documents' | 'services' | 'command' | 'pageOn' | 'clock'>,
  { consumer }: { readonly consumer: string | undefined },
  customers?: CustomerSource,
): Promise<Outcome> {
  const { documents, services, clock } = context;
  // Before it reads: what gets stuck meanwhile may not be in the list.
  const now = clock.now();
  const [failures, stuck] = await Promise.all([
    readFailureGroups(documents, services, consumer),
    readStuckGroups(documents, services, consumer),
  ]);
  const groups: readonly OperatorGroup[] = [...failures, ...stuck.groups].toSorted(largestFirst);
  const shown = groups.slice(0, SHOWN_GROUPS).map(({ members }) => members);
  const found = customers ? await findCustomers(context, customers, shown) : [];
  const summaries = groups.map((group, at) => summaryOf(group, found[at], { ...context, now }));
  const where = consumer === undefined ? '' : ` of ${consumer}`;
  const text = groups.length === 0 ? `no failures${where}` : listText(groups, summaries, where, { ...context, now });
  return {
    exitCode: groups.length + stuck.unreadable.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: [text, ...renderUnreadable(stuck)].join('\n'),
    json: { groups: summaries, unreadable: stuck.unreadable.length },
  };
}

function listText(
  groups: readonly OperatorGroup[],
  summaries: readonly Summary[],
  where: string,
  context: SummaryContext,
): string {
  const ids = groups.map(({ id }) => id);
  const listed = summaries
    .slice(0, SHOWN_GROUPS)
    .map((summary, at) => ({ summary, group: groups[at] as OperatorGroup }));
  const more = groups.length - listed.length;
  const kinds = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = summaries.filter((one) => one.kind === kind);
    return own[0] ? [{ kind, own, shortId: shortenId(own[0].id, ids) }] : [];
  });
  return [
    kinds.map(({ kind, own }) => headOf(kind, own, where)).join('; '),
    ...listed.flatMap(({ group, summary }) => ['', ...renderGroup(group, summary, shortenId(group.id, ids), context)]),
    ...(more > 0 ? ['', `and ${pluralize(more, 'smaller group')}: --json, or --consumer <name>`] : []),
    ...kinds.flatMap(({ kind, shortId }) => ['', ...nextOf(kind, shortId, context)]),
  ].join('\n');
}

function renderUnreadable({ unreadable }: StuckSagas): readonly string[] {
  const [first] = unreadable;
  if (!first) return [];
  return [
    '',
    `${pluralize(unreadable.length, 'stuck saga')} can't be read: ${first.kind.type}/${first.id}: ${first.why}`,
    'use the command line of the release that is deployed',
  ];
}

function headOf(kind: OperatorGroup['kind'], own: readonly Summary[], where: string): string {
  const sumOf = (field: 'count' | 'lastHour') => own.reduce((sum, one) => sum + one[field], 0);
  const atLeast = own.some(({ more }) => more) ? 'at least ' : '';
  return `${atLeast}${pluralize(sumOf('count'), kind)}${where} in ${pluralize(own.length, 'group')}, ${sumOf('lastHour')} in the last hour`;
}

function nextOf(kind: OperatorGroup['kind'], id: string, context: SummaryContext): readonly string[] {
  const { again, close } = closingCommands(kind, id, context);
  const isFailure = kind === 'failure';
  return [
    `next, once the cause is gone (the first ${isFailure ? 'message' : 'saga'} is sent alone, as a probe):`,
    `  ${again}`,
    isFailure ? 'or, if they must never be processed:' : 'or, after you have compensated all of them by hand:',
    `  ${close}`,
  ];
}

function renderGroup(
  group: OperatorGroup,
  summary: Summary,
  shortId: string,
  context: SummaryContext,
): readonly string[] {
  const { kind, cause } = group;
  const { count, lastHour, hourBefore, unknown, sealedTexts, subjects, customers, first = '', last = '' } = summary;
  const ago = (at: string) => `${formatDuration(Math.max(0, secondsBetween(at, context.now)))} ago`;
  const looked = customers && customers.looked < count ? ` (of the newest ${customers.looked})` : '';
  const rows: readonly (readonly [name: string, text: string | false | undefined])[] = [
    ['', describeCause(cause)],
    [
      kind === 'failure' ? 'failed' : 'stuck',
      `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`,
    ],
    ['unknown', unknown > 0 && `${unknown} may have been processed before; a redrive of the group skips them`],
    ['text', sealedTexts > 0 && `sealed in ${sealedTexts}, since it may contain data of a person: the sample shows it`],
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : joinSample(subjects)],
    ['customers', customers && customers.count > 0 && joinSample(customers) + looked],
    ['sample', sampleCommand(group, context)],
    ['see', summary.page],
  ];
  const width = customers ? 11 : 9;
  return [
    `${shortId}  ${summary.more ? 'at least ' : ''}${pluralize(count, kind)}  ${cause.service}/${cause.consumer}`,
    ...rows.flatMap(([name, text]) => {
      if (!text) return [];
      const indent = `  ${name === '' ? '' : name.padEnd(width)}`;
      // A command can't be pasted in two lines.
      if (name === 'sample') return [indent + text];
      return wrapText(text, Math.min(WIDTH, terminalWidth() ?? WIDTH) - indent.length).map(
        (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
      );
    }),
  ];
}

function joinSample({ count, newest }: { readonly count: number; readonly newest: readonly string[] }): string {
  const others = count - newest.length;
  return `${newest.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Returns the command that shows the newest one, with a shortened id where the whole one doesn't fit. */
function sampleCommand({ members }: OperatorGroup, { command }: SummaryContext): string | undefined {
  const newest = members.at(-1);
  if (!newest) return undefined;
  const whole = command(...newest.show, newest.id);
  if (whole.length + 13 <= WIDTH) return whole;
  const ids = members.map(({ id }) => id);
  return command(...newest.show, shortenId(newest.id, ids, 'body:'.length + 7));
}
