/** Shared by the functions of a lane, their permissions and the filter of the stream. */

/** Contention that leads messages into a lane. */
export interface HotKeySettings {
  /** Keys that always take the lane. */
  readonly always: readonly string[];
  /**
   * Number of conflicts for a key within one second from which on it takes the lane. A lane that loads nothing counts the
   * lost races of one function instance. In a lane that loads, a key that was changed less than 1/n s ago is hot, and so is
   * one that several messages of a batch share, or for which a message has lost a race; above 1000, none of these counts.
   */
  readonly conflictsPerSecond: number;
}

/** Prefix of the partition keys of a service's lanes. */
const LANES = 'LANE#';

/** Prefix of the sort keys of requests. The stream's filter matches it. */
export const REQUEST_PREFIX = 'REQUEST#';

/** Returns the prefix of the partition keys of a lane's requests. @param lane name of the lane */
export const lanePrefix = (lane: string): string => `${LANES}${lane}#`;

/**
 * Returns the partition key of the requests of one key. The items of one partition key are usually in one shard of the
 * stream, which has one writer at a time. AWS, "Best practices for designing and using partition keys effectively" (adaptive
 * capacity): DynamoDB may divide them among several partitions by their sort key. Then two writers can decide requests of one
 * key at once, and their transactions' conditions keep that right, as with plain transactions.
 */
export const laneKey = (lane: string, key: string): string => lanePrefix(lane) + key;

/** Tells by its sort key whether an item is a request of a lane. */
export const isRequest = (sk: string | undefined): boolean => sk?.startsWith(REQUEST_PREFIX) ?? false;
