/**
 * The order of a scan, whole or in parallel. AWS, "Scanning tables in DynamoDB" (parallel scan); "API Reference: Scan"
 * (Segment, TotalSegments).
 */
import { validation } from '../errors.js';
import { type Entry, type ItemStore, lowerBound, type Order } from '../item-store.js';
import type { Item, WireObject } from '../wire.js';

/** A part of a parallel scan. */
export interface Segment {
  readonly number: number;
  readonly total: number;
}

/** @throws {DynamoDbError} ValidationException unless a request has both members, or neither */
export function readSegment({ Segment: number, TotalSegments: total }: WireObject): Segment | undefined {
  if (number === undefined && total === undefined) return undefined;
  if (total === undefined) {
    throw validation(
      'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
    );
  }
  if (number === undefined) {
    throw validation(
      'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
    );
  }
  if (Number(number) < Number(total)) return { number: Number(number), total: Number(total) };
  throw validation(
    `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${number} is not less than TotalSegments: ${total}`,
  );
}

/**
 * Returns the entries after a position, partition by partition; of a segment if one is given.
 * @throws {DynamoDbError} ValidationException if the position lies in another segment
 */
export function allEntries(
  store: ItemStore,
  order: Order,
  start: Item | undefined,
  segment: Segment | undefined,
): Iterable<Entry> {
  const names = store.scanOrder();
  const partition = start && store.partitionOf(start);
  if (segment && partition !== undefined && store.scanSegment(partition, segment.total) !== segment.number) {
    throw validation(
      `The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: ${segment.total} Segment: ${segment.number}`,
    );
  }
  // The partition may have been deleted since: the page continues with the next one in the order.
  const first =
    partition !== undefined
      ? lowerBound(names, (name) => store.comparePartitions(name, partition) >= 0)
      : segment
        ? lowerBound(names, (name) => store.scanSegment(name, segment.total) >= segment.number)
        : 0;
  const end = segment
    ? lowerBound(names, (name) => store.scanSegment(name, segment.total) > segment.number)
    : names.length;
  return iterateEntries(store, order, names, first, end, start);
}

function* iterateEntries(
  store: ItemStore,
  order: Order,
  names: readonly string[],
  first: number,
  end: number,
  start: Item | undefined,
): Generator<Entry> {
  const partition = start && store.partitionOf(start);
  for (let at = first; at < end; at++) {
    const name = names[at] as string;
    const entries = store.named(name);
    const from = start && name === partition ? lowerBound(entries, ({ item }) => order(item, start) > 0) : 0;
    for (let place = from; place < entries.length; place++) yield entries[place] as Entry;
  }
}
