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
export const MAX_SWEEP_PAGE_SIZE = 100;
/** Messages of a page in mode batch: their records and the page's effect commit in one transaction of 100 items. */
export const MAX_PAGE_SIZE = 50;
/** Longest time between two sweeps: a gap and a waiting message are measured by sweeps, and their alarms look every 5 minutes. */
const MAX_SWEEP_MINUTES = 5;

/**
 * Returns the faults of the retries of an inbox: settings that no queue and no schedule keeps.
 * @param maxPageSize `MAX_PAGE_SIZE` in mode batch, `MAX_SWEEP_PAGE_SIZE` otherwise
 */
export function findInboxFaults(
  { attempts, backoff: { baseSeconds, capSeconds }, pageSize, sweepEvery }: InboxRetries,
  maxPageSize: number,
): readonly string[] {
  return [
    ...(isPositiveInteger(attempts) ? [] : [`attempts is ${attempts}: expected a whole number of at least 1`]),
    ...(isPositiveInteger(baseSeconds)
      ? []
      : [`base of the backoff is ${baseSeconds} s: expected whole seconds, at least 1, as a queue delays messages`]),
    ...(Number.isSafeInteger(capSeconds) && capSeconds >= baseSeconds
      ? []
      : [`cap of the backoff is ${capSeconds} s: expected whole seconds, at least the base of ${baseSeconds}`]),
    ...(isPositiveInteger(pageSize) && pageSize <= maxPageSize
      ? []
      : [`pageSize is ${pageSize}: expected 1 to ${maxPageSize}`]),
    ...(isSweepRate(sweepEvery)
      ? []
      : [
          `sweepEvery is ${sweepEvery.toSeconds({ integral: false })} s: expected 1 to ${MAX_SWEEP_MINUTES} whole minutes. No schedule is shorter, and pauses of up to 15 minutes don't wait for a sweep`,
        ]),
  ];
}

/** Returns the time between two sweeps, or one that CDK renders: synth continues and reports all faults. */
export const clampSweepRate = (sweepEvery: Duration): Duration =>
  isSweepRate(sweepEvery) ? sweepEvery : Duration.minutes(1);

function isSweepRate(sweepEvery: Duration): boolean {
  const minutes = sweepEvery.toMinutes({ integral: false });
  return isPositiveInteger(minutes) && minutes <= MAX_SWEEP_MINUTES;
}

const isPositiveInteger = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
