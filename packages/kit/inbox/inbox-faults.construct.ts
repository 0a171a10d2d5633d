import { Duration } from 'aws-cdk-lib';
import type { BackoffSettings } from './contract.js';

/** Retries of an inbox, as its service or an environment sets them. */
export interface InboxRetries {
  readonly attempts: number;
  readonly backoff: BackoffSettings;
  readonly pageSize: number;
  readonly sweepEvery: Duration;
}

/** Stored messages that the sweeper reads at once: DynamoDB returns 100 items of one BatchGetItem. */
export const LARGEST_SWEEP = 100;
/** Messages of a page in mode batch: their records and the page's effect commit in one transaction of 100 items. */
export const LARGEST_PAGE = 50;
/** Longest time between two sweeps: a gap and a waiting message are measured by sweeps, and their alarms look every 5 minutes. */
const RAREST_SWEEP_MINUTES = 5;

/**
 * Returns the faults of the retries of an inbox: settings that no queue and no schedule keeps.
 * @param largestPage `LARGEST_PAGE` in mode batch, `LARGEST_SWEEP` otherwise
 */
export function inboxFaults(
  { attempts, backoff: { baseSeconds, capSeconds }, pageSize, sweepEvery }: InboxRetries,
  largestPage: number,
): readonly string[] {
  return [
    ...(isFrom1(attempts) ? [] : [`attempts is ${attempts}: expected a whole number of at least 1`]),
    ...(isFrom1(baseSeconds)
      ? []
      : [`base of the backoff is ${baseSeconds} s: expected whole seconds, at least 1, as a queue delays messages`]),
    ...(Number.isSafeInteger(capSeconds) && capSeconds >= baseSeconds
      ? []
      : [`cap of the backoff is ${capSeconds} s: expected whole seconds, at least the base of ${baseSeconds}`]),
    ...(isFrom1(pageSize) && pageSize <= largestPage ? [] : [`pageSize is ${pageSize}: expected 1 to ${largestPage}`]),
    ...(isSweepRate(sweepEvery)
      ? []
      : [
          `sweepEvery is ${sweepEvery.toSeconds({ integral: false })} s: expected 1 to ${RAREST_SWEEP_MINUTES} whole minutes. No schedule is shorter, and pauses of up to 15 minutes don't wait for a sweep`,
        ]),
  ];
}

/** Returns the time between two sweeps, or one that CDK renders: synth continues and reports all faults. */
export const sweepRateOf = (sweepEvery: Duration): Duration =>
  isSweepRate(sweepEvery) ? sweepEvery : Duration.minutes(1);

function isSweepRate(sweepEvery: Duration): boolean {
  const minutes = sweepEvery.toMinutes({ integral: false });
  return isFrom1(minutes) && minutes <= RAREST_SWEEP_MINUTES;
}

const isFrom1 = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
