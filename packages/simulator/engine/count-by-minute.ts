const MINUTE = 60_000;
/** Milliseconds for which something is counted by the minute. */
const COUNTED_FOR = 3 * 3_600_000;

/**
 * Counts something in the minute in which it began. "The timestamp on a metric reflects when the function was invoked" (AWS Lambda
 * Developer Guide, "Types of metrics for Lambda functions").
 * @param counts by the minute, milliseconds since 1970; minutes of more than three hours ago are removed
 */
export function countByMinute(counts: Map<number, number>, began: number): void {
  const minute = Math.floor(began / MINUTE) * MINUTE;
  counts.set(minute, (counts.get(minute) ?? 0) + 1);
  const [oldest] = counts.keys();
  if (oldest !== undefined && oldest < minute - COUNTED_FOR) counts.delete(oldest);
}
