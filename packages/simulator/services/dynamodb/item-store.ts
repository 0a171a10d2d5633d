import { compareValues, keyText } from './values.js';
import type { AttributeValue, Item } from './wire.js';

/** An item as it is stored. */
export interface Entry {
  readonly item: Item;
  readonly bytes: number;
}

/** Order within a partition: 0 only for the same position. */
export type Order = (a: Item, b: Item) => number;

/**
 * Items by partition, ordered inside each. Applications can't rely on an order of partitions: a scan reads them by a
 * hash of their key. AWS, "Partitions and data distribution in DynamoDB".
 */
export class ItemStore {
  private readonly partitions = new Map<string, Entry[]>();
  private scanned: readonly string[] | undefined;

  constructor(
    private readonly partitionKey: string,
    readonly order: Order,
  ) {}

  find(key: Item): Entry | undefined {
    const entries = this.partitions.get(this.partitionOf(key));
    const entry = entries?.[lowerBound(entries, (each) => this.order(each.item, key) >= 0)];
    return entry && this.order(entry.item, key) === 0 ? entry : undefined;
  }

  partition(key: AttributeValue): readonly Entry[] {
    return this.partitions.get(keyText(key)) ?? [];
  }

  put(entry: Entry): void {
    const name = this.partitionOf(entry.item);
    const entries = this.partitions.get(name);
    if (!entries) {
      this.partitions.set(name, [entry]);
      this.scanned = undefined;
      return;
    }
    const at = lowerBound(entries, (each) => this.order(each.item, entry.item) >= 0);
    const found = entries[at];
    entries.splice(at, found && this.order(found.item, entry.item) === 0 ? 1 : 0, entry);
  }

  remove(key: Item): void {
    const name = this.partitionOf(key);
    const entries = this.partitions.get(name);
    const at = entries ? lowerBound(entries, (each) => this.order(each.item, key) >= 0) : 0;
    const found = entries?.[at];
    if (!entries || !found || this.order(found.item, key) !== 0) return;
    entries.splice(at, 1);
    if (entries.length > 0) return;
    this.partitions.delete(name);
    this.scanned = undefined;
  }

  /** Returns the keys of all partitions, in the order of a scan. */
  scanOrder(): readonly string[] {
    this.scanned ??= [...this.partitions.keys()].sort(this.comparePartitions);
    return this.scanned;
  }

  /** Compares two partitions in the order of a scan. */
  comparePartitions(a: string, b: string): number {
    return hash(a) - hash(b) || (a === b ? 0 : a < b ? -1 : 1);
  }

  /** Returns the segment of a parallel scan that a partition belongs to: each is a range of the scan's order. */
  scanSegment(partition: string, total: number): number {
    return Math.floor((hash(partition) * total) / HASHES);
  }

  /** Yields all entries, by the text of the partition key, then in order. */
  *sorted(): Generator<Entry> {
    for (const name of [...this.partitions.keys()].sort()) yield* this.partitions.get(name) ?? [];
  }

  size(): { readonly count: number; readonly bytes: number } {
    let [count, bytes] = [0, 0];
    for (const entries of this.partitions.values()) {
      count += entries.length;
      for (const entry of entries) bytes += entry.bytes;
    }
    return { count, bytes };
  }

  /** Returns the keys of all partitions, in any order. */
  names(): Iterable<string> {
    return this.partitions.keys();
  }

  named(partition: string): readonly Entry[] {
    return this.partitions.get(partition) ?? [];
  }

  partitionOf(item: Item): string {
    return keyText(item[this.partitionKey] as AttributeValue);
  }
}

/**
 * Returns the index of the first member for which `test` holds, or the length if there is none. `test` must hold for
 * all members after the first such one.
 */
export function lowerBound<T>(members: readonly T[], test: (member: T) => boolean): number {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(members[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Orders by one attribute; without an attribute, all items have the same position. */
export function orderBy(attribute: string | undefined): Order {
  if (attribute === undefined) return () => 0;
  return (a, b) => compareValues(a[attribute] as AttributeValue, b[attribute] as AttributeValue) ?? 0;
}

const HASHES = 2 ** 32;

/** FNV-1a over UTF-16 units, 32 bits: it distributes well, and is the same on every machine. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value ^= text.charCodeAt(at);
    value = Math.imul(value, 0x01000193);
  }
  value ^= value >>> 16;
  return Math.imul(value, 0x45d9f3b) >>> 0;
}
