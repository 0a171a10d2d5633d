import { type Entry, ItemStore, orderBy } from './item-store.js';
import { idOf, typeFits } from './keys.js';
import { SecondaryIndex } from './secondary-index.js';
import { itemBytes } from './size.js';
import type { Stream } from './stream.js';
import { attributeNames, type IndexDefinition, type TableDefinition } from './table-definition.js';
import { keyText } from './values.js';
import type { AttributeValue, Change, Item } from './wire.js';

/** Maximum lag of an eventually consistent read; older changes are dropped. */
const MAX_LAG_MS = 5_000;
const AT_ONCE = (): number => 0;

export interface TableClock {
  readonly now: () => number;
  /** Returns the time until a change is visible in an index, ms. */
  readonly indexDelay: () => number;
  /** Returns the lag of an eventually consistent read, ms; absent if no read lags. */
  readonly readLag?: () => number;
}

interface Journaled {
  readonly at: number;
  readonly key: Item;
  readonly before: Entry | undefined;
}

/** One table with its indexes and its stream. All writes were validated before. */
export class Table {
  private defined: TableDefinition;
  private readonly ownIndexes = new Map<string, SecondaryIndex>();
  private readonly store: ItemStore;
  /** Changes of each partition that a lagging read may not see yet, oldest first. */
  private readonly journal = new Map<string, Journaled[]>();

  constructor(
    definition: TableDefinition,
    private readonly clock: TableClock,
    /** Absent if the table has no stream, or it is disabled. */
    public stream?: Stream,
  ) {
    this.store = new ItemStore(definition.key.partition, orderBy(definition.key.sort));
    this.defined = definition;
    this.redefine(definition);
  }

  get name(): string {
    return this.defined.name;
  }

  get definition(): TableDefinition {
    return this.defined;
  }

  get indexes(): ReadonlyMap<string, SecondaryIndex> {
    return this.ownIndexes;
  }

  /**
   * Changes the table's indexes and its TTL attribute. A new index has all items whose values its keys allow at once. AWS,
   * "Managing Global Secondary Indexes in DynamoDB" (backfilling).
   */
  redefine(definition: TableDefinition): void {
    this.defined = definition;
    for (const name of this.ownIndexes.keys()) if (!definition.indexes.has(name)) this.ownIndexes.delete(name);
    for (const index of definition.indexes.values()) {
      if (this.ownIndexes.has(index.name)) continue;
      const added = new SecondaryIndex(index, definition.key);
      const fits = (item: Item): boolean =>
        attributeNames(index.key).every((name) => typeFits(item[name], name, definition));
      for (const { item } of this.store.sorted())
        if (fits(item)) added.write(undefined, item, this.clock.now(), AT_ONCE);
      this.ownIndexes.set(index.name, added);
    }
  }

  /** Returns the newest state, which writes, conditions and consistent reads see. */
  find(key: Item): Entry | undefined {
    return this.store.find(key);
  }

  read(key: Item, consistent: boolean): Entry | undefined {
    const asOf = consistent ? undefined : this.laggedTime();
    if (asOf === undefined) return this.store.find(key);
    const undone = this.journalOf(key).find(({ at, key: changed }) => at > asOf && this.sameItem(changed, key));
    return undone ? undone.before : this.store.find(key);
  }

  /** Returns a partition's entries in order. */
  readPartition(key: AttributeValue, consistent: boolean): readonly Entry[] {
    const asOf = consistent ? undefined : this.laggedTime();
    const entries = this.store.partition(key);
    const unseen = asOf === undefined ? [] : (this.journal.get(keyText(key)) ?? []).filter(({ at }) => at > asOf);
    if (unseen.length === 0) return entries;
    const then = new ItemStore(this.defined.key.partition, this.store.order);
    for (const entry of entries) then.put(entry);
    for (const { key: changed, before } of unseen.toReversed()) before ? then.put(before) : then.remove(changed);
    return then.partition(key);
  }

  scan(): ItemStore {
    return this.store;
  }

  /** Returns the index as it is readable now. */
  readIndex(index: SecondaryIndex): ItemStore {
    return index.at(this.clock.now());
  }

  /** Returns the bytes of a partition in the table and its local indexes. */
  collectionBytes(partition: AttributeValue): number {
    const local = [...this.ownIndexes.values()].filter(({ definition }) => definition.local);
    const stores = [this.store, ...local.map((index) => this.readIndex(index))];
    return stores.flatMap((store) => store.partition(partition)).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  items(): readonly Item[] {
    return [...this.store.sorted()].map(({ item }) => item);
  }

  /** @returns write units by index */
  write({ key, before, after }: Change): ReadonlyMap<IndexDefinition, number> {
    const now = this.clock.now();
    this.remember(key, now);
    if (after) this.store.put({ item: after, bytes: itemBytes(after) });
    else this.store.remove(key);
    const units = new Map<IndexDefinition, number>();
    for (const index of this.ownIndexes.values()) {
      const delay = index.definition.local ? AT_ONCE : this.clock.indexDelay;
      const written = index.write(before, after, now, delay);
      if (written > 0) units.set(index.definition, written);
    }
    return units;
  }

  private laggedTime(): number | undefined {
    const lag = Math.min(this.clock.readLag?.() ?? 0, MAX_LAG_MS);
    return lag > 0 ? this.clock.now() - lag : undefined;
  }

  private remember(key: Item, now: number): void {
    if (!this.clock.readLag) return;
    const kept = this.journalOf(key).filter(({ at }) => at > now - MAX_LAG_MS);
    kept.push({ at: now, key, before: this.store.find(key) });
    this.journal.set(keyText(key[this.defined.key.partition] as AttributeValue), kept);
  }

  private journalOf(key: Item): readonly Journaled[] {
    return this.journal.get(keyText(key[this.defined.key.partition] as AttributeValue)) ?? [];
  }

  private sameItem(a: Item, b: Item): boolean {
    return idOf(a, this.defined.key) === idOf(b, this.defined.key);
  }
}
