import { table } from '../cli/table.js';
import { aligned, type CommandText, plural } from '../cli/text.js';
import { shownTime } from '../records/shown.js';
import type { Audited } from './audit.js';
import { STATES } from './judge.js';
import type { AuditRequest } from './request.js';
import { type FoundTwice, twiceLines, twiceVerdict } from './twice.js';

/** A delivery that is missing. */
export interface Missing {
  readonly at: string;
  readonly service: string;
  readonly consumer: string;
  readonly messageId: string;
  readonly type: string;
  readonly subject: string;
}

/** A commit that can't be read, so that nobody knows its messages. */
export interface Unreadable {
  /** Service that committed it. */
  readonly service: string;
  /** Its key, which is the id of its failure at the relay: `Order#3f…/COMMIT#0000000001`. */
  readonly commit: string;
  /** Paths and codes of what is wrong, without values. */
  readonly fault: string;
  /** Whether there is a failure record of it. */
  readonly isRecorded: boolean;
}

/** What an audit found, with the request for it. */
export interface Found {
  readonly audited: Audited;
  /** Verdict on what is missing, in sentences. */
  readonly verdict: string;
  readonly missing: readonly Missing[];
  readonly unreadable: readonly Unreadable[];
  readonly twice: FoundTwice | undefined;
  readonly request: AuditRequest;
  readonly span: { readonly from: string; readonly to: string };
  /** Time at which it ended, ISO 8601. */
  readonly now: string;
  readonly command: CommandText;
}

/** Missing deliveries that the text lists; `--json` lists all. */
const LISTED = 20;

const HEAD = ['SENT AT', 'CONSUMER', 'TYPE', 'SUBJECT', 'MESSAGE ID'] as const;

/** Words of the same audit, or of another span. */
const wordsOf = ({ subject, named, consumer }: AuditRequest, { from, to }: Found['span']): readonly string[] => [
  ...(subject === undefined ? ['--from', from, '--to', to] : (named ?? ['--subject', subject])),
  ...(consumer === undefined ? [] : ['--consumer', consumer]),
];

/** The report for people: the verdict, the sums, what is missing or was done twice, and the next commands. */
export function textOf({ audited, verdict, missing, unreadable, twice, request, span, now, command }: Found): string {
  const { subject, parts = [], resend } = request;
  const { commits, messages, deliveries } = audited;
  const types = parts.map((part) => part.slice(0, part.indexOf('/')));
  const aggregates = types.length > 0 ? `${subject} with its ${types.join(', ')}` : subject;
  const what = aggregates ?? `${span.from} to ${span.to}`;
  const states = STATES.filter((state) => deliveries[state] > 0).map((state) => [state, String(deliveries[state])]);
  const rows = missing
    .slice(0, LISTED)
    .map((one) => [shownTime(one.at, now), one.consumer, one.type, one.subject, one.messageId]);
  const more = missing.length - rows.length;
  const again = (...words: readonly string[]) => command('audit', ...wordsOf(request, span), ...words);
  const from = (at: string) => command('audit', ...wordsOf(request, { ...span, from: at }));
  return [
    [verdict, ...(twice ? [twiceVerdict(twice)] : [])].join(' '),
    `${what}: ${plural(messages, 'message')} in ${plural(commits, 'commit')}`,
    ...(states.length > 0 ? ['', aligned(states, '  ')] : []),
    ...(rows.length > 0 ? ['', table(HEAD, rows, ['TYPE', 'SUBJECT', 'CONSUMER'])] : []),
    ...(more > 0 ? [`and ${more} more (--json lists all)`] : []),
    ...(unreadable.length > 0
      ? ['', ...unreadable.slice(0, LISTED).map(({ service, commit, fault }) => `${service} ${commit}: ${fault}`)]
      : []),
    ...(twice ? twiceLines(twice, { listed: LISTED, from }) : []),
    ...nextOf(audited, { missing, unreadable, resend }, again, command),
  ].join('\n');
}

function nextOf(
  { deliveries }: Audited,
  { missing, unreadable, resend }: Pick<Found, 'missing' | 'unreadable'> & { readonly resend: boolean },
  again: (...words: readonly string[]) => string,
  command: CommandText,
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
export const twiceJson = ({ checked, left, leftFrom, found }: FoundTwice, { request, span, command }: Found) => ({
  checked,
  left,
  ...(leftFrom !== undefined && { next: command('audit', ...wordsOf(request, { ...span, from: leftFrom })) }),
  found,
});
