/** Shared by the functions that write records of messages, their permissions, and the operator's command line. */

/** Name under which the relay keeps failure records. No consumer may have this name. */
export const RELAY = 'relay';

/** Returns the prefix of the keys of a consumer's records, of all its generations: `orders-saga@`. */
export const recordsPrefix = (consumer: string): string => `${consumer}@`;
