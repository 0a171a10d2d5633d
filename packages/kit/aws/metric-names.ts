/**
 * Metrics that the kit's functions count. Each is on a dashboard or has an alarm, so its name is declared once.
 *
 * A service declares its own metrics in its `metrics.ts`.
 */
export const Metric = {
  DUPLICATES_SUPPRESSED: 'DuplicatesSuppressed',
  EVENTS_PUBLISHED: 'EventsPublished',
  /** Events that the bus refused, or did not take in time. They are sent again. */
  EVENTS_UNSENT: 'EventsUnsent',
  PUBLISH_FAILURES: 'PublishFailures',
  CONSUMER_FAILURES: 'ConsumerFailures',
  TRANSIENT_FAILURES: 'TransientFailures',
  PROCESSING_AGE: 'ProcessingAge',
  TIMER_LATENESS: 'TimerLateness',
  SAGAS_STUCK: 'SagasStuck',
  /** Gauges of an inbox, by service and consumer. */
  INBOX_PENDING: 'InboxPending',
  INBOX_OLDEST_PENDING: 'InboxOldestPending',
  INBOX_FAILED: 'InboxFailed',
  INBOX_PARKED: 'InboxParked',
  /** Seconds for which a predecessor of a parked message has been missing. */
  INBOX_GAP_AGE: 'InboxGapAge',
} as const;
