import { createHash } from 'node:crypto';
import { NotModelled } from '../../wire/operation.js';
import { Catalog } from './administration/catalog.js';
import { STREAM_OPERATIONS, TABLE_OPERATIONS } from './administration/operations.js';
import type { Restored } from './administration/table-record.js';
import { type Browsed, browse } from './browse.js';
import { compareNumbers } from './decimal.js';
import { type Hold, Holds } from './holds.js';
import { keyOf } from './keys.js';
import type { DynamoDbModelOptions } from './model-options.js';
import { batchGetItem, batchWriteItem } from './operations/batches.js';
import { Call, type ModelState } from './operations/context.js';
import { query, scan } from './operations/query.js';
import { deleteItem, getItem, putItem, updateItem } from './operations/single.js';
import { Tokens } from './operations/tokens.js';
import { listWrittenItems, transactGetItems, transactWriteItems } from './operations/transactions.js';
import { batchExecuteStatement, executeStatement, executeTransaction } from './partiql/execute.js';
import type { Table } from './table.js';
import { attributeNames, type TableResource } from './table-definition.js';
import { Throughput } from './throughput.js';
import type { CallResult, Change, Item, ItemKey, ShardPage, WireObject } from './wire.js';

export interface ShardDescription {
  readonly shardId: string;
  /** Shard whose items it took over. */
  readonly parentShardId: string | undefined;
}

/**
 * TTL ignores items that expired longer ago, because it assumes a mistake. AWS, "Using time to live (TTL) in DynamoDB".
 */
const TTL_FORGETS_SECONDS = 5 * 365 * 24 * 60 * 60;

const ITEM_OPERATIONS = {
  PutItem: putItem,
  GetItem: getItem,
  UpdateItem: updateItem,
  DeleteItem: deleteItem,
  Query: query,
  Scan: scan,
  TransactWriteItems: transactWriteItems,
  TransactGetItems: transactGetItems,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  ExecuteStatement: executeStatement,
  BatchExecuteStatement: batchExecuteStatement,
  ExecuteTransaction: executeTransaction,
} satisfies Readonly<Record<string, (call: Call, input: WireObject, tokens: Tokens) => WireObject>>;

const ADMINISTRATION = { ...TABLE_OPERATIONS, ...STREAM_OPERATIONS };

export type Operation = keyof typeof ITEM_OPERATIONS | keyof typeof ADMINISTRATION;

/** All operations; those of `DynamoDB_20120810` are the ones that aren't in {@link STREAM_OPERATIONS}. */
export const OPERATIONS = [...Object.keys(ITEM_OPERATIONS), ...Object.keys(ADMINISTRATION)] as readonly Operation[];

const isOf = <Names extends object>(operations: Names, name: PropertyKey): name is keyof Names =>
  Object.hasOwn(operations, name);

/**
 * DynamoDB in memory, for one account and region. It is deterministic: the same calls with the same options give the
 * same answers. Answers share the stored data, which is frozen.
 */
export class DynamoDbModel {
  private readonly catalog: Catalog;
  private readonly tablesByName: ReadonlyMap<string, Table>;
  private readonly holds = new Holds();
  private readonly tokens: Tokens;
  private readonly world: ModelState;
  /** Age of the state that reads of the present call see, ms. */
  private staleBy = 0;

  constructor(private readonly options: DynamoDbModelOptions) {
    const { now, random, partitions, pageItems } = options;
    this.catalog = new Catalog(options, () => this.staleBy);
    this.tablesByName = this.catalog.tables;
    this.tokens = new Tokens(now);
    this.world = {
      tables: this.tablesByName,
      holds: this.holds,
      now,
      random,
      ...(pageItems !== undefined && { pageItems }),
      ...(partitions && { throughput: new Throughput(partitions, now) }),
    };
  }

  /**
   * Creates the table of a template. Clients create theirs by the operation CreateTable; both are alike.
   * @param streamLabel of the ARN by which the template knows the table's stream @default the time of creation
   * @param restored what it was made from @default nothing
   * @throws {NotModelled} names the parts of the resource that have no model
   */
  createTable(name: string, resource: TableResource, streamLabel?: string, restored?: Restored): void {
    this.catalog.create(name, resource, streamLabel, restored);
  }

  /**
   * Carries out one request, at once and whole.
   * @param hold the request's own, so that it doesn't conflict with itself
   * @param staleBy age of the state that its eventually consistent reads see, ms, at most 5,000. @default 0
   * @throws {DynamoDbError} AWS's error for the request
   * @throws {NotModelled} if the model doesn't know AWS's answer
   */
  call(operation: Operation, input: WireObject, hold?: Hold, staleBy = 0): CallResult {
    const call = new Call(this.world, hold);
    this.staleBy = staleBy;
    const output = this.answer(call, operation, input);
    return { output, effects: call.effects() };
  }

  /**
   * Locks the items of a TransactWriteItems request until {@link release}: meanwhile, other writes and transactions on
   * them meet TransactionConflict. The request itself is then called with its hold.
   * @throws {DynamoDbError} AWS's error if the request isn't valid
   */
  hold(input: WireObject): Hold {
    const { ClientRequestToken: token } = input;
    const items = listWrittenItems(new Call(this.world, undefined), input);
    const hold = { items, ...(typeof token === 'string' && token ? { token } : {}) };
    this.holds.add(hold);
    return hold;
  }

  release(hold: Hold): void {
    this.holds.release(hold);
  }

  /** Returns the shards of a table's stream, each behind its parent; none if the template enables no stream. */
  listShards(table: string): readonly ShardDescription[] {
    const shards = this.findTable(table).stream?.shards ?? [];
    return shards.map(({ id, parent }) => ({
      shardId: id,
      parentShardId: parent,
    }));
  }

  /** Returns the records after `fromSequence` (from the oldest stored one if it is undefined), oldest first. */
  readShard(shardId: string, fromSequence: string | undefined, limit: number): ShardPage {
    for (const { stream } of this.tablesByName.values()) {
      const shard = stream?.shards.find(({ id }) => id === shardId);
      if (stream && shard) return stream.read(shard, fromSequence, limit, this.options.now());
    }
    for (const { stream } of this.catalog.streams.list()) {
      const shard = stream.shards.find(({ id }) => id === shardId);
      if (shard) return stream.read(shard, fromSequence, limit, this.options.now());
    }
    throw new NotModelled(`shard ${shardId}`);
  }

  /**
   * Deletes the items that TTL may have deleted by `nowMs`: their attribute is a number of seconds before that time.
   * TTL is late on AWS (days at times); the caller simulates this delay by the time of its call and by `nowMs`. It
   * costs no write units.
   * @returns the deleted items
   */
  expire(nowMs: number): readonly ItemKey[] {
    const seconds = nowMs / 1000;
    const deleted: ItemKey[] = [];
    for (const table of this.tablesByName.values()) {
      const { name, definition } = table;
      if (definition.ttlAttribute === undefined) continue;
      for (const item of table.items()) {
        const at = expiryOf(item, definition.ttlAttribute);
        if (at === undefined || at >= seconds || at < seconds - TTL_FORGETS_SECONDS) continue;
        const change: Change = { table: name, key: keyOf(item, definition.key), before: item };
        if (this.holds.has(change)) continue;
        table.write(change);
        table.stream?.append([change], this.options.now(), true);
        deleted.push({ table: name, key: change.key });
      }
    }
    return deleted;
  }

  /** Returns when items expire, by their tables' names: seconds since 1970, of every item that has a TTL. */
  listExpiries(): ReadonlyMap<string, readonly number[]> {
    return new Map(
      [...this.tablesByName.values()].map((table) => [
        table.name,
        table.items().flatMap((item) => expiryOf(item, table.definition.ttlAttribute) ?? []),
      ]),
    );
  }

  /**
   * Puts items into a table as they are: they were there before, so no stream has a record of it.
   * @param streamed number of the stream's records at that time: later ones get higher sequence numbers
   */
  load(table: string, items: readonly Item[], streamed: string): void {
    const stored = this.findTable(table);
    for (const item of items) stored.write({ table, key: keyOf(item, stored.definition.key), after: item });
    stored.settle();
    this.catalog.skipTo(BigInt(streamed));
  }

  /** Number of the stream records so far. */
  get streamed(): string {
    return String(this.catalog.sequence);
  }

  /** Returns a table's properties, as CreateTable takes them. */
  propertiesOf(table: string): WireObject {
    return this.catalog.find(table).record.properties;
  }

  /** Returns what a table was made from; `undefined` if it was not restored. */
  restoredFrom(table: string): Restored | undefined {
    return this.catalog.find(table).record.restored;
  }

  tables(): readonly string[] {
    return [...this.tablesByName.keys()];
  }

  /** Returns the partition key's attribute; `undefined` if there is no such table. */
  partitionKeyOf(table: string): string | undefined {
    return this.tablesByName.get(table)?.definition.key.partition;
  }

  /** Returns a table's current items, by the text of the partition key, then in order. */
  items(table: string): readonly Item[] {
    return this.findTable(table).items();
  }

  /** Returns a page of a table's current items, for people who look at it. It counts as no read. */
  browse(table: string, browsed: Browsed): readonly Item[] {
    return browse(this.findTable(table).scan(true), browsed);
  }

  /** Returns the names of a table's key attributes, and how many items it has. */
  describe(table: string): { readonly keys: readonly string[]; readonly count: number } {
    const found = this.findTable(table);
    return { keys: attributeNames(found.definition.key), count: found.scan(true).size().count };
  }

  /** Returns all items by table, for invariants. Later writes don't change the result. */
  snapshot(): ReadonlyMap<string, readonly Item[]> {
    return new Map([...this.tablesByName].map(([name, table]) => [name, table.items()]));
  }

  /** Returns a SHA-256 over all tables' items: equal for equal contents. */
  digest(): string {
    const digest = createHash('sha256');
    for (const [name, items] of [...this.snapshot()].sort(([a], [b]) => (a < b ? -1 : 1))) {
      digest.update(JSON.stringify([name, items], sortedMembers));
    }
    return digest.digest('hex');
  }

  private answer(call: Call, operation: Operation, input: WireObject): WireObject {
    if (isOf(ITEM_OPERATIONS, operation)) return ITEM_OPERATIONS[operation](call, input, this.tokens);
    if (isOf(ADMINISTRATION, operation)) return ADMINISTRATION[operation](this.catalog, input);
    throw new NotModelled(`operation ${String(operation)}`);
  }

  private findTable(name: string): Table {
    const table = this.tablesByName.get(name);
    if (!table) throw new NotModelled(`table ${name} was not created`);
    return table;
  }
}

const sortedMembers = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Returns when TTL deletes an item, seconds since 1970; `undefined` if its attribute is no number from 0 on. */
function expiryOf(item: Item, ttlAttribute: string | undefined): number | undefined {
  const value = ttlAttribute === undefined ? undefined : item[ttlAttribute];
  return value && 'N' in value && compareNumbers(value.N, '0') >= 0 ? Number(value.N) : undefined;
}
