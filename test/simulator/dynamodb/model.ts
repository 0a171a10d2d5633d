import type { CallResult, Item, ItemKey, Operation, ShardPage, WireObject } from './wire.js';

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
   * How far an eventually consistent read of a table lies back, ms (at most 5,000); asked once per read.
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

/** A resource of a template with its intrinsic functions resolved. */
export interface TableResource {
  readonly Type: string;
  readonly Properties: WireObject;
}

/** Items that an unfinished transaction has locked. */
export interface Hold {
  readonly items: readonly ItemKey[];
  /** Of a TransactWriteItems: the same token meets TransactionInProgressException meanwhile. */
  readonly token?: string;
}

export interface ShardDescription {
  readonly shardId: string;
  readonly startingSequenceNumber: string;
}

/** DynamoDB in memory, for one account and region. Deterministic: the same calls with the same options, the same answers. */
export class DynamoDbModel {
  constructor(readonly options: DynamoDbModelOptions) {}

  /** @throws {NotModelled} naming a property whose behaviour isn't modelled */
  createTable(_name: string, _resource: TableResource): void {
    throw new Error('to come');
  }

  /**
   * Carries out one request, at once and whole.
   * @param hold the request's own, so that it doesn't meet itself
   * @throws {DynamoDbError} what AWS would answer
   * @throws {NotModelled} where the model doesn't know
   */
  call(_operation: Operation, _input: WireObject, _hold?: Hold): CallResult {
    throw new Error('to come');
  }

  /** The items that a request names: what a transaction locks, what an IAM condition on leading keys looks at. */
  itemsOf(_operation: Operation, _input: WireObject): readonly ItemKey[] {
    throw new Error('to come');
  }

  /**
   * Locks the items of a request (a TransactWriteItems or, to meet a TransactGetItems, any write) until `release`:
   * other writes and transactions on them meet TransactionConflict. The request itself is called with its hold.
   */
  hold(_operation: Operation, _input: WireObject): Hold {
    throw new Error('to come');
  }

  release(_hold: Hold): void {
    throw new Error('to come');
  }

  /** Shards of a table's stream; none where the template switches no stream on. */
  shardsOf(_table: string): readonly ShardDescription[] {
    throw new Error('to come');
  }

  /** Records after `fromSequence` (from the oldest kept one where it is undefined), oldest first. */
  readShard(_shardId: string, _fromSequence: string | undefined, _limit: number): ShardPage {
    throw new Error('to come');
  }

  /**
   * Deletes what TTL may have deleted by now: items of tables with TTL whose attribute is a number of seconds before
   * `nowMs`. TTL is late on AWS (days at times): that is the caller's, by when it calls and with which time.
   */
  expire(_nowMs: number): readonly ItemKey[] {
    throw new Error('to come');
  }

  tables(): readonly string[] {
    throw new Error('to come');
  }

  /** A table's items now, ordered by key. */
  items(_table: string): readonly Item[] {
    throw new Error('to come');
  }

  /** All items by table: what invariants look at. Cheap; later writes don't show in it. */
  snapshot(): ReadonlyMap<string, readonly Item[]> {
    throw new Error('to come');
  }

  /** SHA-256 over all tables' items, for comparing two runs. */
  digest(): string {
    throw new Error('to come');
  }
}
