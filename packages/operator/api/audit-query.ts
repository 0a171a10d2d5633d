import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { Problem } from '@orderly/kit/internal/http/errors.js';
import type { AuditShortcuts } from '../audit/audit.js';
import type { AuditRequest } from '../audit/request.js';
import { type CommandFormatter, formatDuration, parseTimeSpan } from '../cli/text-format.js';
import { DEFAULT_GRACE } from '../commands/audit.js';

/**
 * Longest time that one answer audits, in seconds. Hours that the automatic audit has found empty cost nothing. Where none is
 * deployed, a day of nine services with eight shards costs 1,800 queries.
 */
export const MAX_AUDIT_SECONDS = 24 * 3_600;

/** Query of the delivery audit: `AuditParameters`, and those of the application that name an aggregate. */
export interface AuditQuery {
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly consumer?: string;
  readonly grace?: string;
  /** Id of the aggregates whose types `subjects` says. */
  readonly [subject: string]: string | undefined;
}

export interface AuditQueryContext {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Types of aggregates by the parameters that take their id: `{ order: ['Order', 'Payment'] }`. */
  readonly subjects: AuditShortcuts;
  readonly command: CommandFormatter;
}

/**
 * Reads the query of an audit. It is a pure function.
 * @returns the request of the command `audit`, which sends nothing again; and the command that asks for the same
 * @throws {Problem} 400, which names the command where the time is too long for an answer
 */
export function parseAuditQuery(
  query: AuditQuery,
  { now, subjects, command }: AuditQueryContext,
): { readonly audit: AuditRequest; readonly command: string } {
  const named = Object.entries(subjects).flatMap(([name, [type, ...parts]]) => {
    const id = query[name];
    return id === undefined
      ? []
      : [{ name, id, subject: `${type}/${id}`, parts: parts.map((part) => `${part}/${id}`) }];
  });
  const ways = ['since', 'from', ...Object.keys(subjects)];
  const given = ways.filter((name) => query[name] !== undefined);
  if (given.length !== 1) {
    const detail = `expected exactly one of ${ways.join(', ')}`;
    throw refusal(detail, given[1] ?? 'since');
  }
  if (query.to !== undefined && query.from === undefined) throw refusal('expected with from only', 'to');
  const [one] = named;
  const span = resolveSpan(query, now);
  const words = one
    ? [`--${one.name}`, one.id]
    : query.since === undefined
      ? ['--from', span.from, '--to', span.to]
      : ['--since', query.since];
  const others = [
    ...(query.consumer === undefined ? [] : ['--consumer', query.consumer]),
    ...(query.grace === undefined ? [] : ['--grace', query.grace]),
  ];
  const same = command('audit', ...words, ...others);
  if (!one) checkLength(query, span, same);
  return {
    audit: {
      ...(one ? { from: undefined, to: undefined } : span),
      subject: one?.subject,
      ...(one && { parts: one.parts }),
      consumer: query.consumer,
      graceSeconds: parseTimeSpan(query.grace ?? DEFAULT_GRACE) ?? 0,
      resend: false,
      rate: 1,
    },
    command: same,
  };
}

interface AuditedSpan {
  readonly from: string;
  readonly to: string;
}

function resolveSpan({ since, from, to }: AuditQuery, now: string): AuditedSpan {
  const back = since === undefined ? 0 : (parseTimeSpan(since) ?? 0);
  const begins = from === undefined ? Date.parse(now) - back * 1000 : Date.parse(from);
  return { from: new Date(begins).toISOString(), to: new Date(to ?? now).toISOString() };
}

/** @throws {Problem} 400 */
function checkLength({ since }: AuditQuery, { from, to }: AuditedSpan, same: string): void {
  const seconds = secondsBetween(from, to);
  if (seconds < 0) throw refusal(`expected a time before the end of the span, ${to}`, 'from');
  if (seconds <= MAX_AUDIT_SECONDS) return;
  const detail = `an answer audits at most ${formatDuration(MAX_AUDIT_SECONDS)}: ask for less, or run ${same}`;
  throw refusal(detail, since === undefined ? 'from' : 'since');
}

const refusal = (detail: string, parameter: string): Problem =>
  new Problem('invalid-request', detail, { errors: [{ parameter, detail }] });
