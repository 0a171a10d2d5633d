import { type Entry, ItemStore, lowerBound, type Order, orderBy } from './item-store.js';
import { idOf, typeFits } from './keys.js';
import { SecondaryIndex } from './secondary-index.js';
import { itemBytes } from './size.js';
import type { Stream } from './stream.js';
import { attributeNames, type IndexDefinition, type TableDefinition } from './table-definition.js';
import { keyText } from './values.js';
import type { AttributeValue, Change, Item } from './wire.js';

/** Time for which a table can be restored. AWS, "Point-in-time backups for DynamoDB" (up to 35 days). */
const RECOVERY_MS = 35 * 86_400_000;
/** Maximum lag of an eventually consistent read; older changes are dropped. */
const MAX_LAG_MS = 5_000;
const NO_DELAY = (): number => 0;

export interface TableClock {
  readonly now: () => number;
  /** Returns the time until a change is visible in an index, ms. */
  readonly indexDelay: () => number;
  /** Returns the lag of an eventually consistent read, ms. */
  readonly readLag: () => number;
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
  /** Changes that a lagging read may not see yet, oldest first. */
  private readonly journal: Journaled[] = [];
  /** Changes by which the table is restored, oldest first; absent without point-in-time recovery. */
  private history: { readonly since: number; readonly changes: Journaled[] } | undefined;
  /** Time from which its items can be read and written: a table that is being restored has none before. */
  availableFrom = 0;

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
    if (!definition.recovers) this.history = undefined;
    else this.history ??= { since: this.clock.now(), changes: [] };
    for (const name of this.ownIndexes.keys()) if (!definition.indexes.has(name)) this.ownIndexes.delete(name);
    for (const index of definition.indexes.values()) {
      if (this.ownIndexes.has(index.name)) continue;
      const added = new SecondaryIndex(index, definition.key);
      const fits = (item: Item): boolean =>
        attributeNames(index.key).every((name) => typeFits(item[name], name, definition));
      for (const { item } of this.store.sorted())
        if (fits(item)) added.write(undefined, item, this.clock.now(), NO_DELAY);
      this.ownIndexes.set(index.name, added);
    }
  }

  /** Returns the newest state, which writes, conditions and consistent reads see. */
  find(key: Item): Entry | undefined {
    return this.store.find(key);
  }

  read(key: Item, consistent: boolean): Entry | undefined {
    const undone = this.unseen(consistent).find(({ key: changed }) => this.sameItem(changed, key));
    return undone ? undone.before : this.store.find(key);
  }

  /** Returns a partition's entries in order. */
  readPartition(key: AttributeValue, consistent: boolean): readonly Entry[] {
    const entries = this.store.partition(key);
    const wanted = keyText(key);
    const unseen = this.unseen(consistent).filter((change) => this.store.partitionOf(change.key) === wanted);
    return unseen.length === 0 ? entries : this.without(unseen, entries).partition(key);
  }

  /** Returns all entries. */
  scan(consistent: boolean): ItemStore {
    const unseen = this.unseen(consistent);
    return unseen.length === 0 ? this.store : this.without(unseen, this.store.sorted());
  }

  get order(): Order {
    return this.store.order;
  }

  /** From now on, every read sees what has been written so far. */
  settle(): void {
    this.journal.length = 0;
    if (this.history) this.history = { since: this.clock.now(), changes: [] };
  }

  /** Returns the oldest time to which the table can be restored, ms; `undefined` without point-in-time recovery. */
  get recoverableSince(): number | undefined {
    return this.history && Math.max(this.history.since, this.clock.now() - RECOVERY_MS);
  }

  /** Returns the items that the table had at a time: what was written then is among them. */
  itemsAt(time: number): readonly Item[] {
    const { changes = [] } = this.history ?? {};
    const later = changes.slice(lowerBound(changes, ({ at }) => at > time));
    return [...this.without(later, this.store.sorted()).sorted()].map(({ item }) => item);
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
      const delay = index.definition.local ? NO_DELAY : this.clock.indexDelay;
      const written = index.write(before, after, now, delay);
      if (written > 0) units.set(index.definition, written);
    }
    return units;
  }

  /** Returns the changes that a read doesn't see, oldest first. */
  private unseen(consistent: boolean): readonly Journaled[] {
    const lag = consistent ? 0 : Math.min(this.clock.readLag(), MAX_LAG_MS);
    if (lag <= 0) return [];
    const asOf = this.clock.now() - lag;
    return this.journal.slice(lowerBound(this.journal, ({ at }) => at > asOf));
  }

  /** @param unseen changes to undo, oldest first */
  private without(unseen: readonly Journaled[], entries: Iterable<Entry>): ItemStore {
    const then = new ItemStore(this.defined.key.partition, this.store.order);
    for (const entry of entries) then.put(entry);
    for (const { key, before } of unseen.toReversed()) before ? then.put(before) : then.remove(key);
    return then;
  }

  private remember(key: Item, now: number): void {
    const { journal } = this;
    const oldest = now - MAX_LAG_MS;
    if ((journal[0]?.at ?? now) <= oldest)
      journal.splice(
        0,
        lowerBound(journal, ({ at }) => at > oldest),
      );
    const change = { at: now, key, before: this.store.find(key) };
    journal.push(change);
    if (!this.history) return;
    const { changes } = this.history;
    changes.push(change);
    // Once in a while: most changes are too old at the same time.
    if (changes.length % 1_000 === 0)
      changes.splice(
        0,
        lowerBound(changes, ({ at }) => at > now - RECOVERY_MS),
      );
  }

  private sameItem(a: Item, b: Item): boolean {
    return idOf(a, this.defined.key) === idOf(b, this.defined.key);
  }
}
