import {
  exponentialBackoff,
  findInboxFaults,
  type InboxOptions,
  MAX_PAGE_SIZE,
  SettingsError,
} from '@orderly/kit/constructs';
import type { Duration } from 'aws-cdk-lib';

/** Retries of stored messages, in every inbox of the app: orders' reviews, reports' days, rewards' accounts. */
export interface InboxSettings {
  /** Attempts of a message before it fails and waits for an operator. */
  readonly attempts: number;
  /**
   * Pause after the first failed attempt. It doubles with each one up to `cap`. Pauses of up to 15 minutes are kept to the
   * second, longer ones to `sweepEvery`.
   */
  readonly base: Duration;
  readonly cap: Duration;
  /** Stored messages that a sweep reads at once, and events of a report's page: 1 to 50. A day keeps the size that it opened with. */
  readonly pageSize: number;
  /** Time between two sweeps, 1 to 5 whole minutes. They hand out what a crash or a lost message has left behind. */
  readonly sweepEvery: Duration;
}

/** Returns the props of an inbox that these settings give it. */
export const toInboxOptions = ({ attempts, base, cap, pageSize, sweepEvery }: InboxSettings) =>
  ({ attempts, backoff: exponentialBackoff({ base, cap }), pageSize, sweepEvery }) satisfies InboxOptions;

/**
 * Checks the retries of inboxes.
 * @throws {SettingsError} naming each setting that no queue and no schedule keeps
 */
export function checkInboxes(environment: string, inboxes: InboxSettings): void {
  const faults = findInboxFaults(toInboxOptions(inboxes), MAX_PAGE_SIZE);
  if (faults.length > 0) throw new SettingsError(`inboxes of '${environment}': ${faults.join('; ')}`);
}
