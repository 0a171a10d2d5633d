import type { Item } from '../aws/dynamodb.js';
import { SafeError } from '../aws/safe-error.js';
import { PENDING } from '../failures/delivery.js';
import { type FailureReason, toFailureReason } from '../failures/failure-reasons.js';
import { MAX_REASONS } from '../failures/failure-records.js';
import { readStoredPayload } from '../failures/stored-payload.js';

/**
 * Seconds after the end of a lease or a pause after which the sweeper hands the message out. Until then the clocks of two
 * functions agree that it is over, and a delayed hand-out has arrived.
 */
const SWEEP_MARGIN_SECONDS = 5;

/** A stored message that a runner holds. */
export interface ClaimedMessage {
  readonly pk: string;
  readonly messageId: string;
  /** Message group of its hand-outs. */
  readonly group: string;
  /** Returns the message as the queue delivered it. @throws {UnknownForm} if a newer release has stored it */
  readonly payload: () => string;
  /** Fencing token: each runner that takes the message gets a higher one. */
  readonly fence: number;
  /** Number of attempts, this one included. */
  readonly attempts: number;
  /** Progress that an earlier attempt saved. */
  readonly progress: unknown;
  /** Id of the save that stored the progress. It is absent without one. */
  readonly progressId: string | undefined;
  readonly failures: readonly FailureReason[];
}

/**
 * Error for a runner that does not hold its message any more: its lease ended and another runner took the message, or
 * an operator ended it. It can commit nothing.
 */
export class LeaseLost extends SafeError {
  override readonly name = 'LeaseLost';
}

/** Progress to be saved. */
export interface ProgressSave {
  readonly progress: unknown;
  /** Identifies the save, however often it is sent. */
  readonly id: string;
  /** Id of the save before it, if there is one. */
  readonly follows: string | undefined;
  /** Whether the progress differs from the one before. Then attempts are counted from this one on. */
  readonly isNew: boolean;
}

/** A conditional change of one record. */
export interface ConditionalUpdate {
  readonly set?: Item;
  readonly remove?: readonly string[];
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** Condition of each write of a runner: the message waits, and no other runner took it later. */
export const leaseCondition = ({
  fence,
}: Pick<ClaimedMessage, 'fence'>): Pick<ConditionalUpdate, 'condition' | 'names' | 'values'> => ({
  condition: '#status = :pending AND fence = :fence',
  names: { '#status': 'status' },
  values: { ':pending': PENDING, ':fence': fence },
});

/** Tells whether the runner that took a message still holds it. @param found the record as it is now */
export const isHeldBy = (found: Item | undefined, { fence }: Pick<ClaimedMessage, 'fence'>): boolean =>
  found?.status === PENDING && found.fence === fence;

export const addSeconds = (time: string, seconds: number): string =>
  new Date(Date.parse(time) + seconds * 1000).toISOString();

/** Returns the time at which the sweeper hands out a message that nobody takes before `until`. */
export const sweepTime = (until: string): string => addSeconds(until, SWEEP_MARGIN_SECONDS);

/** Returns the attributes of a message that nobody takes before a time, and that the sweeper hands out after it. */
export const leaseAttributes = (until: string) => ({ heldUntil: until, executeAt: sweepTime(until) });

/** Returns the newest failures of a message, a new one first. */
export const prependReason = ({ failures }: ClaimedMessage, error: unknown, at: string): readonly FailureReason[] =>
  [toFailureReason(error, at), ...failures].slice(0, MAX_REASONS);

/** Reads the record of a message that was claimed. */
export const toClaimedMessage = (item: Item): ClaimedMessage => ({
  pk: String(item.pk),
  messageId: String(item.messageId),
  group: String(item.group ?? ''),
  payload: () => readStoredPayload(item) ?? '',
  fence: Number(item.fence),
  attempts: Number(item.attempts),
  progress: item.progress,
  progressId: item.progressId as string | undefined,
  failures: (item.failures ?? []) as readonly FailureReason[],
});
