import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { shortenId } from '../records/list-format.js';
import { type BlockRow, formatAgo, joinSample, renderBlock, sampleCommand } from './block.js';
import { describeCause } from './cause.js';
import { describeNote } from './cause-notes.js';
import type { CustomerSource } from './customers.js';
import type { OperatorGroup } from './group.js';
import { type FailureOverview, type OverviewContext, readOverview, renderUnreadable, SHOWN } from './overview.js';
import { closingCommands, type Summary, type SummaryContext } from './summary.js';

/**
 * `failures groups`: failures and stuck sagas by their cause at each consumer, the largest group first.
 * @param customers how the application finds the customers. @default the groups don't say them
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function listFailureGroups(
  context: OverviewContext,
  { consumer }: { readonly consumer: string | undefined },
  customers?: CustomerSource,
): Promise<Outcome> {
  const overview = await readOverview(context, consumer, customers);
  const where = consumer === undefined ? '' : ` of ${consumer}`;
  const { exitCode, json } = overview;
  const text =
    overview.groups.length === 0 ? `no failures${where}` : listText(overview, where, { ...context, ...overview });
  return { exitCode, text: [text, ...renderUnreadable(overview)].join('\n'), json };
}

function listText(overview: FailureOverview, where: string, context: SummaryContext): string {
  const { groups } = overview;
  const summaries = groups.map(({ summary }) => summary);
  const ids = summaries.map(({ id }) => id);
  const more = groups.length - SHOWN;
  const kinds = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = summaries.filter((one) => one.kind === kind);
    return own[0] ? [{ kind, own, shortId: shortenId(own[0].id, ids) }] : [];
  });
  return [
    kinds.map(({ kind, own }) => headOf(kind, own, where)).join('; '),
    ...groups
      .slice(0, SHOWN)
      .flatMap(({ of, summary }) => ['', ...renderGroup(of, summary, overview, { ids, context })]),
    ...(more > 0 ? ['', `and ${pluralize(more, 'smaller group')}: --json, or --consumer <name>`] : []),
    ...kinds.flatMap(({ kind, shortId }) => ['', ...nextOf(kind, shortId, context)]),
  ].join('\n');
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
  { causes }: Pick<FailureOverview, 'causes'>,
  { ids, context }: { readonly ids: readonly string[]; readonly context: SummaryContext },
): readonly string[] {
  const { kind, cause, id } = group;
  const { count, lastHour, hourBefore, unknown, sealedTexts, subjects, customers, first = '', last = '' } = summary;
  const ago = (at: string) => formatAgo(secondsBetween(at, context.now));
  const looked = customers && customers.looked < count ? ` (of the newest ${customers.looked})` : '';
  const causeIds = causes.map(({ of }) => of.id);
  const rows: readonly BlockRow[] = [
    ['', describeCause(cause)],
    [
      kind === 'failure' ? 'failed' : 'stuck',
      `first ${ago(first)}, last ${ago(last)}; in the last hour ${lastHour}, in the hour before ${hourBefore}`,
    ],
    ['unknown', unknown > 0 && `${unknown} may have been processed before; a redrive of the group skips them`],
    ['text', sealedTexts > 0 && `sealed in ${sealedTexts}, since it may contain data of a person: the sample shows it`],
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : joinSample(subjects)],
    ['customers', customers && customers.count > 0 && joinSample(customers) + looked],
    // The cause of a group alone says nothing more, unless somebody has noted something.
    ...causes
      .filter(({ of }) => summary.causes.includes(of.id))
      .filter(({ summary: { consumers, note } }) => consumers > 1 || note !== undefined)
      .map(({ of, summary: { consumers, note } }): BlockRow => {
        const noted = note === undefined ? '' : `; ${describeNote(note)}`;
        return ['cause', `${shortenId(of.id, causeIds)} at ${pluralize(consumers, 'consumer')}${noted}`];
      }),
    ['sample', sampleCommand(group, context)],
    ['see', summary.page],
  ];
  const head = `${shortenId(id, ids)}  ${summary.more ? 'at least ' : ''}${pluralize(count, kind)}  ${cause.service}/${cause.consumer}`;
  return renderBlock(head, rows);
}
