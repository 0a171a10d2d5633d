/** Sizes of item collections in answers. AWS, "API Reference: ItemCollectionMetrics"; "Item collections". */
import { keyText } from '../values.js';
import type { AttributeValue, Item, WireObject } from '../wire.js';
import type { PlannedWrite } from './planned-write.js';

const GIGABYTE = 1024 ** 3;

/**
 * Builds the answer's `ItemCollectionMetrics` if the request wants it. Only a table with a local secondary index has
 * item collections.
 * @param shape `one` for operations on one item; `many` lists them by table
 */
export function collectionMetrics(
  { ReturnItemCollectionMetrics: wanted }: WireObject,
  writes: readonly PlannedWrite[],
  shape: 'one' | 'many',
): WireObject {
  if (wanted !== 'SIZE') return {};
  const byTable = new Map<string, Map<string, WireObject>>();
  for (const { table, item, check } of writes) {
    if (check || ![...table.definition.indexes.values()].some(({ local }) => local)) continue;
    const { partition } = table.definition.key;
    const value = item.key[partition] as AttributeValue;
    const ItemCollectionKey: Item = { [partition]: value };
    const gigabytes = Math.floor(table.collectionBytes(value) / GIGABYTE);
    const metrics = { ItemCollectionKey, SizeEstimateRangeGB: [gigabytes, gigabytes + 1] };
    const known = byTable.get(table.name) ?? new Map<string, WireObject>();
    byTable.set(table.name, known.set(keyText(value), metrics));
  }
  if (byTable.size === 0) return {};
  const lists = [...byTable].map(([name, metrics]) => [name, [...metrics.values()]] as const);
  return { ItemCollectionMetrics: shape === 'one' ? lists[0]?.[1][0] : Object.fromEntries(lists) };
}
