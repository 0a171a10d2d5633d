/** Names that the construct of the auditor and its function share. */

/** Beginning of the partition keys of the auditor's table. */
export const AUDIT_KEYS = 'audit#';

/** Partition keys of the auditor's table. */
export const AuditKey = {
  /** The lease of the runner. */
  LEASE: 'audit#lease',
  /** For each service, how far its feed has been audited. */
  WATERMARKS: 'audit#watermarks',
  /** Deliveries that were sent again, until they have ended. */
  RESENT: 'audit#resent',
} as const;

/** Environment variables of the auditor's function. */
export const AuditorEnv = {
  TABLE: 'AUDIT_TABLE_NAME',
  /** Names of the stacks whose outputs describe the services, as JSON. */
  STACKS: 'AUDITED_STACKS',
  /** Seconds that a message has for its way before the auditor judges it. */
  BEHIND_SECONDS: 'AUDIT_BEHIND_SECONDS',
  /** Most deliveries that one run sends again. */
  RESENDS: 'AUDIT_RESENDS',
  /** Most pages of commits, and most empty partitions of a feed, that one run reads. */
  PAGES: 'AUDIT_PAGES',
  /** Most commits that are judged at once. */
  PAGE_SIZE: 'AUDIT_PAGE_SIZE',
} as const;

/** Metrics of the auditor. */
export const AuditorMetric = {
  /** Deliveries that were missing, each when it is found; and commits that can't be read. */
  MISSING: 'DeliveriesMissing',
  /** Seconds between now and the time up to which every delivery of every service is judged. */
  LAG: 'AuditLag',
  /** Seconds for which the consumer is paused that an operator has paused first; 0 if none is. */
  PAUSED: 'ConsumerPaused',
} as const;
