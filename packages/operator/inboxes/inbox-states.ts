/** States of a stored message that has not ended. */
export const INBOX_STATES = ['waiting', 'running', 'paused', 'parked', 'failed'] as const;
export type InboxState = (typeof INBOX_STATES)[number];
