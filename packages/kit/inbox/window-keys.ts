import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';

/** Beginning of the message id of a window: its record is one of the inbox's records, which a runner takes. */
const WINDOW = 'WINDOW#';

/** Returns the message id of a window. */
export const windowMessageId = (window: string): string => WINDOW + window;

/** Tells whether a message id is that of a window. */
export const isWindowMessageId = (messageId: string): boolean => messageId.startsWith(WINDOW);

/** Returns the key of the record of a window. */
export const windowKey = (consumer: ConsumerIdentity, window: string): string =>
  recordKey(consumer, windowMessageId(window));

/** Returns the key of a page of a window: the keys of its messages. @param page from 1 */
export const pageKey = (consumer: ConsumerIdentity, window: string, page: number): string =>
  `${windowKey(consumer, window)}#PAGE#${String(page).padStart(6, '0')}`;

/** Returns the key of the calendar of an inbox: which window closes next, and how many have closed. */
export const calendarKey = (consumer: ConsumerIdentity): string => recordKey(consumer, 'CALENDAR');
