import { secondsBetween } from './clock.js';

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
    const since = at === 0 ? Number.NEGATIVE_INFINITY : startOfEntry(window, at);
    return since <= Math.max(begins, ends) && startOfEntry(window, at + 1) > begins;
  });
  return Math.min(...inForce.map(({ seconds }) => seconds));
}

/**
 * Safety margin in seconds: the age gate closes this long before a record can expire. A new window counts this long after its
 * time, so a clock that is slow, or a deployment that is late, has written no record that expires earlier than the gate
 * assumes.
 */
const AGE_MARGIN_SECONDS = 86_400;

/** Facts that decide whether a consumer would recognise a message, if it had processed it before. Times are ISO 8601, UTC. */
export interface Recognition {
  /** Time of the message. */
  readonly time: string;
  /** Time at which the message is delivered. */
  readonly now: string;
  /** Time of the first deployment of the consumer and its generation, if it may rely on that. */
  readonly since?: string | undefined;
}

/**
 * Returns the seconds for which a message is recognised, if its record may have expired; `undefined` if every record that the
 * consumer may have of it still exists.
 *
 * A record was written at some time between the message's and now, and was kept for the window in force then. So the smallest
 * window of that time counts. Today's alone would let messages pass after a longer window has begun, although their records
 * have expired:
 *
 *     day 0                 day 30              day 35              day 40
 *     message: processed    window: 35 -> 60    record: expired     again: is the gate open for 35 days, or for 60?
 *
 * No record is older than its consumer. So for a message from before `since`, only the time from `since` on counts:
 *
 *     day 0         day 400                         day 401               day 434
 *     message       consumer deployed, processed    again: recognised     the first records may have expired
 */
export function findOutlivedWindow(window: DedupeWindow, { time, now, since }: Recognition): number | undefined {
  const from = since !== undefined && Date.parse(since) > Date.parse(time) ? since : time;
  const earliest = new Date(Date.parse(from) - AGE_MARGIN_SECONDS * 1000).toISOString();
  const recognised = smallestWindow(window, { from: earliest, to: now });
  return secondsBetween(from, now) <= recognised - AGE_MARGIN_SECONDS ? undefined : recognised;
}

/**
 * Returns when a record expires.
 * @param from epoch seconds from which the record counts. Its window is the one in force then.
 */
export const computeExpiry = (window: DedupeWindow, from: number): number =>
  from + windowAt(window, new Date(from * 1000).toISOString());

/** Returns when an entry begins; behind the last one, never. */
const startOfEntry = (window: readonly DedupeWindowFrom[], at: number): number =>
  Date.parse(window[at]?.from ?? '') || Number.POSITIVE_INFINITY;
