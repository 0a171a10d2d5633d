/**
 * Number of shards that one owner has in the index. Each sweep queries all of them.
 *
 * One shard takes about 1,000 writes a second. A timer makes two writes: one when it is set and one when it is cleared.
 * You may raise this number: timers in shards that an older sweeper does not query wait for the new sweeper. Never
 * lower it: timers in the shards above the new number would wait for ever.
 */
export const DUE_SHARDS = 4;

/** Prefix of the keys of leases. */
export const LEASES = 'lease#';

/**
 * Returns the key of a partition of the index. It begins with the owner's name, because a sweeper's permissions are
 * limited to keys that begin so.
 */
export const duePartition = (owner: string, shard: number): string => `${owner}#${shard}`;

/** Body of a message in the queue of a runner: the key of a record. The record itself has the rest. */
export interface Dispatch {
  readonly record: string;
  /** Fencing token of the runner that put the message off and sent this. Absent from the stream and the sweeper. */
  readonly fence?: number;
}

export const toDispatchBody = (handOut: Dispatch): string => JSON.stringify(handOut satisfies Dispatch);
