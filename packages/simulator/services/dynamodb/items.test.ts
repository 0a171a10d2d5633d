import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, PROPERTIES, TABLE } from '../../support/dynamodb/tables.js';
import { NotModelled } from '../../wire/operation.js';
import type { Operation } from './model.js';
import type { Item, WireObject } from './wire.js';

const at = (pk: string, sk: number): Item => ({ pk: { S: pk }, sk: { N: String(sk) } });
const put = (item: WireObject, more: WireObject = {}) => ({ TableName: TABLE, Item: item, ...more });
const ofText = (bytes: number) => ({ S: 'x'.repeat(bytes) });

describe('an item', () => {
  test.each<[string, WireObject, RegExp]>([
    ['no sort key', { pk: { S: 'a' } }, /Missing the key sk in the item/],
    ['an empty key', { pk: { S: '' }, sk: { N: '1' } }, /cannot contain an empty string value. Key: pk/],
    ['a key of another type', { pk: { N: '1' }, sk: { N: '1' } }, /Type mismatch for key pk expected: S actual: N/],
    ['a partition key over 2,048 bytes', { ...at('x'.repeat(2049), 1) }, /maximum size limit of2048 bytes/],
    ['an index key of another type', { ...at('a', 1), kind: { N: '1' } }, /Type mismatch for Index Key kind/],
    ['an empty index key', { ...at('a', 1), kind: { S: '' } }, /IndexName: byKind, IndexKey: kind/],
    ['an empty set', { ...at('a', 1), x: { SS: [] } }, /An string set {2}may not be empty/],
    ['a member twice', { ...at('a', 1), x: { NS: ['1', '1.0'] } }, /contains duplicates/],
    ['a false null', { ...at('a', 1), x: { NULL: false } }, /must have the value of true/],
    ['two types in one', { ...at('a', 1), x: { S: 'a', N: '1' } }, /more than one datatypes set/],
    ['no type', { ...at('a', 1), x: {} }, /Supplied AttributeValue is empty/],
    ['a size over 400 KB', { ...at('a', 1), x: ofText(400 * 1024) }, /Item size has exceeded the maximum allowed size/],
  ])('an item with %s is refused', (_what, item, message) => {
    const error = refusal(model().db, 'PutItem', put(item));
    expect(error).toMatchObject({ code: 'com.amazon.coral.validate#ValidationException', status: 400 });
    expect(error.message).toMatch(message);
  });

  test('an item of exactly 400 KB is kept', () => {
    const { db } = model();
    const names = 'pk'.length + 'a'.length + 'sk'.length + 2 + 'x'.length;
    db.call('PutItem', put({ ...at('a', 1), x: ofText(400 * 1024 - names) }));
    expect(refusal(db, 'PutItem', put({ ...at('a', 1), x: ofText(400 * 1024 - names + 1) })).type).toBe(
      'ValidationException',
    );
  });

  test('the store keeps its own copy of an item: later changes of the request or an answer have no effect', () => {
    const { db } = model();
    const item = { ...at('a', 1), m: { M: { k: { N: '1' } } } };
    db.call('PutItem', put(item));
    (item.m.M.k as { N: string }).N = '2';
    const [kept] = db.items(TABLE);
    expect(kept).toMatchObject({ m: { M: { k: { N: '1' } } } });
    expect(Object.isFrozen((kept as typeof item).m.M)).toBe(true);
  });
});

describe('a conditional write', () => {
  const refused = put(at('a', 1), { ConditionExpression: 'attribute_not_exists(pk)' });

  test('a refused write shows the item where it was asked to, and costs what it found', () => {
    const { db } = model();
    db.call('PutItem', put({ ...at('a', 1), x: ofText(1500) }));
    const error = refusal(db, 'PutItem', { ...refused, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    expect(error.code).toBe('com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException');
    expect(error.body).toMatchObject({
      __type: error.code,
      message: 'The conditional request failed',
      Item: { x: ofText(1500) },
    });
    expect(error.effects).toEqual({
      consumed: [{ table: TABLE, read: 0, write: 2 }],
      conditions: [{ table: TABLE, key: at('a', 1), holds: false }],
      changes: [],
    });
    expect(refusal(db, 'PutItem', refused).body).not.toHaveProperty('Item');
  });

  test('a successful write says what it did', () => {
    const { db } = model();
    const { output, effects } = db.call('PutItem', refused);
    expect(output).toEqual({});
    expect(effects.conditions).toEqual([{ table: TABLE, key: at('a', 1), holds: true }]);
    expect(effects.changes).toEqual([{ table: TABLE, key: at('a', 1), after: at('a', 1) }]);
  });
});

describe('units', () => {
  const indexes = { ReturnConsumedCapacity: 'INDEXES' };

  test('the units of a write follow the larger of both items, and each index that changes', () => {
    const { db } = model();
    const big = { ...at('a', 1), kind: { S: 'k' }, level: { N: '1' }, x: ofText(2000) };
    expect(db.call('PutItem', put(big, indexes)).output.ConsumedCapacity).toEqual({
      TableName: TABLE,
      CapacityUnits: 5,
      Table: { CapacityUnits: 2 },
      GlobalSecondaryIndexes: { byKind: { CapacityUnits: 2 }, kindKeys: { CapacityUnits: 1 } },
    });
    // With another level: the entry in byKind is deleted and written again, and kindKeys doesn't contain the level.
    const { output } = db.call('PutItem', put({ ...big, level: { N: '2' }, x: ofText(10) }, indexes));
    expect(output.ConsumedCapacity).toMatchObject({
      CapacityUnits: 5,
      GlobalSecondaryIndexes: { byKind: { CapacityUnits: 3 } },
    });
    // Without a kind, the item leaves both indexes.
    const left = db.call('PutItem', put(at('a', 1), indexes)).output.ConsumedCapacity;
    expect(left).toMatchObject({ CapacityUnits: 3, GlobalSecondaryIndexes: { byKind: { CapacityUnits: 1 } } });
    expect(db.call('PutItem', put({ ...at('a', 1), y: { N: '1' } }, indexes)).output.ConsumedCapacity).toEqual({
      TableName: TABLE,
      CapacityUnits: 1,
      Table: { CapacityUnits: 1 },
    });
  });

  test.each([
    [10, false, 0.5],
    [10, true, 1],
    [4096, true, 2],
    [8200, false, 1.5],
  ])('the units of reading %i bytes and a bit, consistently %s: %d', (bytes, ConsistentRead, units) => {
    const { db } = model();
    db.call('PutItem', put({ ...at('a', 1), x: ofText(bytes) }));
    const get = { TableName: TABLE, Key: at('a', 1), ConsistentRead, ReturnConsumedCapacity: 'TOTAL' };
    expect(db.call('GetItem', get).output.ConsumedCapacity).toEqual({ TableName: TABLE, CapacityUnits: units });
    expect(db.call('GetItem', { ...get, Key: at('b', 1) }).output.ConsumedCapacity).toMatchObject({
      CapacityUnits: ConsistentRead ? 1 : 0.5,
    });
  });
});

test('a request outside of the model is an error of the model, not an answer of AWS', () => {
  const { db } = model();
  expect(() => db.call('PutItem', put(at('a', 1), { Until: {} }))).toThrow(NotModelled);
  const wrong = { Type: 'AWS::DynamoDB::Table', Properties: { ...PROPERTIES, ImportSourceSpecification: {} } };
  expect(() => db.createTable('other', wrong)).toThrow(/ImportSourceSpecification/);
  expect(() => db.call('CreateBackup' as Operation, { TableName: TABLE })).toThrow(NotModelled);
  expect(refusal(db, 'GetItem', { TableName: 'nowhere', Key: at('a', 1) }).type).toBe('ResourceNotFoundException');
});

test('an eventually consistent read lags by the configured time', () => {
  const { db, clock } = model();
  db.call('PutItem', put({ ...at('a', 1), v: { N: '1' } }));
  clock.now += 1000;
  db.call('PutItem', put({ ...at('a', 1), v: { N: '2' } }));
  db.call('PutItem', put(at('a', 2)));
  const lagging = (operation: Operation, input: WireObject) => db.call(operation, input, undefined, 500).output;
  const get = (ConsistentRead: boolean) =>
    lagging('GetItem', { TableName: TABLE, Key: at('a', 1), ConsistentRead }).Item;
  expect([get(true), get(false)]).toMatchObject([{ v: { N: '2' } }, { v: { N: '1' } }]);
  const query = {
    TableName: TABLE,
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 'a' } },
  };
  expect(lagging('Query', query).Items).toEqual([{ ...at('a', 1), v: { N: '1' } }]);
  expect(lagging('Query', { ...query, ConsistentRead: true }).Count).toBe(2);
  const keys = { RequestItems: { [TABLE]: { Keys: [at('a', 1), at('a', 2)] } } };
  expect(lagging('BatchGetItem', keys).Responses).toEqual({ [TABLE]: [{ ...at('a', 1), v: { N: '1' } }] });
  expect(lagging('Scan', { TableName: TABLE }).Items).toEqual([{ ...at('a', 1), v: { N: '1' } }]);
  expect(lagging('Scan', { TableName: TABLE, ConsistentRead: true }).Count).toBe(2);
});

test('one call may get a lag of its own, and sees nothing that is older than five seconds', () => {
  const { db, clock } = model();
  const read = (staleBy?: number) =>
    db.call('GetItem', { TableName: TABLE, Key: at('a', 1) }, undefined, staleBy).output.Item;
  db.call('PutItem', put(at('a', 1)));
  db.call('DeleteItem', { TableName: TABLE, Key: at('a', 1) });
  clock.now += 1000;
  db.call('PutItem', put({ ...at('a', 1), v: { N: '1' } }));
  clock.now += 4000;
  expect([read(), read(3_999)]).toMatchObject([{ v: { N: '1' } }, { v: { N: '1' } }]);
  expect(read(4_001)).toBeUndefined();
  clock.now += 1000;
  db.call('PutItem', put({ ...at('a', 1), v: { N: '2' } }));
  expect([read(60_000), read()]).toMatchObject([{ v: { N: '1' } }, { v: { N: '2' } }]);
});
