/** AWS, "Query operations in DynamoDB"; "Scanning tables in DynamoDB"; "API Reference: Query, Scan". */
import { NotModelled, validation } from '../errors.js';
import { bindCondition, type Condition } from '../expressions/condition.js';
import { bindKeyCondition } from '../expressions/key-condition.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { type Entry, firstWhere } from '../item-store.js';
import { keyOf } from '../keys.js';
import { MAX_PAGE_BYTES, readUnits } from '../size.js';
import type { AttributeValue, Item, WireObject } from '../wire.js';
import { allow, CAPACITY, type Call, choice, nullMember, textMember } from './context.js';
import { projectionOf, readSource, refuseFilter, type Source, startKey } from './query-source.js';

const OF_BOTH = [
  'TableName',
  'IndexName',
  'Select',
  'Limit',
  'ConsistentRead',
  'ExclusiveStartKey',
  'ReturnConsumedCapacity',
  'ProjectionExpression',
  'FilterExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
];

/**
 * Returns one page of a partition's items in the order of their sort keys: at most 1 MB, or `Limit` items, before the
 * filter.
 */
export function query(call: Call, input: WireObject): WireObject {
  allow(input, 'KeyConditionExpression', 'ScanIndexForward', ...OF_BOTH);
  const source = readSource(call, input);
  const text = textMember(input, 'KeyConditionExpression');
  if (text === undefined) {
    throw validation('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.');
  }
  const placeholders = new Placeholders(input, [text, input.FilterExpression, input.ProjectionExpression]);
  const { key, table, index } = source;
  const wanted = bindKeyCondition(text, placeholders, key, table.definition.types, index?.definition.name);
  const page = readPage(call, input, source, placeholders, true);
  const start = startKey(input, source, wanted);
  const entries = source.index
    ? table.readIndex(source.index).partition(wanted.partition)
    : table.readPartition(wanted.partition, source.consistent);
  const place = ({ item }: Entry): number => (key.sort ? wanted.position(item[key.sort] as AttributeValue) : 0);
  let [from, to] = [
    firstWhere(entries, (entry) => place(entry) >= 0),
    firstWhere(entries, (entry) => place(entry) > 0),
  ];
  const forward = input.ScanIndexForward !== false;
  if (start && forward)
    from = Math.max(
      from,
      firstWhere(entries, ({ item }) => source.order(item, start) > 0),
    );
  if (start && !forward)
    to = Math.min(
      to,
      firstWhere(entries, ({ item }) => source.order(item, start) >= 0),
    );
  return page(inDirection(entries, from, to, forward));
}

function* inDirection(entries: readonly Entry[], from: number, to: number, forward: boolean): Generator<Entry> {
  if (forward) for (let at = from; at < to; at++) yield entries[at] as Entry;
  else for (let at = to - 1; at >= from; at--) yield entries[at] as Entry;
}

/** Returns one page of all items, in an order without meaning. */
export function scan(call: Call, input: WireObject): WireObject {
  if (input.Segment !== undefined) throw new NotModelled('parallel scans');
  allow(input, ...OF_BOTH);
  const source = readSource(call, input);
  const placeholders = new Placeholders(input, [input.FilterExpression, input.ProjectionExpression]);
  const page = readPage(call, input, source, placeholders, false);
  const start = startKey(input, source);
  const store = source.index ? source.table.readIndex(source.index) : source.table.scan();
  return page(allEntries(store, source, start));
}

function* allEntries(
  store: ReturnType<Source['table']['scan']>,
  source: Source,
  start: Item | undefined,
): Generator<Entry> {
  const names = store.scanOrder();
  const partition = start && store.partitionOf(start);
  // The partition may have been deleted since: the page continues with the next one in the order.
  const first =
    partition === undefined ? 0 : firstWhere(names, (name) => store.comparePartitions(name, partition) >= 0);
  for (let at = first; at < names.length; at++) {
    const name = names[at] as string;
    const entries = store.named(name);
    const from = start && name === partition ? firstWhere(entries, ({ item }) => source.order(item, start) > 0) : 0;
    for (let place = from; place < entries.length; place++) yield entries[place] as Entry;
  }
}

/** Checks and reads what Query and Scan have in common; the caller builds the answer. */
function readPage(call: Call, input: WireObject, source: Source, placeholders: Placeholders, isQuery: boolean) {
  const { table, index, key, consistent } = source;
  const capacity = choice(input, 'ReturnConsumedCapacity', CAPACITY);
  const limit = limitOf(input);
  const filterText = textMember(input, 'FilterExpression');
  const filter: Condition = bindCondition('FilterExpression', filterText, placeholders);
  if (filterText !== undefined) refuseFilter(filterText, placeholders, source, isQuery);
  const projection = bindProjection(textMember(input, 'ProjectionExpression'), placeholders);
  const shape = projectionOf(input, source, projection);
  placeholders.refuseUnused();
  return (entries: Iterable<Entry>): WireObject => {
    const Items: Item[] = [];
    let [scanned, bytes, count] = [0, 0, 0];
    let last: Item | undefined;
    for (const { item, bytes: size } of entries) {
      scanned++;
      bytes += size;
      if (filter(item)) {
        count++;
        if (shape) Items.push(shape(item));
      }
      if (scanned === limit || bytes > MAX_PAGE_BYTES) {
        last = item;
        break;
      }
    }
    call.consumption.read(table.name, readUnits(bytes, consistent), index?.definition.name);
    const LastEvaluatedKey = last && { ...keyOf(last, table.definition.key), ...keyOf(last, key) };
    return {
      ...(shape ? { Items } : {}),
      Count: count,
      ScannedCount: scanned,
      ...(LastEvaluatedKey ? { LastEvaluatedKey } : {}),
      ...call.consumption.report(capacity, 'one'),
    };
  };
}

function limitOf({ Limit }: WireObject): number | undefined {
  if (Limit === undefined) return undefined;
  if (typeof Limit !== 'number') throw nullMember('limit');
  if (Limit >= 1) return Limit;
  throw validation(
    `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
  );
}
