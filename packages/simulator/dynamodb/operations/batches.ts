/** AWS, "API Reference: BatchGetItem, BatchWriteItem". */
import { validation } from '../errors.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { idOf, readKey } from '../keys.js';
import { MAX_BATCH_READ_BYTES, readUnits } from '../size.js';
import { shuffled } from '../stream.js';
import type { WireObject } from '../wire.js';
import { allow, CAPACITY, type Call, choice, textMember } from './context.js';
import { type PlannedWrite, planDelete, planPut, unitsOf } from './planned-write.js';

const MAX_READS = 100;
const MAX_WRITES = 25;

/** Reads items in an order that applications can't rely on; items beyond 16 MB stay unprocessed. */
export function batchGetItem(call: Call, input: WireObject): WireObject {
  allow(input, 'RequestItems', 'ReturnConsumedCapacity');
  const capacity = choice(input, 'ReturnConsumedCapacity', CAPACITY);
  const requests = planReads(call, input);
  const Responses: Record<string, readonly unknown[]> = {};
  const UnprocessedKeys: Record<string, unknown> = {};
  let bytes = 0;
  for (const { name, table, keys, consistent, projection, request } of requests) {
    const items: unknown[] = [];
    const left: unknown[] = [];
    for (const key of keys) {
      const entry = table.read(key, consistent);
      if (bytes + (entry?.bytes ?? 0) > MAX_BATCH_READ_BYTES) {
        left.push(key);
        continue;
      }
      bytes += entry?.bytes ?? 0;
      call.consumption.read(table.name, readUnits(entry?.bytes ?? 0, consistent));
      if (entry) items.push(projection ? projection.of(entry.item) : entry.item);
    }
    Responses[name] = shuffled(items, call.world.random);
    if (left.length > 0) UnprocessedKeys[name] = { ...request, Keys: left };
  }
  return { Responses, UnprocessedKeys, ...call.consumption.report(capacity, 'many') };
}

function planReads(call: Call, { RequestItems }: WireObject) {
  const requests = Object.entries((RequestItems ?? {}) as Record<string, WireObject>);
  if (requests.length === 0) throw atLeastOne('BatchGetItem');
  let count = 0;
  return requests.map(([name, request]) => {
    allow(request, 'Keys', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames');
    const table = call.table(name);
    const placeholders = new Placeholders(request, [request.ProjectionExpression]);
    const projection = bindProjection(textMember(request, 'ProjectionExpression'), placeholders);
    placeholders.refuseUnused();
    const keys = listOf(request.Keys).map((key) => readKey(key, table.definition));
    count += keys.length;
    if (keys.length === 0 || count > MAX_READS) throw tooMany('BatchGetItem');
    refuseRepeated(keys.map((key) => idOf(key, table.definition.key)));
    return { name, table, keys, consistent: request.ConsistentRead === true, projection, request };
  });
}

/**
 * Carries out each write independently; a write that conflicts with another request's transaction stays unprocessed.
 */
export function batchWriteItem(call: Call, input: WireObject): WireObject {
  allow(input, 'RequestItems', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics');
  const capacity = choice(input, 'ReturnConsumedCapacity', CAPACITY);
  const UnprocessedItems: Record<string, unknown[]> = {};
  for (const { name, request, planned } of planWrites(call, input)) {
    const { table, item, next } = planned;
    if (call.isHeld(item)) {
      UnprocessedItems[name] = [...(UnprocessedItems[name] ?? []), request];
      continue;
    }
    const before = table.find(item.key)?.item;
    const after = next(before);
    call.consumption.write(table.name, unitsOf(before, after));
    call.commit([{ ...item, ...(before ? { before } : {}), ...(after ? { after } : {}) }]);
  }
  return { UnprocessedItems, ...call.consumption.report(capacity, 'many') };
}

function planWrites(call: Call, { RequestItems }: WireObject) {
  const requests = Object.entries((RequestItems ?? {}) as Record<string, unknown>);
  if (requests.length === 0) throw atLeastOne('BatchWriteItem');
  const writes = requests.flatMap(([name, members]) => {
    if (listOf(members).length === 0) throw atLeastOne('BatchWriteItem');
    return listOf(members).map((request) => ({
      name,
      request,
      planned: planMember(call, name, request as WireObject),
    }));
  });
  if (writes.length > MAX_WRITES) throw tooMany('BatchWriteItem');
  refuseRepeated(writes.map(({ planned: { table, item } }) => `${table.name}/${idOf(item.key, table.definition.key)}`));
  return writes;
}

function planMember(call: Call, TableName: string, { PutRequest, DeleteRequest }: WireObject): PlannedWrite {
  if ((PutRequest === undefined) === (DeleteRequest === undefined)) {
    throw validation(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  }
  return PutRequest
    ? planPut(call, { TableName, ...(PutRequest as WireObject) })
    : planDelete(call, { TableName, ...(DeleteRequest as WireObject) });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function refuseRepeated(ids: readonly string[]): void {
  if (new Set(ids).size < ids.length) throw validation('Provided list of item keys contains duplicates');
}

const atLeastOne = (operation: string) =>
  validation(
    `1 validation error detected: Value at 'requestItems' of ${operation} failed to satisfy constraint: Member must have length greater than or equal to 1`,
  );

const tooMany = (operation: string) => validation(`Too many items requested for the ${operation} call`);
