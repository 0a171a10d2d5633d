import { Duration } from 'aws-cdk-lib';
import type { Severity } from './alarm-routes.js';

/** Alarm that all parts of one kind in a service share. */
interface SharedAlarmKind {
  /** One sentence that says what happened. */
  readonly means: string;
  readonly severity: Severity;
  /** How the parts' metrics become one: the largest, or their sum. */
  readonly combine: 'MAX' | 'SUM';
  /** Smallest value that raises the alarm. */
  readonly threshold: number;
  /** Number of consecutive periods. */
  readonly periods: number;
  readonly period: Duration;
}

const ONE_MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

/** The shared alarms by their headings in the runbook. */
export const SHARED_ALARMS = {
  /** Errors of functions that nobody waits for. A single crash is retried, so it raises no alarm. */
  FunctionFailing: {
    means:
      'a function ends with an error in each of three minutes: a consumer, a runner, a sweeper or a dispatcher crashes, and its messages are delivered again.',
    severity: 'page',
    combine: 'MAX',
    threshold: 1,
    periods: 3,
    period: ONE_MINUTE,
  },
  /** Ages in seconds: of queues, of stored messages, and of timers by `TIMERS_SCALE`. */
  QueueBehind: {
    means: 'a message has waited for over an hour, or a timer is over 10 minutes late.',
    severity: 'page',
    combine: 'MAX',
    threshold: Duration.hours(1).toSeconds(),
    periods: 1,
    period: FIVE_MINUTES,
  },
  /** Ages of records of a stream, by `STREAM_SCALE`, and errors of its reader. */
  RelayBehind: {
    means: 'commits wait for longer than 5 minutes before they are published, or the relay fails as a whole.',
    severity: 'page',
    combine: 'MAX',
    threshold: 1,
    periods: 3,
    period: ONE_MINUTE,
  },
  LaneBehind: {
    means: "requests wait in a lane for longer than 5 minutes before they are decided, or the lane's writer fails.",
    severity: 'page',
    combine: 'MAX',
    threshold: 1,
    periods: 3,
    period: ONE_MINUTE,
  },
  FailureRecorded: {
    means:
      'a message could not be processed, or a commit could not be published, and became a failure record, which waits for an operator.',
    severity: 'ticket',
    combine: 'SUM',
    threshold: 1,
    periods: 1,
    period: FIVE_MINUTES,
  },
  BatchLost: {
    means:
      'a batch of the stream, or the notice of one, was given up and could not be kept: it may be in no list of failures.',
    severity: 'page',
    combine: 'SUM',
    threshold: 1,
    periods: 1,
    period: FIVE_MINUTES,
  },
  DeadLettersNotDrained: {
    means: 'messages in a dead-letter queue are not turned into failure records.',
    severity: 'ticket',
    combine: 'MAX',
    threshold: 1,
    periods: 2,
    period: FIVE_MINUTES,
  },
} as const satisfies Record<string, SharedAlarmKind>;

export type SharedAlarm = keyof typeof SHARED_ALARMS;

/** Makes a timer that is 10 minutes late as bad as a message that has waited for an hour. */
export const TIMERS_SCALE = ' * 6';
/** Makes records of a stream that are 5 minutes old (its ages are in milliseconds) as bad as one error. */
export const STREAM_SCALE = ` / ${Duration.minutes(5).toMilliseconds()}`;
