/**
 * Retention of an entry, in days: thirteen months, so that a yearly review sees the whole year before it. An entry is about 400
 * bytes. What must be kept for longer stands with what was changed: a discarded record and a saga's history keep who and why.
 */
export const AUDIT_RETENTION_DAYS = 400;
