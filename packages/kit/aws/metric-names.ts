/**
 * Metrics that the kit's functions count. Each is on a dashboard or has an alarm, so its name is declared once.
 *
 * A service declares its own metrics in its `metrics.ts`.
 */
export const Metric = {
  DUPLICATES_SUPPRESSED: 'DuplicatesSuppressed',
  /** Events that the bus refused, or did not take in time. They are sent again. */
  EVENTS_UNSENT: 'EventsUnsent',
  PUBLISH_FAILURES: 'PublishFailures',
  CONSUMER_FAILURES: 'ConsumerFailures',
  TRANSIENT_FAILURES: 'TransientFailures',
  /** Made by a metric filter of the lines' {@link AGE_FIELD}; no function counts it. */
  PROCESSING_AGE: 'ProcessingAge',
  TIMER_LATENESS: 'TimerLateness',
  SAGAS_STUCK: 'SagasStuck',
  /** Requests that a fault of the code or its environment ended: answers with the code `internal`. */
  REQUEST_FAULTS: 'RequestFaults',
} as const;

/** Field of a message's log line: seconds from the message's time until it was handled. */
export const AGE_FIELD = 'age';

/** Gauges of an inbox, by service and consumer. */
export const InboxMetric = {
  PENDING: 'InboxPending',
  OLDEST_PENDING: 'InboxOldestPending',
  FAILED: 'InboxFailed',
  PARKED: 'InboxParked',
  /** Seconds for which a predecessor of a parked message has been missing. */
  GAP_AGE: 'InboxGapAge',
} as const;
