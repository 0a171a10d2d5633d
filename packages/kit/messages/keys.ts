/** Returns the beginning of the partition keys of an aggregate type's items: `Order#`. */
export const aggregateKeyPrefix = (aggregate: string): string => `${aggregate}#`;

/** Returns the partition key of an aggregate: `Order#3f...`. */
export const aggregateKey = (aggregate: string, id: string): string => aggregateKeyPrefix(aggregate) + id;

/** Prefix of the sort keys of commits. The relay's stream filter matches it. */
export const COMMIT_PREFIX = 'COMMIT#';

/** Largest epoch of a service: the ordinal of an event in it is still a safe integer (`position.ts`). */
export const MAX_EPOCH = 900_000;
