import { Duration } from 'aws-cdk-lib';
import type { BackoffSettings, InboxMode } from './contract.js';

/** How the messages of an inbox depend on each other. */
export interface Mode {
  readonly mode: InboxMode;
}

/** Mode in which each message stands alone: any order, in parallel. */
export const single = (): Mode => ({ mode: 'single' });

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
  baseSeconds: base.toSeconds(),
  capSeconds: cap.toSeconds(),
});

/** 30 s, 1 min, 2 min ... 1 h: 15 attempts take about 9 hours. */
export const DEFAULT_BACKOFF = exponentialBackoff({ base: Duration.seconds(30), cap: Duration.hours(1) });
