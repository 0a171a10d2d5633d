/**
 * Retention of an entry, in days: thirteen months, so that a yearly review sees the whole year before it. An entry is about 400
 * bytes. What must be kept for longer stands with what was changed: a discarded record and a saga's history keep who and why.
 */
export const AUDIT_RETENTION_DAYS = 400;

/** Returns the time from which entries are listed, ISO 8601, UTC: none is kept for longer. @param seconds back from `now` */
export const auditLogSince = (seconds: number, now: string): string =>
  new Date(Date.parse(now) - Math.min(seconds, AUDIT_RETENTION_DAYS * 86_400) * 1000).toISOString();

/** Returns the time at which an entry expires, in seconds since 1970, the unit of DynamoDB's TTL. @param at its time, ISO 8601 */
export const auditExpiry = (at: string): number => Math.floor(Date.parse(at) / 1000) + AUDIT_RETENTION_DAYS * 86_400;
