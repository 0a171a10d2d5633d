import { type AttemptCounts, countAttempts, describeAttempts, type FoundAttempts } from '@orderly/operator';
import type { EventReport } from './deliveries.js';

/** Number of attempts at the messages that are shown, or why they are not known. */
export interface AttemptSummary extends AttemptCounts {
  /** Why the logs could not be read. */
  readonly unread?: string;
  /** Whether the logs have more lines than one answer has. */
  readonly isPartial?: boolean;
}

/** Counts the attempts at some messages. @returns `undefined` if the logs were not asked */
export function summarizeAttempts(
  found: FoundAttempts | undefined,
  events: readonly EventReport[],
): AttemptSummary | undefined {
  if (!found) return undefined;
  const { unread, isPartial } = found;
  const tries = events.flatMap(({ deliveries }) => deliveries.map((one) => one.tries ?? []));
  return { ...countAttempts(tries), ...(unread !== undefined && { unread }), ...(isPartial === true && { isPartial }) };
}

/** Says in a line how often messages came, and what became of it. @param doneTwice number of effects that were found twice */
export function describeSummary(summary: AttemptSummary, doneTwice: number): string {
  const { unread, isPartial, delivered } = summary;
  if (unread !== undefined) return `attempts are not shown, since the logs can't be read (${unread})`;
  if (delivered === 0) return 'the logs have no attempt any more, or not yet: they are a few seconds late';
  return `${describeAttempts(summary, doneTwice)}${isPartial ? ' (of the first 10,000 log lines)' : ''}`;
}
