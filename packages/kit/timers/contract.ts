/** Name of the index of timers, by owner and shard, then by due time. A record without `duePk` is not in the index. */
export const DUE_INDEX = 'due';

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
