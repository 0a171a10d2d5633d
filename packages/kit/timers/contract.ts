/** Index of what waits for its moment: by owner and shard, then by when it is due; a record without `duePk` isn't in it. */
export const DUE_INDEX = 'due';

/**
 * Shards of one owner in that index; each sweep asks every one. One takes about 1,000 writes a second, of which a timer
 * makes two: set and cleared. May be raised: what an older sweeper doesn't see waits for the new one. Never lowered: what
 * lies in the shards above would wait for ever.
 */
export const DUE_SHARDS = 4;

/** Keys of leases begin with this. */
export const LEASES = 'lease#';

/** A partition of the index. Its keys begin with the owner's name, which a sweeper's rights end with. */
export const duePartition = (owner: string, shard: number): string => `${owner}#${shard}`;
