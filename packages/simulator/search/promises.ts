/** Promises that every app of messages makes, in words for people. */
export const PROMISES = {
  answers: 'each request is answered as without faults',
  losses: 'no message is lost silently',
  sent: 'each event and message is sent as without faults',
  queues: 'each queue is emptied, or its dead-letter queue has the message',
  tables: 'the tables end as without faults',
  repeats: 'the same request twice leaves the same tables',
} as const;

/** Differences that a violation names. */
const NAMED = 4;

/** Returns a text of the first differences, and the number of the others. */
export const shorten = (found: readonly string[]): string =>
  [...found.slice(0, NAMED), ...(found.length > NAMED ? [`and ${found.length - NAMED} more`] : [])].join('\n');
