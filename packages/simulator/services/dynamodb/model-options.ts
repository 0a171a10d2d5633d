import type { ShardChange } from './stream.js';
import type { PartitionLimits } from './throughput.js';

export interface DynamoDbModelOptions {
  /** Returns the virtual time, epoch ms. */
  readonly now: () => number;
  /** Returns seeded random numbers in [0, 1). */
  readonly random: () => number;
  /**
   * Returns the time until a write is visible in a global secondary index, ms; called once per changed index entry.
   * @default 5 to 100 ms, one in fifty up to 5 s
   */
  readonly indexDelay?: (random: () => number) => number;
  /** Units that each partition takes in a second. @default any number */
  readonly partitions?: PartitionLimits | undefined;
  /** Number of shards with which a stream begins. @default 4 */
  readonly shardsPerStream?: number;
  /**
   * Returns whether and how a shard ends before a record; called once per record.
   * @param age of the shard, ms
   * @default no shard ends
   */
  readonly shardChange?: (age: number) => ShardChange | undefined;
  /**
   * Number of items after which a page of Query or Scan ends, and after which BatchGetItem leaves keys unprocessed, as if the
   * items were so large that the limits in bytes were reached.
   * @default only the limits in bytes: 1 MB, and 16 MB
   */
  readonly pageItems?: number | undefined;
  /** @default 'eu-west-1' */
  readonly region?: string;
  /** Account in ARNs. @default '123456789012' */
  readonly account?: string;
}
