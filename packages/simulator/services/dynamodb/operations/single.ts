/** AWS, "API Reference: GetItem, PutItem, UpdateItem, DeleteItem". */
import { conditionFailed, conflict, throttled, validation } from '../errors.js';
import type { Path } from '../expressions/paths.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection, project } from '../expressions/projection.js';
import { readKey } from '../keys.js';
import { readUnits, unitsOf } from '../size.js';
import type { AttributeValue, Item, WireObject } from '../wire.js';
import { collectionMetrics } from './collection-metrics.js';
import { anything, oneOf } from './constraints.js';
import type { Call } from './context.js';
import { type PlannedWrite, planDelete, planPut, planUpdate } from './planned-write.js';
import { readRequest, textMember } from './request.js';
import { CAPACITY, COLLECTION_METRICS, defineShape, ON_CONDITION_FAILURE } from './shape.js';

const RETURN_VALUES = ['ALL_NEW', 'UPDATED_OLD', 'ALL_OLD', 'NONE', 'UPDATED_NEW'] as const;
type ReturnValues = (typeof RETURN_VALUES)[number];

const GET = defineShape(
  ['TableName', 'Key'],
  { ReturnConsumedCapacity: CAPACITY, ConsistentRead: anything },
  ['ProjectionExpression'],
  ['AttributesToGet'],
);
const OF_WRITES = {
  ReturnConsumedCapacity: CAPACITY,
  ReturnItemCollectionMetrics: COLLECTION_METRICS,
  ReturnValues: oneOf(...RETURN_VALUES),
  ReturnValuesOnConditionCheckFailure: ON_CONDITION_FAILURE,
};
const CONDITION = ['ConditionExpression'] as const;
const EXPECTED = ['Expected', 'ConditionalOperator'] as const;
const PUT = defineShape(['TableName', 'Item'], OF_WRITES, CONDITION, EXPECTED);
const DELETE = defineShape(['TableName', 'Key'], OF_WRITES, CONDITION, EXPECTED);
const UPDATE = defineShape(
  ['TableName', 'Key'],
  OF_WRITES,
  ['UpdateExpression', 'ConditionExpression'],
  ['AttributeUpdates', ...EXPECTED],
);

export function getItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, GET);
  const table = call.table(input.TableName);
  const key = readKey(input.Key, table.definition);
  const placeholders = new Placeholders(input, GET.expressions);
  const projection = bindProjection(textMember(input, 'ProjectionExpression'), placeholders);
  placeholders.refuseUnused();
  const consistent = input.ConsistentRead === true;
  const entry = table.read(key, consistent);
  const partition = key[table.definition.key.partition] as AttributeValue;
  call.read(table, partition, readUnits(entry?.bytes ?? 0, consistent));
  return {
    ...(entry ? { Item: projection ? projection.of(entry.item) : entry.item } : {}),
    ...call.consumption.report(input.ReturnConsumedCapacity, 'one'),
  };
}

export function putItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, PUT);
  const wanted = returnValues(input, ['NONE', 'ALL_OLD']);
  return write(call, input, planPut(call, input), wanted);
}

export function deleteItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, DELETE);
  const wanted = returnValues(input, ['NONE', 'ALL_OLD']);
  return write(call, input, planDelete(call, input), wanted);
}

export function updateItem(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, UPDATE);
  const wanted = returnValues(input, RETURN_VALUES);
  return write(call, input, planUpdate(call, input), wanted);
}

/**
 * Writes one item at once. It can be refused by another request's transaction on the item, then by its own condition,
 * then by the item itself.
 */
function write(call: Call, input: WireObject, planned: PlannedWrite, wanted: ReturnValues): WireObject {
  const { table, item, condition, paths } = planned;
  if (call.isHeld(item)) throw conflict();
  const before = table.find(item.key)?.item;
  if (condition && !call.judge(item, condition, before)) {
    call.consumption.write(table.name, unitsOf(before, undefined));
    throw conditionFailed(planned.returnOnFailure ? before : undefined, call.effects());
  }
  const after = planned.next(before);
  const change = { ...item, ...(before ? { before } : {}), ...(after ? { after } : {}) };
  const owner = call.throttledBy(change);
  if (owner) throw throttled(owner, 'Write');
  call.consumption.write(table.name, unitsOf(before, after));
  call.commit([change]);
  const attributes = selectReturnValues(wanted, before, after, paths ?? []);
  return {
    ...(attributes ? { Attributes: attributes } : {}),
    ...call.consumption.report(input.ReturnConsumedCapacity, 'one'),
    ...collectionMetrics(input, [planned], 'one'),
  };
}

/** `Attributes` of the answer; absent if there are none to show. */
function selectReturnValues(
  wanted: ReturnValues,
  before: Item | undefined,
  after: Item | undefined,
  paths: readonly Path[],
): Item | undefined {
  if (wanted === 'ALL_OLD') return before;
  if (wanted === 'ALL_NEW') return after;
  const item = wanted === 'UPDATED_OLD' ? before : wanted === 'UPDATED_NEW' ? after : undefined;
  const updated = item && project(item, paths);
  return updated && Object.keys(updated).length > 0 ? updated : undefined;
}

function returnValues(input: WireObject, allowed: readonly ReturnValues[]): ReturnValues {
  const wanted = (input.ReturnValues as ReturnValues | undefined) ?? 'NONE';
  if (!allowed.includes(wanted)) throw validation('Return values set to invalid value');
  return wanted;
}
