/** AWS, "API Reference: BatchGetItem, BatchWriteItem". */
import { constraintsViolated, validation } from '../errors.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { idOf, readKey } from '../keys.js';
import { MAX_BATCH_READ_BYTES, readUnits, unitsOf } from '../size.js';
import { shuffled } from '../stream.js';
import type { WireObject } from '../wire.js';
import { collectionMetrics } from './collection-metrics.js';
import { anything, violation } from './constraints.js';
import type { Call } from './context.js';
import { type PlannedWrite, planDelete, planPut } from './planned-write.js';
import { readRequest, textMember } from './request.js';
import { CAPACITY, COLLECTION_METRICS, defineShape } from './shape.js';

const MAX_READS = 100;
const MAX_WRITES = 25;
const READS = defineShape([], { RequestItems: anything, ReturnConsumedCapacity: CAPACITY });
const WRITES = defineShape([], {
  RequestItems: anything,
  ReturnConsumedCapacity: CAPACITY,
  ReturnItemCollectionMetrics: COLLECTION_METRICS,
});
const OF_TABLE = defineShape(['Keys'], { ConsistentRead: anything }, ['ProjectionExpression'], ['AttributesToGet']);

/** Reads items in an order that applications can't rely on; items beyond 16 MB stay unprocessed. */
export function batchGetItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, READS);
  const requests = planReads(call, input);
  const Responses: Record<string, readonly unknown[]> = {};
  const UnprocessedKeys: Record<string, unknown> = {};
  const { pageItems = Number.POSITIVE_INFINITY } = call.world;
  let [bytes, read] = [0, 0];
  for (const { name, table, keys, consistent, projection, request } of requests) {
    const items: unknown[] = [];
    const left: unknown[] = [];
    for (const key of keys) {
      const entry = table.read(key, consistent);
      if (bytes + (entry?.bytes ?? 0) > MAX_BATCH_READ_BYTES || read >= pageItems) {
        left.push(key);
        continue;
      }
      read++;
      bytes += entry?.bytes ?? 0;
      call.consumption.read(table.name, readUnits(entry?.bytes ?? 0, consistent));
      if (entry) items.push(projection ? projection.of(entry.item) : entry.item);
    }
    Responses[name] = shuffled(items, call.world.random);
    if (left.length > 0) UnprocessedKeys[name] = { ...request, Keys: left };
  }
  return { Responses, UnprocessedKeys, ...call.consumption.report(input.ReturnConsumedCapacity, 'many') };
}

function planReads(call: Call, { RequestItems }: WireObject) {
  const requests = Object.entries((RequestItems ?? {}) as Record<string, WireObject>);
  if (requests.length === 0) throw atLeastOne('BatchGetItem');
  let count = 0;
  return requests.map(([name, asked]) => {
    const request = readRequest(asked, OF_TABLE, `requestItems.${name}.member.`);
    const given = toList(request.Keys);
    if (given.length > MAX_READS) {
      throw constraintsViolated([
        `Value at 'RequestItems.${name}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to ${MAX_READS}`,
      ]);
    }
    const table = call.table(name);
    const placeholders = new Placeholders(request, OF_TABLE.expressions);
    const projection = bindProjection(textMember(request, 'ProjectionExpression'), placeholders);
    placeholders.refuseUnused();
    const keys = given.map((key) => readKey(key, table.definition));
    count += keys.length;
    if (keys.length === 0) {
      throw constraintsViolated(
        violation([], `requestItems.${name}.member.keys`, 'Member must have length greater than or equal to 1'),
      );
    }
    if (count > MAX_READS) throw tooMany('BatchGetItem');
    refuseRepeated(keys.map((key) => idOf(key, table.definition.key)));
    return { name, table, keys, consistent: request.ConsistentRead === true, projection, request: asked };
  });
}

/**
 * Carries out each write independently; a write that conflicts with another request's transaction, or whose partition has no
 * units left, stays unprocessed.
 */
export function batchWriteItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, WRITES);
  const done: PlannedWrite[] = [];
  const UnprocessedItems: Record<string, unknown[]> = {};
  for (const { name, request, planned } of planWrites(call, input)) {
    const { table, item, next } = planned;
    const before = table.find(item.key)?.item;
    const after = next(before);
    const change = { ...item, ...(before ? { before } : {}), ...(after ? { after } : {}) };
    if (call.isHeld(item) || call.throttledBy(change)) {
      UnprocessedItems[name] = [...(UnprocessedItems[name] ?? []), request];
      continue;
    }
    call.consumption.write(table.name, unitsOf(before, after));
    call.commit([change]);
    done.push(planned);
  }
  return {
    UnprocessedItems,
    ...call.consumption.report(input.ReturnConsumedCapacity, 'many'),
    ...collectionMetrics(input, done, 'many'),
  };
}

function planWrites(call: Call, { RequestItems }: WireObject) {
  const requests = Object.entries((RequestItems ?? {}) as Record<string, unknown>);
  if (requests.length === 0) throw atLeastOne('BatchWriteItem');
  if (requests.some(([, members]) => toList(members).length === 0 || toList(members).length > MAX_WRITES)) {
    throw constraintsViolated(
      violation(
        RequestItems,
        'requestItems',
        `Map value must satisfy constraint: [Member must have length less than or equal to ${MAX_WRITES}, Member must have length greater than or equal to 1]`,
      ),
    );
  }
  const writes = requests.flatMap(([name, members]) => {
    return toList(members).map((request) => ({
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

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function refuseRepeated(ids: readonly string[]): void {
  if (new Set(ids).size < ids.length) throw validation('Provided list of item keys contains duplicates');
}

const atLeastOne = (operation: string) => validation(`The requestItems parameter is required for ${operation}`);

const tooMany = (operation: string) => validation(`Too many items requested for the ${operation} call`);
