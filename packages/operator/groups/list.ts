import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { terminalWidth } from '../cli/table.js';
import { duration, plural, wrapped } from '../cli/text.js';
import { shortened } from '../records/shown.js';
import { causeWords } from './cause.js';
import { type CustomerSource, customersOf } from './customers.js';
import { readFailureGroups } from './failures.js';
import { type Group, largestFirst } from './group.js';
import { readStuckGroups, type StuckSagas } from './sagas.js';
import { type Summary, type SummaryContext, summaryOf, waysOf } from './summary.js';

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
  const groups: readonly Group[] = [...failures, ...stuck.groups].toSorted(largestFirst);
  const shown = groups.slice(0, SHOWN_GROUPS).map(({ members }) => members);
  const found = customers ? await customersOf(context, customers, shown) : [];
  const summaries = groups.map((group, at) => summaryOf(group, found[at], { ...context, now }));
  const where = consumer === undefined ? '' : ` of ${consumer}`;
  const text = groups.length === 0 ? `no failures${where}` : listText(groups, summaries, where, { ...context, now });
  return {
    exitCode: groups.length + stuck.unreadable.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: [text, ...unreadableLines(stuck)].join('\n'),
    json: { groups: summaries, unreadable: stuck.unreadable.length },
  };
}

function listText(
  groups: readonly Group[],
  summaries: readonly Summary[],
  where: string,
  context: SummaryContext,
): string {
  const ids = groups.map(({ id }) => id);
  const listed = summaries.slice(0, SHOWN_GROUPS).map((summary, at) => ({ summary, group: groups[at] as Group }));
  const more = groups.length - listed.length;
  const kinds = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = summaries.filter((one) => one.kind === kind);
    return own[0] ? [{ kind, own, shortId: shortened(own[0].id, ids) }] : [];
  });
  return [
    kinds.map(({ kind, own }) => headOf(kind, own, where)).join('; '),
    ...listed.flatMap(({ group, summary }) => ['', ...groupText(group, summary, shortened(group.id, ids), context)]),
    ...(more > 0 ? ['', `and ${plural(more, 'smaller group')}: --json, or --consumer <name>`] : []),
    ...kinds.flatMap(({ kind, shortId }) => ['', ...nextOf(kind, shortId, context)]),
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

function headOf(kind: Group['kind'], own: readonly Summary[], where: string): string {
  const sumOf = (field: 'count' | 'lastHour') => own.reduce((sum, one) => sum + one[field], 0);
  const atLeast = own.some(({ more }) => more) ? 'at least ' : '';
  return `${atLeast}${plural(sumOf('count'), kind)}${where} in ${plural(own.length, 'group')}, ${sumOf('lastHour')} in the last hour`;
}

function nextOf(kind: Group['kind'], id: string, context: SummaryContext): readonly string[] {
  const { again, close } = waysOf(kind, id, context);
  const isFailure = kind === 'failure';
  return [
    `next, once the cause is gone (the first ${isFailure ? 'message' : 'saga'} is sent alone, as a probe):`,
    `  ${again}`,
    isFailure ? 'or, if they must never be processed:' : 'or, after you have compensated all of them by hand:',
    `  ${close}`,
  ];
}

function groupText(group: Group, summary: Summary, shortId: string, context: SummaryContext): readonly string[] {
  const { kind, cause } = group;
  const { count, lastHour, hourBefore, unknown, sealedTexts, subjects, customers, first = '', last = '' } = summary;
  const ago = (at: string) => `${duration(Math.max(0, secondsBetween(at, context.now)))} ago`;
  const looked = customers && customers.looked < count ? ` (of the newest ${customers.looked})` : '';
  const rows: readonly (readonly [name: string, text: string | false | undefined])[] = [
    ['', causeWords(cause)],
    [
      kind === 'failure' ? 'failed' : 'stuck',
      `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`,
    ],
    ['unknown', unknown > 0 && `${unknown} may have been processed before; a redrive of the group skips them`],
    ['text', sealedTexts > 0 && `sealed in ${sealedTexts}, since it may contain data of a person: the sample shows it`],
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : someOf(subjects)],
    ['customers', customers && customers.count > 0 && someOf(customers) + looked],
    ['sample', sampleOf(group, context)],
    ['see', summary.page],
  ];
  const width = customers ? 11 : 9;
  return [
    `${shortId}  ${summary.more ? 'at least ' : ''}${plural(count, kind)}  ${cause.service}/${cause.consumer}`,
    ...rows.flatMap(([name, text]) => {
      if (!text) return [];
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

/** Returns the command that shows the newest one, with a shortened id where the whole one doesn't fit. */
function sampleOf({ members }: Group, { command }: SummaryContext): string | undefined {
  const newest = members.at(-1);
  if (!newest) return undefined;
  const whole = command(...newest.show, newest.id);
  if (whole.length + 13 <= WIDTH) return whole;
  const ids = members.map(({ id }) => id);
  return command(...newest.show, shortened(newest.id, ids, 'body:'.length + 7));
}
