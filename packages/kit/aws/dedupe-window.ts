/** A deduplication window that is in force from a time on. */
export interface DedupeWindowFrom {
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly seconds: number;
}

/**
 * Deduplication window in seconds, or all windows that an environment has had, in ascending order of their times. The first
 * entry of a list was also in force before its time.
 *
 * A record keeps the window of its own day: a longer window does not bring back what has expired. So a change is a new
 * entry, and the old entries still say which records may be gone.
 */
export type DedupeWindow = number | readonly DedupeWindowFrom[];

/** Returns the window in force at a time, in seconds. @param at ISO 8601 */
export const windowAt = (window: DedupeWindow, at: string): number => smallestWindow(window, { from: at, to: at });

/** Returns the smallest window that was in force at any moment of a time span, in seconds. Times are ISO 8601. */
export function smallestWindow(
  window: DedupeWindow,
  { from, to }: { readonly from: string; readonly to: string },
): number {
  if (typeof window === 'number') return window;
  const begins = Date.parse(from);
  const ends = Date.parse(to);
  const inForce = window.filter((_, at) => {
    const since = at === 0 ? Number.NEGATIVE_INFINITY : startOf(window, at);
    return since <= Math.max(begins, ends) && startOf(window, at + 1) > begins;
  });
  return Math.min(...inForce.map(({ seconds }) => seconds));
}

/**
 * Returns when a record expires.
 * @param from epoch seconds from which the record counts. Its window is the one in force then.
 */
export const expiryOf = (window: DedupeWindow, from: number): number =>
  from + windowAt(window, new Date(from * 1000).toISOString());

/** Returns when an entry begins; behind the last one, never. */
const startOf = (window: readonly DedupeWindowFrom[], at: number): number =>
  Date.parse(window[at]?.from ?? '') || Number.POSITIVE_INFINITY;
