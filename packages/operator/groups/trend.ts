import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';

/** Number of hours of a trend. */
export const TREND_HOURS = 24;
const HOUR_SECONDS = 3_600;

/**
 * Counts times by the hour, the oldest hour first; the last one ends now. Older times are in none.
 * @param now ISO 8601, UTC
 */
export function countByHour(times: readonly string[], now: string): readonly number[] {
  const counts = Array<number>(TREND_HOURS).fill(0);
  for (const at of times) {
    // What the clock of another machine has put into the future belongs to the last hour.
    const hoursAgo = Math.max(0, Math.floor(secondsBetween(at, now) / HOUR_SECONDS));
    const bucket = TREND_HOURS - 1 - hoursAgo;
    if (counts[bucket] !== undefined) counts[bucket]++;
  }
  return counts;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Draws counts as one character each: an empty hour is a dot, and the largest count has the full height. */
export function sparkline(counts: readonly number[]): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? '·' : BARS[Math.ceil((count / most) * BARS.length) - 1])).join('');
}
