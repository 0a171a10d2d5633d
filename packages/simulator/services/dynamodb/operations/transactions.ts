/**
 * All-or-nothing operations on up to 100 items. AWS, "Amazon DynamoDB Transactions: How it works"; "API Reference:
 * TransactWriteItems, TransactGetItems, CancellationReason".
 *
 * Units are doubled per item of the transaction. AWS documents neither of these two rules: index entries are counted
 * once (they are no items of the transaction), and a cancelled transaction costs as much as a committed one, except for
 * its index writes.
 */
import {
  type CancellationReason,
  cancelled,
  constraintsViolated,
  DynamoDbError,
  ItemRefused,
  inProgress,
  parameterMismatch,
  throttlingReason,
  validation,
} from '../errors.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { idOf, readKey } from '../keys.js';
import { itemBytes, MAX_TRANSACTION_BYTES, readUnits, unitsOf } from '../size.js';
import type { Table } from '../table.js';
import type { Change, Item, ItemKey, WireObject } from '../wire.js';
import { collectionMetrics } from './collection-metrics.js';
import { members, text, toMessageName, violation } from './constraints.js';
import type { Call } from './context.js';
import { type PlannedWrite, planCheck, planDelete, planPut, planUpdate } from './planned-write.js';
import { readRequest, textMember } from './request.js';
import { CAPACITY, COLLECTION_METRICS, defineShape, ON_CONDITION_FAILURE, type Shape } from './shape.js';
import type { Tokens } from './tokens.js';

const MAX_ITEMS = 100;
const MAX_TOKEN = 36;
const NONE: CancellationReason = { Code: 'None' };
const CONFLICT: CancellationReason = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' };
const ITEMS = members(1, MAX_ITEMS);
const WRITES = defineShape(['TransactItems'], {
  TransactItems: ITEMS,
  ClientRequestToken: text(1, MAX_TOKEN),
  ReturnConsumedCapacity: CAPACITY,
  ReturnItemCollectionMetrics: COLLECTION_METRICS,
});
const GETS = defineShape(['TransactItems'], { TransactItems: ITEMS, ReturnConsumedCapacity: CAPACITY });
const GET = defineShape(['TableName', 'Key'], {}, ['ProjectionExpression']);
const RETURNED = { ReturnValuesOnConditionCheckFailure: ON_CONDITION_FAILURE };
const CONDITION = ['ConditionExpression'] as const;

type Plan = (call: Call, input: WireObject) => PlannedWrite;
const KINDS: Readonly<Record<string, { readonly shape: Shape; readonly plan: Plan }>> = {
  ConditionCheck: { shape: defineShape(['TableName', 'Key', ...CONDITION], RETURNED, CONDITION), plan: planCheck },
  Put: { shape: defineShape(['TableName', 'Item'], RETURNED, CONDITION), plan: planPut },
  Delete: { shape: defineShape(['TableName', 'Key'], RETURNED, CONDITION), plan: planDelete },
  Update: {
    shape: defineShape(['TableName', 'Key', 'UpdateExpression'], RETURNED, ['UpdateExpression', ...CONDITION]),
    plan: planUpdate,
  },
};

export function transactWriteItems(call: Call, given: WireObject, tokens: Tokens): WireObject {
  const input = readRequest(given, WRITES);
  const token = textMember(input, 'ClientRequestToken');
  const planned = planWrites(call, input);
  if (token !== undefined) {
    if (call.isTokenHeld(token)) throw inProgress();
    const seen = tokens.find(token, input.TransactItems);
    if (seen === 'other') throw parameterMismatch();
    if (seen === 'same') return answerRepeated(call, planned, input.ReturnConsumedCapacity);
  }
  const { changes, reasons } = decide(call, planned);
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons, call.effects());
  call.commit(changes, 2);
  if (token !== undefined) tokens.keep(token, input.TransactItems);
  return {
    ...call.consumption.report(input.ReturnConsumedCapacity, 'transaction'),
    ...collectionMetrics(input, planned, 'many'),
  };
}

/**
 * Returns the items that the transaction would lock.
 * @throws {DynamoDbError} the transaction's own error, if it isn't valid
 */
export const listWrittenItems = (call: Call, input: WireObject): readonly ItemKey[] =>
  planWrites(call, input).map(({ item }) => item);

function planWrites(call: Call, input: WireObject): readonly PlannedWrite[] {
  const planned = eachPlanned(call, input, (member, at) => planWrite(call, member, at));
  refuseRepeated(planned);
  const bytes = planned.reduce((sum, { item, check, next, paths }) => {
    const put = check || paths ? undefined : next(undefined);
    return sum + itemBytes(put ?? item.key);
  }, 0);
  if (bytes > MAX_TRANSACTION_BYTES) {
    throw validation(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
  }
  return planned;
}

/** @throws {DynamoDbError} TransactionCanceledException if an item is refused because of its key, attributes or size */
function eachPlanned<T>(call: Call, { TransactItems }: WireObject, plan: (member: WireObject, at: number) => T): T[] {
  const reasons: CancellationReason[] = [];
  const planned: T[] = [];
  for (const [at, member] of (TransactItems as readonly WireObject[]).entries()) {
    try {
      planned.push(plan(member, at));
      reasons.push(NONE);
    } catch (error) {
      if (!(error instanceof ItemRefused)) throw error;
      reasons.push({ Code: 'ValidationError', Message: error.message });
    }
  }
  if (planned.length < reasons.length) throw cancelled(reasons, call.effects());
  return planned;
}

function planWrite(call: Call, member: WireObject, at: number): PlannedWrite {
  const [kind, ...more] = Object.keys(KINDS).filter((name) => member[name] !== undefined);
  if (more.length > 0) throw validation('TransactItems can only contain one of Check, Put, Update or Delete');
  const known = kind === undefined ? undefined : KINDS[kind];
  if (!kind || !known) {
    throw validation('Invalid Request: TransactWriteRequest should contain Delete or Put or Update request');
  }
  const path = `transactItems.${at + 1}.member.${toMessageName(kind)}.`;
  return known.plan(call, readRequest(member[kind] as WireObject, known.shape, path));
}

/** Checks every item, and returns for each one why it prevents the transaction. It writes nothing. */
function decide(call: Call, planned: readonly PlannedWrite[]) {
  const changes: Change[] = [];
  const reasons = planned.map((write): CancellationReason => {
    const { table, item, condition } = write;
    const before = table.find(item.key)?.item;
    let after = before;
    const refused = reasonAgainst(call, write, before, condition, (next) => {
      after = next;
    });
    const change = { ...item, ...(before ? { before } : {}), ...(after ? { after } : {}) };
    const owner = refused === NONE ? call.throttledBy(change) : undefined;
    const reason = owner ? throttlingReason(owner) : refused;
    call.consumption.write(table.name, 2 * unitsOf(before, after));
    if (!write.check) changes.push(change);
    return reason;
  });
  return { changes, reasons };
}

function reasonAgainst(
  call: Call,
  { item, next, returnOnFailure }: PlannedWrite,
  before: Item | undefined,
  condition: PlannedWrite['condition'],
  allowed: (after: Item | undefined) => void,
): CancellationReason {
  if (call.isHeld(item)) return CONFLICT;
  if (condition && !call.judge(item, condition, before)) {
    return {
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
      ...(returnOnFailure && before ? { Item: before } : {}),
    };
  }
  try {
    allowed(next(before));
    return NONE;
  } catch (error) {
    if (error instanceof DynamoDbError) return { Code: 'ValidationError', Message: error.message };
    throw error;
  }
}

/**
 * Answers a transaction that was committed within the last 10 minutes: nothing happens, and it costs a read of the
 * items.
 */
function answerRepeated(call: Call, planned: readonly PlannedWrite[], capacity: unknown): WireObject {
  for (const { table, item } of planned) {
    call.consumption.read(table.name, 2 * readUnits(table.find(item.key)?.bytes ?? 0, true));
  }
  return call.consumption.report(capacity, 'transaction');
}

export function transactGetItems(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, GETS);
  const gets = eachPlanned(call, input, ({ Get }, at) => planGet(call, Get as WireObject | undefined, at));
  refuseRepeated(gets);
  const reasons = gets.map(({ item }) => (call.isHeld(item) ? CONFLICT : NONE));
  const entries = gets.map(({ table, item }) => table.find(item.key));
  for (const [at, { table }] of gets.entries()) {
    call.consumption.read(table.name, 2 * readUnits(entries[at]?.bytes ?? 0, true));
  }
  if (reasons.includes(CONFLICT)) throw cancelled(reasons, call.effects());
  const Responses = gets.map(({ projection }, at) => {
    const item = entries[at]?.item;
    return item ? { Item: projection ? projection.of(item) : item } : {};
  });
  return { Responses, ...call.consumption.report(input.ReturnConsumedCapacity, 'transaction') };
}

function planGet(call: Call, given: WireObject | undefined, at: number) {
  const path = `transactItems.${at + 1}.member.get`;
  if (given === undefined) throw constraintsViolated(violation(undefined, path, 'Member must not be null'));
  const get = readRequest(given, GET, `${path}.`);
  const table = call.table(get.TableName);
  const placeholders = new Placeholders(get, GET.expressions);
  const projection = bindProjection(textMember(get, 'ProjectionExpression'), placeholders);
  placeholders.refuseUnused();
  return { table, item: { table: table.name, key: readKey(get.Key, table.definition) }, projection };
}

function refuseRepeated(planned: readonly { readonly table: Table; readonly item: ItemKey }[]): void {
  const ids = new Set(planned.map(({ table, item }) => `${table.name}/${idOf(item.key, table.definition.key)}`));
  if (ids.size < planned.length) {
    throw validation('Transaction request cannot include multiple operations on one item');
  }
}
