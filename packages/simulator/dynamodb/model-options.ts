export interface DynamoDbModelOptions {
  /** Virtual time, epoch ms. */
  readonly now: () => number;
  /** Seeded, in [0, 1). */
  readonly random: () => number;
  /**
   * How long a write takes to show in a global secondary index, ms; asked once per changed index entry.
   * @default 5 to 100 ms, one in fifty up to 5 s
   */
  readonly indexDelay?: (random: () => number) => number;
  /**
   * How far an eventually consistent read of a table (a scan excepted) lies back, ms, at most 5,000; asked once per read.
   * @default 0: such a read sees the newest state, as it does most of the time on AWS
   */
  readonly readLag?: (random: () => number) => number;
  /**
   * How long a write takes to show in the stream, ms; order within a shard is kept.
   * @default 0
   */
  readonly streamDelay?: (random: () => number) => number;
  /** @default 4 */
  readonly shardsPerStream?: number;
  /** @default 'eu-west-1' */
  readonly region?: string;
}
