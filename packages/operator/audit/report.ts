import { renderTable } from '../cli/table.js';
import { alignColumns, type CommandFormatter, pluralize } from '../cli/text-format.js';
import { formatTime } from '../records/list-format.js';
import type { AuditTotals } from './audit.js';
import { type DuplicateCheckResult, describeDuplicateCheck, renderDuplicates } from './duplicate-check.js';
import { DELIVERY_STATES } from './judge-deliveries.js';
import type { AuditRequest } from './request.js';

/** A delivery that is missing. */
export interface MissingDelivery {
  readonly at: string;
  readonly service: string;
  readonly consumer: string;
  readonly messageId: string;
  readonly type: string;
  readonly subject: string;
}

/** A commit that can't be read, so that nobody knows its messages. */
export interface UnreadableFinding {
  /** Service that committed it. */
  readonly service: string;
  /** Its key, which is the id of its failure at the relay: `Order#3f…/COMMIT#0000000001`. */
  readonly commit: string;
  /** Paths and codes of what is wrong, without values. */
  readonly fault: string;
  /** Whether there is a failure record of it. */
  readonly isRecorded: boolean;
}

/** Findings of an audit, with the request for it. */
export interface AuditFindings {
  readonly audited: AuditTotals;
  /** Verdict on what is missing, in sentences. */
  readonly verdict: string;
  readonly missing: readonly MissingDelivery[];
  readonly unreadable: readonly UnreadableFinding[];
  readonly twice: DuplicateCheckResult | undefined;
  readonly request: AuditRequest;
  readonly span: { readonly from: string; readonly to: string };
  /** Time at which it ended, ISO 8601. */
  readonly now: string;
  readonly command: CommandFormatter;
}

/** Missing deliveries that the text lists; `--json` lists all. */
const MAX_LISTED = 20;

const HEAD = ['SENT AT', 'CONSUMER', 'TYPE', 'SUBJECT', 'MESSAGE ID'] as const;

/** Words of the same audit, or of another span. */
const repeatAuditWords = (
  { subject, named, consumer }: AuditRequest,
  { from, to }: AuditFindings['span'],
): readonly string[] => [
  ...(subject === undefined ? ['--from', from, '--to', to] : (named ?? ['--subject', subject])),
  ...(consumer === undefined ? [] : ['--consumer', consumer]),
];

/** The report for people: the verdict, the sums, what is missing or was done twice, and the next commands. */
export function renderAuditReport({
  audited,
  verdict,
  missing,
  unreadable,
  twice,
  request,
  span,
  now,
  command,
}: AuditFindings): string {
  const { subject, parts = [], resend } = request;
  const { commits, messages, deliveries } = audited;
  const types = parts.map((part) => part.slice(0, part.indexOf('/')));
  const aggregates = types.length > 0 ? `${subject} with its ${types.join(', ')}` : subject;
  const what = aggregates ?? `${span.from} to ${span.to}`;
  const states = DELIVERY_STATES.filter((state) => deliveries[state] > 0).map((state) => [
    state,
    String(deliveries[state]),
  ]);
  const rows = missing
    .slice(0, MAX_LISTED)
    .map((one) => [formatTime(one.at, now), one.consumer, one.type, one.subject, one.messageId]);
  const more = missing.length - rows.length;
  const again = (...words: readonly string[]) => command('audit', ...repeatAuditWords(request, span), ...words);
  const from = (at: string) => command('audit', ...repeatAuditWords(request, { ...span, from: at }));
  return [
    [verdict, ...(twice ? [describeDuplicateCheck(twice)] : [])].join(' '),
    `${what}: ${pluralize(messages, 'message')} in ${pluralize(commits, 'commit')}`,
    ...(states.length > 0 ? ['', alignColumns(states, '  ')] : []),
    ...(rows.length > 0 ? ['', renderTable(HEAD, rows, ['TYPE', 'SUBJECT', 'CONSUMER'])] : []),
    ...(more > 0 ? [`and ${more} more (--json lists all)`] : []),
    ...(unreadable.length > 0
      ? ['', ...unreadable.slice(0, MAX_LISTED).map(({ service, commit, fault }) => `${service} ${commit}: ${fault}`)]
      : []),
    ...(twice ? renderDuplicates(twice, { listed: MAX_LISTED, from }) : []),
    ...listNextCommands(audited, { missing, unreadable, resend }, again, command),
  ].join('\n');
}

function listNextCommands(
  { deliveries }: AuditTotals,
  { missing, unreadable, resend }: Pick<AuditFindings, 'missing' | 'unreadable'> & { readonly resend: boolean },
  again: (...words: readonly string[]) => string,
  command: CommandFormatter,
): readonly string[] {
  const next = [
    ...(missing.length > 0 ? [resend ? `look again: ${again()}` : `send them again: ${again('--resend')}`] : []),
    ...unreadable
      .slice(0, 1)
      .map(({ commit, isRecorded }) =>
        isRecorded
          ? `what to do with a commit that can't be read: ${command('failures', 'show', 'relay', commit)}`
          : `make a failure record of what can't be read: ${again('--resend')}`,
      ),
    ...(deliveries.failed > 0 ? [`what has failed: ${command('failures', 'list')}`] : []),
  ];
  return next.length > 0 ? ['', ...next] : [];
}

/** Returns what was done twice, for scripts. */
export const duplicatesToJson = (
  { checked, left, leftFrom, found }: DuplicateCheckResult,
  { request, span, command }: AuditFindings,
) => ({
  checked,
  left,
  ...(leftFrom !== undefined && { next: command('audit', ...repeatAuditWords(request, { ...span, from: leftFrom })) }),
  found,
});
