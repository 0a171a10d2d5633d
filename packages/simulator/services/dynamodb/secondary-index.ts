/**
 * A secondary index: it is sparse, and a global one lags behind its table by the time that a change takes to arrive.
 *
 * AWS, "Using Global Secondary Indexes in DynamoDB" and "Local secondary indexes" (data synchronization; read and write
 * capacity).
 */
import { type Entry, hash, ItemStore, lowerBound, type Order, orderBy } from './item-store.js';
import { idOf } from './keys.js';
import { itemBytes, writeUnits } from './size.js';
import { attributeNames, type IndexDefinition, type KeySchema } from './table-definition.js';
import { equalItems } from './values.js';
import type { AttributeValue, Item } from './wire.js';

interface Pending {
  readonly at: number;
  readonly id: string;
  readonly remove?: Item;
  readonly put?: Entry;
}

export class SecondaryIndex {
  private readonly store: ItemStore;
  private pending: Pending[] = [];
  /** Arrival time of each item's last pending change, so that a later change can't overtake it. */
  private readonly lastAt = new Map<string, number>();

  constructor(
    readonly definition: IndexDefinition,
    private readonly table: KeySchema,
  ) {
    this.store = new ItemStore(definition.key.partition, this.entryOrder());
  }

  /** Returns the part of an item that is in the index; undefined if it lacks one of the index's keys. */
  projectEntry(item: Item | undefined): Item | undefined {
    const { key, projected } = this.definition;
    if (!item || attributeNames(key).some((name) => item[name] === undefined)) return undefined;
    if (projected === 'ALL') return item;
    const entry: Record<string, AttributeValue> = {};
    for (const name of projected) if (Object.hasOwn(item, name)) entry[name] = item[name] as AttributeValue;
    return Object.freeze(entry);
  }

  /**
   * Applies a change of the table.
   * @param delay ms, called if the index changes
   * @returns write units: one if an entry is added, removed or changed, two if its key changes, none otherwise
   */
  write(before: Item | undefined, after: Item | undefined, now: number, delay: () => number): number {
    this.at(now); // keeps the pending list short even if nothing reads the index
    const [old, next] = [this.projectEntry(before), this.projectEntry(after)];
    if (!old && !next) return 0;
    if (old && next && equalItems(old, next)) return 0;
    const [oldBytes, nextBytes] = [old ? itemBytes(old) : 0, next ? itemBytes(next) : 0];
    const moved = old && next && (this.partitionDiffers(old, next) || this.store.order(old, next) !== 0);
    this.enqueue(old, next && { item: next, bytes: nextBytes }, now + Math.max(0, delay()));
    if (moved) return writeUnits(oldBytes) + writeUnits(nextBytes);
    return writeUnits(Math.max(oldBytes, nextBytes));
  }

  get order(): Order {
    return this.store.order;
  }

  /** Returns the index as it is readable at a time. */
  at(now: number): ItemStore {
    const due = lowerBound(this.pending, (change) => change.at > now);
    if (due > 0) for (const change of this.pending.splice(0, due)) this.apply(change);
    return this.store;
  }

  /** Returns number and bytes of the entries, as a description of the table reports them. */
  size(now: number): { readonly count: number; readonly bytes: number } {
    return this.at(now).size();
  }

  private enqueue(remove: Item | undefined, put: Entry | undefined, arrives: number): void {
    const id = idOf((put?.item ?? remove) as Item, this.table);
    const at = Math.max(arrives, this.lastAt.get(id) ?? 0);
    this.lastAt.set(id, at);
    const change = { at, id, ...(remove ? { remove } : {}), ...(put ? { put } : {}) };
    this.pending.splice(
      lowerBound(this.pending, (other) => other.at > at),
      0,
      change,
    );
  }

  private apply({ at, id, remove, put }: Pending): void {
    if (remove) this.store.remove(remove);
    if (put) this.store.put(put);
    if (this.lastAt.get(id) === at) this.lastAt.delete(id);
  }

  private partitionDiffers(a: Item, b: Item): boolean {
    const { partition } = this.definition.key;
    return orderBy(partition)(a, b) !== 0;
  }

  /** Orders entries by the index's sort key; applications can't rely on an order of entries with the same sort key. */
  private entryOrder(): Order {
    const bySort = orderBy(this.definition.key.sort);
    return (a, b) => {
      const sorted = bySort(a, b);
      if (sorted !== 0) return sorted;
      const [x, y] = [idOf(a, this.table), idOf(b, this.table)];
      return x === y ? 0 : hash(x) - hash(y) || (x < y ? -1 : 1);
    };
  }
}
