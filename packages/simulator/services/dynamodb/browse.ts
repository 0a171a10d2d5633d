import { type Entry, type ItemStore, lowerBound } from './item-store.js';
import { compareText } from './values.js';
import type { Item } from './wire.js';

/** Which items of a table somebody looks at. */
export interface Browsed {
  readonly limit: number;
  /** Item after which the page begins: its key attributes. @default the beginning */
  readonly after?: Item | undefined;
  /** Whether an item is among the wanted ones. @default each is */
  readonly isWanted?: (item: Item) => boolean;
}

/**
 * Returns one page of a table in the order of its keys: partitions by the text of their keys, then as they are sorted. Unlike a scan it
 * sorts only the partitions of its page.
 */
export function browse(store: ItemStore, { limit, after, isWanted = () => true }: Browsed): readonly Item[] {
  const first = after && store.partitionOf(after);
  const found: Item[] = [];
  const take = (entries: readonly Entry[]): void => {
    for (const { item } of entries) if (found.length < limit && isWanted(item)) found.push(item);
  };
  if (first !== undefined && after !== undefined) {
    const entries = store.named(first);
    take(entries.slice(lowerBound(entries, ({ item }) => store.order(item, after) > 0)));
  }
  if (found.length >= limit) return found;
  const names = smallest(store.names(), limit - found.length, (name) => {
    if (first !== undefined && compareText(name, first) <= 0) return false;
    return store.named(name).some(({ item }) => isWanted(item));
  });
  for (const name of names) take(store.named(name));
  return found;
}

/** Returns the smallest names, in order. @param isWanted is asked only about names that would be among them */
function smallest(names: Iterable<string>, most: number, isWanted: (name: string) => boolean): readonly string[] {
  const kept: string[] = [];
  for (const name of names) {
    const last = kept[most - 1];
    if (last !== undefined && compareText(name, last) >= 0) continue;
    if (!isWanted(name)) continue;
    kept.splice(
      lowerBound(kept, (one) => compareText(one, name) > 0),
      0,
      name,
    );
    if (kept.length > most) kept.pop();
  }
  return kept;
}
