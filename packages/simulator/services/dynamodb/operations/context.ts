import { Consumption } from '../capacity.js';
import { notFound, throttled } from '../errors.js';
import type { Hold, Holds } from '../holds.js';
import { unitsOf } from '../size.js';
import type { Table } from '../table.js';
import type { IndexDefinition } from '../table-definition.js';
import type { ThrottledOwner, Throughput } from '../throughput.js';
import type { AttributeValue, Change, Effects, Item, ItemKey } from '../wire.js';

/** State of the model that outlives a call. */
export interface ModelState {
  readonly tables: ReadonlyMap<string, Table>;
  readonly holds: Holds;
  readonly now: () => number;
  readonly random: () => number;
  /** Most items of a page or of a batch that is read. Absent if only bytes count. */
  readonly pageItems?: number;
  /** Absent if partitions take any number of units. */
  readonly throughput?: Throughput;
}

/** One call: it finds the tables, and records the call's effects. */
export class Call {
  readonly consumption = new Consumption();
  readonly conditions: Effects['conditions'][number][] = [];
  private readonly changes: Change[] = [];

  constructor(
    readonly world: ModelState,
    private readonly hold: Hold | undefined,
  ) {}

  /** Returns a table by name or ARN. @throws {DynamoDbError} ResourceNotFoundException */
  table(given: unknown): Table {
    const name = String(given);
    const table = this.world.tables.get(name.startsWith('arn:') ? name.slice(name.indexOf('/') + 1) : name);
    if (!table || table.availableFrom > this.world.now()) throw notFound();
    return table;
  }

  /** Checks whether another request's transaction is in progress on the item. */
  isHeld(item: ItemKey): boolean {
    return this.world.holds.has(item, this.hold);
  }

  isTokenHeld(token: string): boolean {
    return this.world.holds.hasToken(token, this.hold);
  }

  judge(item: ItemKey, condition: (item: Item) => boolean, found: Item | undefined): boolean {
    const holds = condition(found ?? {});
    this.conditions.push({ ...item, holds });
    return holds;
  }

  /**
   * Counts the units of a read of one partition.
   * @throws {DynamoDbError} ThrottlingException if the partition has none left
   */
  read(table: Table, partition: AttributeValue, units: number, index?: IndexDefinition): void {
    const { throughput } = this.world;
    if (throughput && !throughput.read(table, partition, units, index))
      throw throttled(index ? 'index' : 'table', 'Read');
    this.consumption.read(table.name, units, index);
  }

  /** Whose partition has no units left for a write; `undefined` if it may be written. */
  throttledBy(change: Change): ThrottledOwner | undefined {
    return this.world.throughput?.refuses(this.table(change.table), change);
  }

  /**
   * Writes changes that belong together: to tables, their indexes and their streams.
   * @param factor of the tables' units: 2 in a transaction
   */
  commit(changes: readonly Change[], factor = 1): void {
    const byTable = new Map<Table, Change[]>();
    for (const change of changes) {
      const table = this.table(change.table);
      const ofIndexes = table.write(change);
      for (const [index, units] of ofIndexes) this.consumption.write(table.name, units, index);
      this.world.throughput?.write(table, change, factor * unitsOf(change.before, change.after), ofIndexes);
      byTable.set(table, [...(byTable.get(table) ?? []), change]);
      this.changes.push(change);
    }
    for (const [table, its] of byTable) table.stream?.append(its, this.world.now());
  }

  effects(): Effects {
    return { consumed: this.consumption.list(), conditions: this.conditions, changes: this.changes };
  }
}
