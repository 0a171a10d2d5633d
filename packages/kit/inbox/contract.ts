import type { InboxMode } from '../base/outputs.js';

/** Shared by the inbox's functions, its constructs and the operator's commands. */

/** Pauses between the attempts of a message. */
export interface BackoffSettings {
  /** `linear`: base x attempt. `exponential`: base x 2^(attempt - 1). */
  readonly kind: 'linear' | 'exponential';
  readonly baseSeconds: number;
  /** Longest pause. */
  readonly capSeconds: number;
}

/** Settings of an inbox, as the variable `INBOX` of its functions contains them (JSON). */
export interface InboxSettings {
  readonly mode: InboxMode;
  /** Attempts of a message before it fails. */
  readonly attempts: number;
  readonly backoff: BackoffSettings;
  /** Seconds for which a runner holds a message without a renewal. */
  readonly leaseSeconds: number;
  /** Stored messages that the sweeper reads at once. */
  readonly pageSize: number;
  /** Mode sequential: age of a gap that raises an alarm. */
  readonly gapAlarmSeconds?: number;
  /**
   * Mode sequential: highest epoch of any service at the deployment. A runner looks for the successor of a message in the epochs up
   * to it; the sweeper finds what is in a later one. @default 0
   */
  readonly latestEpoch?: number;
  /** Mode batch: time between the end of a window and its closing. */
  readonly graceSeconds?: number;
  /** How the receiver stores messages. @default 'plain' */
  readonly payloads?: 'plain' | 'compressed';
}

/**
 * Attribute of a stored message that asks the dispatcher to hand it to its runner at once. An insert or a change of an
 * item with this attribute passes the filter of the stream; the runner removes it.
 */
export const WAKE = 'wake';

/**
 * Seconds for which the stream alone hands out a new message. After them, the sweeper hands it out too, in case the
 * stream's record was lost.
 */
export const GRACE_SECONDS = 60;

/** Mark of the partitions of the index `due` that have the parked messages of an owner: `rewards#parked-0`. */
const PARKED_MARK = '#parked-';

/** Returns the partition of parked messages beside a partition of waiting ones. */
export const parkedPartition = (duePk: string): string => duePk.replace('#', PARKED_MARK);

/** Tells whether a partition has parked messages. */
export const isParkedPartition = (duePk: string): boolean => duePk.includes(PARKED_MARK);
