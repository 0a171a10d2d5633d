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
  DynamoDbError,
  inProgress,
  parameterMismatch,
  validation,
} from '../errors.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindProjection } from '../expressions/projection.js';
import { idOf, readKey } from '../keys.js';
import { itemBytes, MAX_TRANSACTION_BYTES, readUnits } from '../size.js';
import type { Table } from '../table.js';
import type { Change, Item, ItemKey, WireObject } from '../wire.js';
import { allow, CAPACITY, type Call, choice, nullMember, textMember } from './context.js';
import { type PlannedWrite, planCheck, planDelete, planPut, planUpdate, unitsOf } from './planned-write.js';
import type { Tokens } from './tokens.js';

const MAX_ITEMS = 100;
const MAX_TOKEN = 36;
const NONE: CancellationReason = { Code: 'None' };
const CONFLICT: CancellationReason = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' };
const OF_WRITES = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
];

export function transactWriteItems(call: Call, input: WireObject, tokens: Tokens): WireObject {
  allow(input, 'TransactItems', 'ClientRequestToken', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics');
  const capacity = choice(input, 'ReturnConsumedCapacity', CAPACITY);
  const token = textMember(input, 'ClientRequestToken') || undefined;
  if (token && token.length > MAX_TOKEN) throw tooLong(token);
  const planned = planWrites(call, input);
  if (token !== undefined) {
    if (call.isTokenHeld(token)) throw inProgress();
    const seen = tokens.find(token, input.TransactItems);
    if (seen === 'other') throw parameterMismatch();
    if (seen === 'same') return repeated(call, planned, capacity);
  }
  const { changes, reasons } = decide(call, planned);
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons, call.effects());
  call.commit(changes);
  if (token !== undefined) tokens.keep(token, input.TransactItems);
  return call.consumption.report(capacity, 'transaction');
}

/**
 * Returns the items that the transaction would lock.
 * @throws {DynamoDbError} the transaction's own error, if it isn't valid
 */
export const itemsWritten = (call: Call, input: WireObject): readonly ItemKey[] =>
  planWrites(call, input).map(({ item }) => item);

function planWrites(call: Call, input: WireObject): readonly PlannedWrite[] {
  const planned = members(input).map((member) => planWrite(call, member));
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

function planWrite(call: Call, member: WireObject): PlannedWrite {
  const [kind, ...more] = ['ConditionCheck', 'Put', 'Delete', 'Update'].filter((name) => member[name] !== undefined);
  if (more.length > 0) throw validation('TransactItems can only contain one of Check, Put, Update or Delete');
  if (kind === undefined) {
    throw validation('Invalid Request: TransactWriteRequest should contain Delete or Put or Update request');
  }
  const write = member[kind] as WireObject;
  allow(write, ...OF_WRITES, kind === 'Put' ? 'Item' : 'Key', ...(kind === 'Update' ? ['UpdateExpression'] : []));
  if (kind === 'Put') return planPut(call, write);
  if (kind === 'Delete') return planDelete(call, write);
  if (kind === 'ConditionCheck') return planCheck(call, write);
  if (write.UpdateExpression === undefined) throw nullMember('update.updateExpression');
  return planUpdate(call, write);
}

/** Checks every item, and returns for each one why it prevents the transaction. It writes nothing. */
function decide(call: Call, planned: readonly PlannedWrite[]) {
  const changes: Change[] = [];
  const reasons = planned.map((write): CancellationReason => {
    const { table, item, condition } = write;
    const before = table.find(item.key)?.item;
    let after = before;
    const reason = reasonAgainst(call, write, before, condition, (next) => {
      after = next;
    });
    call.consumption.write(table.name, 2 * unitsOf(before, after));
    if (!write.check) changes.push({ ...item, ...(before ? { before } : {}), ...(after ? { after } : {}) });
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
function repeated(call: Call, planned: readonly PlannedWrite[], capacity: string | undefined): WireObject {
  for (const { table, item } of planned) {
    call.consumption.read(table.name, 2 * readUnits(table.find(item.key)?.bytes ?? 0, true));
  }
  return call.consumption.report(capacity, 'transaction');
}

export function transactGetItems(call: Call, input: WireObject): WireObject {
  allow(input, 'TransactItems', 'ReturnConsumedCapacity');
  const capacity = choice(input, 'ReturnConsumedCapacity', CAPACITY);
  const gets = members(input).map(({ Get }) => planGet(call, Get as WireObject | undefined));
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
  return { Responses, ...call.consumption.report(capacity, 'transaction') };
}

function planGet(call: Call, get: WireObject | undefined) {
  if (get === undefined) throw nullMember('get');
  allow(get, 'TableName', 'Key', 'ProjectionExpression', 'ExpressionAttributeNames');
  const table = call.table(get.TableName);
  const placeholders = new Placeholders(get, [get.ProjectionExpression]);
  const projection = bindProjection(textMember(get, 'ProjectionExpression'), placeholders);
  placeholders.refuseUnused();
  return { table, item: { table: table.name, key: readKey(get.Key, table.definition) }, projection };
}

function members({ TransactItems }: WireObject): readonly WireObject[] {
  if (!Array.isArray(TransactItems)) throw nullMember('transactItems');
  const bound = TransactItems.length === 0 ? 'greater than or equal to 1' : `less than or equal to ${MAX_ITEMS}`;
  if (TransactItems.length === 0 || TransactItems.length > MAX_ITEMS) {
    throw validation(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length ${bound}`,
    );
  }
  return TransactItems;
}

function refuseRepeated(planned: readonly { readonly table: Table; readonly item: ItemKey }[]): void {
  const ids = new Set(planned.map(({ table, item }) => `${table.name}/${idOf(item.key, table.definition.key)}`));
  if (ids.size < planned.length) {
    throw validation('Transaction request cannot include multiple operations on one item');
  }
}

const tooLong = (token: string) =>
  validation(
    `1 validation error detected: Value '${token}' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to ${MAX_TOKEN}`,
  );
