/** Shared by the functions that write records of messages, their permissions, and the operator's command line. */

/** Name under which the relay keeps failure records. No consumer may have this name. */
export const RELAY = 'relay';

/** Name of the index of failures, by consumer, then by time. A record without `failedConsumer` is not in the index. */
export const FAILED_INDEX = 'failed';

/** Returns the prefix of the keys of a consumer's records, of all its generations: `orders-saga@`. */
export const recordsOf = (consumer: string): string => `${consumer}@`;
