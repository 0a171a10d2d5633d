import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { shortenId } from '../records/list-format.js';
import { type BlockRow, formatAgo, joinSample, renderBlock, sampleCommand } from './block.js';
import { describeCause } from './cause.js';
import { describeNote } from './cause-notes.js';
import { type CauseSummary, endingCommands } from './cause-summary.js';
import { describeMessages, type OperatorCause } from './causes.js';
import type { CustomerSource } from './customers.js';
import { type FailureOverview, type OverviewContext, readOverview, renderUnreadable, SHOWN } from './overview.js';
import type { SummaryContext } from './summary.js';
import { sparkline, TREND_HOURS } from './trend.js';

/**
 * `failures causes`: failures and stuck sagas by their cause across all consumers, the largest first, so that one bad publisher is
 * one entry.
 * @param customers how the application finds the customers. @default the causes don't say them
 */
export async function listFailureCauses(context: OverviewContext, customers?: CustomerSource): Promise<Outcome> {
  const overview = await readOverview(context, undefined, customers);
  const { causes, exitCode, json } = overview;
  const text = causes.length === 0 ? 'no failures' : listText(overview, { ...context, ...overview });
  return { exitCode, text: [text, ...renderUnreadable(overview)].join('\n'), json };
}

function listText({ causes, groups }: FailureOverview, context: SummaryContext): string {
  const groupIds = groups.map(({ of }) => of.id);
  const ids = causes.map(({ of }) => of.id);
  const more = causes.length - SHOWN;
  const [first] = causes;
  const kinds = (['failure', 'stuck saga'] as const).flatMap((kind) => {
    const own = causes.filter(({ of }) => of.kind === kind).map(({ summary }) => summary);
    return own.length > 0 ? [headOf(kind, own)] : [];
  });
  return [
    kinds.join('; '),
    ...causes
      .slice(0, SHOWN)
      .flatMap(({ of, summary }) => ['', ...renderCause(of, summary, shortenId(of.id, ids), { ...context, groupIds })]),
    ...(more > 0 ? ['', `and ${pluralize(more, 'smaller cause')}: --json`] : []),
    ...(first ? ['', ...nextOf(first.of, shortenId(first.of.id, ids), context)] : []),
  ].join('\n');
}

function headOf(kind: OperatorCause['kind'], own: readonly CauseSummary[]): string {
  const sumOf = (field: 'count' | 'lastHour') => own.reduce((sum, one) => sum + one[field], 0);
  const atLeast = own.some(({ more }) => more) ? 'at least ' : '';
  return `${atLeast}${pluralize(sumOf('count'), kind)} of ${pluralize(own.length, 'cause')}, ${sumOf('lastHour')} in the last hour`;
}

function nextOf(cause: OperatorCause, id: string, context: SummaryContext): readonly string[] {
  const { again, close } = endingCommands(cause, id, context);
  const isFailure = cause.kind === 'failure';
  const probe = isFailure ? 'one message of each consumer is sent first, as a probe' : 'the first saga is a probe';
  return [
    `next, once the cause is gone (${probe}):`,
    `  ${again}`,
    isFailure ? 'or, if they must never be processed:' : 'or, after you have compensated all of them by hand:',
    `  ${close}`,
    'so that others know who takes care of it:',
    `  ${context.command('failures', 'annotate', id, '--owner', '<who>', '--ticket', '<number>', '--note', '<what>')}`,
  ];
}

function renderCause(
  cause: OperatorCause,
  summary: CauseSummary,
  shortId: string,
  context: SummaryContext & { readonly groupIds: readonly string[] },
): readonly string[] {
  const { kind, groups } = cause;
  const { count, trend, lastHour, older, unknown, sealedTexts, subjects, customers, note } = summary;
  const { first = '', last = '' } = summary;
  const ago = (at: string) => formatAgo(secondsBetween(at, context.now));
  const looked = customers && customers.looked < count ? ` (of the newest ${customers.looked})` : '';
  const before = older === 0 ? '' : `, ${older} older`;
  const rows: readonly BlockRow[] = [
    ['', describeCause(cause.cause)],
    [`${TREND_HOURS} h`, `${sparkline(trend)}  ${lastHour} in the last hour${before}`],
    [kind === 'failure' ? 'failed' : 'stuck', `first ${ago(first)}, last ${ago(last)}`],
    ['at', describeGroups(groups, context.groupIds)],
    ['unknown', unknown > 0 && `${unknown} may have been processed before; a redrive of the cause skips them`],
    ['text', sealedTexts > 0 && `sealed in ${sealedTexts}, since it may contain data of a person: the sample shows it`],
    ['about', subjects.count === 0 ? 'no subject: the messages can’t be read' : joinSample(subjects)],
    ['customers', customers && customers.count > 0 && joinSample(customers) + looked],
    ['noted', note && `${describeNote(note)} (by ${note.by}, ${ago(note.at)})`],
    ['sample', sampleCommand(cause, context)],
    ['see', summary.page],
  ];
  const head = `${shortId}  ${summary.more ? 'at least ' : ''}${pluralize(count, kind)} at ${pluralize(summary.consumers, 'consumer')}: ${describeMessages(cause.cause)}`;
  return renderBlock(head, rows);
}

/** Names the consumers with their counts, and the group of each, for commands that are about one of them. */
const describeGroups = (groups: OperatorCause['groups'], ids: readonly string[]): string =>
  groups
    .map(({ id, service, consumer, count }) => `${service}/${consumer} ${count} (group ${shortenId(id, ids)})`)
    .join(', ');
