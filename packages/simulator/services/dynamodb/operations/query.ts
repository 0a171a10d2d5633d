/** AWS, "Query operations in DynamoDB"; "Scanning tables in DynamoDB"; "API Reference: Query, Scan". */
import { validation } from '../errors.js';
import { bindCondition, type Condition } from '../expressions/condition.js';
import { bindKeyCondition } from '../expressions/key-condition.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { type Entry, lowerBound } from '../item-store.js';
import { keyOf } from '../keys.js';
import { MAX_PAGE_BYTES, readUnits } from '../size.js';
import type { AttributeValue, Item, WireObject } from '../wire.js';
import { anything, atLeast, type Constraint, oneOf } from './constraints.js';
import type { Call } from './context.js';
import { checkFilter, type QuerySource, readSource, readStartKey, selectShownPart } from './query-source.js';
import { readRequest, textMember } from './request.js';
import { allEntries, readSegment } from './scan-order.js';
import { CAPACITY, defineShape } from './shape.js';

const OF_BOTH = {
  Select: oneOf('SPECIFIC_ATTRIBUTES', 'COUNT', 'ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES'),
  ReturnConsumedCapacity: CAPACITY,
  IndexName: anything,
  ConsistentRead: anything,
  ExclusiveStartKey: anything,
};
const limit = atLeast(1);
/** AWS's message about the limit of a Query has a form of its own. */
const limitOfQuery: Constraint = (value, path) =>
  limit(value, path) && [
    "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ];
const QUERY = defineShape(
  ['TableName'],
  { ...OF_BOTH, Limit: limitOfQuery, ScanIndexForward: anything },
  ['ProjectionExpression', 'FilterExpression', 'KeyConditionExpression'],
  ['AttributesToGet', 'QueryFilter', 'ConditionalOperator', 'KeyConditions'],
);
const SCAN = defineShape(
  ['TableName'],
  { ...OF_BOTH, Limit: limit, Segment: atLeast(0, 999_999), TotalSegments: atLeast(1, 1_000_000) },
  ['ProjectionExpression', 'FilterExpression'],
  ['AttributesToGet', 'ScanFilter', 'ConditionalOperator'],
);

/**
 * Returns one page of a partition's items in the order of their sort keys: at most 1 MB, or `Limit` items, before the
 * filter.
 */
export function query(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, QUERY);
  const source = readSource(call, input);
  const text = textMember(input, 'KeyConditionExpression');
  if (text === undefined) {
    throw validation('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.');
  }
  const placeholders = new Placeholders(input, QUERY.expressions);
  const { key, table, index } = source;
  const wanted = bindKeyCondition(text, placeholders, key, table.definition.types, index?.definition.name);
  const page = readPage(call, input, source, placeholders, wanted.partition);
  const start = readStartKey(input, source, wanted);
  const entries = source.index
    ? table.readIndex(source.index).partition(wanted.partition)
    : table.readPartition(wanted.partition, source.consistent);
  const place = ({ item }: Entry): number => (key.sort ? wanted.position(item[key.sort] as AttributeValue) : 0);
  let [from, to] = [
    lowerBound(entries, (entry) => place(entry) >= 0),
    lowerBound(entries, (entry) => place(entry) > 0),
  ];
  const forward = input.ScanIndexForward !== false;
  if (start && forward)
    from = Math.max(
      from,
      lowerBound(entries, ({ item }) => source.order(item, start) > 0),
    );
  if (start && !forward)
    to = Math.min(
      to,
      lowerBound(entries, ({ item }) => source.order(item, start) >= 0),
    );
  return page(inDirection(entries, from, to, forward));
}

function* inDirection(entries: readonly Entry[], from: number, to: number, forward: boolean): Generator<Entry> {
  if (forward) for (let at = from; at < to; at++) yield entries[at] as Entry;
  else for (let at = to - 1; at >= from; at--) yield entries[at] as Entry;
}

/** Returns one page of all items, in an order without meaning. */
export function scan(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, SCAN);
  const segment = readSegment(input);
  const source = readSource(call, input);
  const placeholders = new Placeholders(input, SCAN.expressions);
  const page = readPage(call, input, source, placeholders, undefined);
  const start = readStartKey(input, source);
  const store = source.index ? source.table.readIndex(source.index) : source.table.scan(source.consistent);
  return page(allEntries(store, source.order, start, segment));
}

/** Checks and reads what Query and Scan have in common; the caller builds the answer. */
function readPage(
  call: Call,
  input: WireObject,
  source: QuerySource,
  placeholders: Placeholders,
  partition: AttributeValue | undefined,
) {
  const isQuery = partition !== undefined;
  const { table, index, key, consistent } = source;
  const filterText = textMember(input, 'FilterExpression');
  const filter: Condition = bindCondition('FilterExpression', filterText, placeholders);
  const filterFetches = filterText !== undefined && checkFilter(filterText, placeholders, source, isQuery);
  const projection = bindProjection(textMember(input, 'ProjectionExpression'), placeholders);
  const { shape, fetches } = selectShownPart(input, source, projection);
  placeholders.refuseUnused();
  return (entries: Iterable<Entry>): WireObject => {
    const Items: Item[] = [];
    let [scanned, bytes, count] = [0, 0, 0];
    let last: Item | undefined;
    for (const { item: found, bytes: size } of entries) {
      scanned++;
      bytes += size;
      const item = fetches || filterFetches ? fetchWholeItem(call, source, found) : found;
      if (filter(item)) {
        count++;
        if (shape) Items.push(shape(fetches ? item : found));
      }
      if (scanned === input.Limit || scanned === call.world.pageItems || bytes > MAX_PAGE_BYTES) {
        last = item;
        break;
      }
    }
    const units = readUnits(bytes, consistent);
    if (partition) call.read(table, partition, units, index?.definition);
    else call.consumption.read(table.name, units, index?.definition);
    const LastEvaluatedKey = last && { ...keyOf(last, table.definition.key), ...keyOf(last, key) };
    return {
      ...(shape ? { Items } : {}),
      Count: count,
      ScannedCount: scanned,
      ...(LastEvaluatedKey ? { LastEvaluatedKey } : {}),
      ...call.consumption.report(input.ReturnConsumedCapacity, 'one'),
    };
  };
}

/** Reads an entry's whole item, at the units of a read of its own. AWS, "Local secondary indexes" (read capacity units). */
function fetchWholeItem(call: Call, { table, consistent }: QuerySource, entry: Item): Item {
  const found = table.find(keyOf(entry, table.definition.key));
  call.consumption.read(table.name, readUnits(found?.bytes ?? 0, consistent));
  return found?.item ?? entry;
}
