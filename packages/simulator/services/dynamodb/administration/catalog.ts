import { inUse, notFound } from '../errors.js';
import type { DynamoDbModelOptions } from '../model-options.js';
import { Stream } from '../stream.js';
import { Table } from '../table.js';
import { readDefinition, type TableDefinition, type TableResource } from '../table-definition.js';
import type { WireObject } from '../wire.js';
import { StreamArchive } from './stream-archive.js';
import { isOnDemand, type Restored, regionalProperties, type TableRecord, toUuid } from './table-record.js';

const DEFAULT_SHARDS = 4;
const DEFAULT_REGION = 'eu-west-1';
const DEFAULT_ACCOUNT = '123456789012';

/** 5 to 100 ms, one in fifty up to 5 s. */
export const drawIndexDelay = (random: () => number): number =>
  random() < 0.02 ? 5_000 * random() : 5 + 95 * random();

/** A table, and what an account knows of it. */
export interface CatalogTable {
  readonly table: Table;
  readonly record: TableRecord;
}

/** All tables of the account and region, and their streams. */
export class Catalog {
  readonly tables = new Map<string, Table>();
  readonly streams: StreamArchive;
  private readonly records = new Map<string, TableRecord>();
  private next = 0n;

  /** @param readLag returns the lag of an eventually consistent read, ms */
  constructor(
    readonly options: DynamoDbModelOptions,
    private readonly readLag: () => number,
  ) {
    this.streams = new StreamArchive(options.now);
  }

  get region(): string {
    return this.options.region ?? DEFAULT_REGION;
  }

  get account(): string {
    return this.options.account ?? DEFAULT_ACCOUNT;
  }

  /** Number of the stream records so far. */
  get sequence(): bigint {
    return this.next;
  }

  /** Later stream records get at least this number. */
  skipTo(sequence: bigint): void {
    if (sequence > this.next) this.next = sequence;
  }

  arnOf(table: string): string {
    return `arn:aws:dynamodb:${this.region}:${this.account}:table/${table}`;
  }

  /**
   * @param streamLabel of the ARN by which a template knows the stream @default the time of creation
   * @param restored what it was made from @default nothing
   * @throws {NotModelled} names the parts of the resource that have no model
   */
  create(name: string, resource: TableResource, streamLabel?: string, restored?: Restored): CatalogTable {
    const { now, random, indexDelay = drawIndexDelay } = this.options;
    const definition = readDefinition(name, resource);
    const clock = {
      now,
      indexDelay: () => indexDelay(random),
      readLag: this.readLag,
    };
    // Before its stream's, also by a clock that continues meanwhile.
    const createdAt = now();
    const table = new Table(definition, clock, this.openStream(definition, streamLabel));
    const properties = regionalProperties(resource);
    const record = {
      id: toUuid(`${name}/${createdAt}`),
      arn: this.arnOf(name),
      createdAt,
      properties,
      ...(isOnDemand(properties) ? { onDemandSince: createdAt } : {}),
      ...(restored && { restored }),
    };
    this.tables.set(name, table);
    this.records.set(name, record);
    return { table, record };
  }

  /** Finds a table by name or ARN. @throws {DynamoDbError} ResourceNotFoundException */
  find(given: unknown): CatalogTable {
    const name = parseTableName(String(given));
    const [table, record] = [this.tables.get(name), this.records.get(name)];
    if (!table || !record) throw notFound(`Table: ${name} not found`);
    return { table, record };
  }

  /** Sets properties of a table: its indexes, its TTL attribute and its stream follow at once. */
  change({ table, record }: CatalogTable, changes: WireObject): CatalogTable {
    const { name } = table;
    this.refuseCreating(table);
    const properties = { ...record.properties, ...changes };
    const definition = readDefinition(name, { Type: 'AWS::DynamoDB::Table', Properties: properties });
    const stream = table.definition.stream;
    table.redefine(definition);
    if (stream !== definition.stream) {
      this.streams.disable(name);
      table.stream = this.openStream(definition);
    }
    const onDemand = isOnDemand(properties) && !isOnDemand(record.properties);
    const changed = { ...record, properties, ...(onDemand ? { onDemandSince: this.options.now() } : {}) };
    this.records.set(name, changed);
    return { table, record: changed };
  }

  /** Its stream can still be read for a day. */
  delete({ table }: CatalogTable): void {
    const { name } = table;
    this.refuseCreating(table);
    this.tables.delete(name);
    this.records.delete(name);
    this.streams.disable(name);
  }

  /** @throws {DynamoDbError} ResourceInUseException if the table is still being restored */
  private refuseCreating({ name, availableFrom }: Table): void {
    if (availableFrom <= this.options.now()) return;
    throw inUse(`Attempt to change a resource which is still in use: Table is being created: ${name}`);
  }

  private openStream({ name, stream: view, key }: TableDefinition, given?: string): Stream | undefined {
    if (!view) return undefined;
    const { now, random, shardChange, shardsPerStream: shards = DEFAULT_SHARDS } = this.options;
    const { label, isFirst } = this.streams.newLabel(name, given);
    const stream = new Stream({
      id: isFirst ? name : `${name}/${label}`,
      table: name,
      view,
      key,
      splitsCollections: () =>
        ![...(this.tables.get(name)?.definition.indexes.values() ?? [])].some(({ local }) => local),
      shards,
      change: (age) => shardChange?.(age),
      now,
      region: this.region,
      random,
      nextSequence: () => String(10n ** 20n + 100n * this.next++),
    });
    this.streams.add({ arn: `${this.arnOf(name)}/stream/${label}`, label, table: name, view, key, stream });
    return stream;
  }
}

/** Returns the name in a table's ARN, or the name itself. */
export const parseTableName = (given: string): string =>
  given.startsWith('arn:') ? (given.split('/')[1] ?? '') : given;
