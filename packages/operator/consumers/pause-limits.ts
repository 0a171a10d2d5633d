/** Times of a pause after which an alarm is on, in seconds. The alarms and a status agree. */
export const PAUSE_LIMITS = {
  /** Somebody may have forgotten it: a ticket. */
  forgotten: 24 * 3_600,
  /** Its fifth day begins. The queues of the kit keep a message for seven days, so the oldest one has three left: a page. */
  urgent: 4 * 86_400,
} as const;
