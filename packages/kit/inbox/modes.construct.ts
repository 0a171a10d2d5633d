import { Duration } from 'aws-cdk-lib';
import type { InboxMode } from '../base/outputs.js';
import type { BackoffSettings } from './contract.js';

/** How the messages of an inbox depend on each other. */
export interface Mode {
  readonly mode: InboxMode;
  /** Mode sequential: age of a gap that raises an alarm, in seconds. */
  readonly gapAlarmSeconds?: number;
  /** Mode batch: time between the end of a window and its closing, in seconds. */
  readonly graceSeconds?: number;
}

/** Mode in which each message stands alone: any order, in parallel. */
export const single = (): Mode => ({ mode: 'single' });

export interface SequentialProps {
  /**
   * Age of a gap that raises an alarm: a message is parked, and its predecessor has not arrived for so long.
   * @default Duration.minutes(15)
   */
  readonly gapAlarmAfter?: Duration;
}

/**
 * Mode in which the messages of each subject are processed strictly by their sequence. The inbox must subscribe to all
 * events of its publisher, because each of them takes a place in the sequence.
 */
export const sequential = ({ gapAlarmAfter = Duration.minutes(15) }: SequentialProps = {}): Mode => ({
  mode: 'sequential',
  gapAlarmSeconds: gapAlarmAfter.toSeconds(),
});

export interface BatchProps {
  /**
   * Time between the end of a window and its closing, in which its last messages arrive. Later ones go to the next window.
   * @default Duration.minutes(15)
   */
  readonly closeAfter?: Duration;
}

/**
 * Mode in which the messages of a window of time are processed together, in pages, after the window has closed. The handler
 * is made by `batchInbox`, which names the windows.
 */
export const batch = ({ closeAfter = Duration.minutes(15) }: BatchProps = {}): Mode => ({
  mode: 'batch',
  graceSeconds: closeAfter.toSeconds(),
});

export interface BackoffProps {
  readonly base: Duration;
  /** Longest pause. */
  readonly cap: Duration;
}

/** Pauses of base x attempt, at most the cap. */
export const linearBackoff = ({ base, cap }: BackoffProps): BackoffSettings => backoff('linear', base, cap);

/** Pauses that double from the base to the cap. */
export const exponentialBackoff = ({ base, cap }: BackoffProps): BackoffSettings => backoff('exponential', base, cap);

const backoff = (kind: BackoffSettings['kind'], base: Duration, cap: Duration): BackoffSettings => ({
  kind,
  // A fraction is refused by the inbox, with the other faults.
  baseSeconds: base.toSeconds({ integral: false }),
  capSeconds: cap.toSeconds({ integral: false }),
});

/** 30 s, 1 min, 2 min ... 1 h: 15 attempts take about 9 hours. */
export const DEFAULT_BACKOFF = exponentialBackoff({ base: Duration.seconds(30), cap: Duration.hours(1) });
