import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { DynamoDbModel } from './model.js';
import type { Item, WireObject } from './wire.js';

const item = (pk: string, more: WireObject = {}) => ({ pk: { S: pk }, sk: { N: '1' }, ...more }) as unknown as Item;
const put = (pk: string, more: WireObject = {}) => ({ TableName: TABLE, Item: item(pk, more) });

/** Two write units and one read unit a second for each of two partitions; `a` and `b` are in different ones. */
const limited = (partitions = 2) => {
  const made = model({ partitions: { partitions, readUnits: 1, writeUnits: 2, burstSeconds: 1 } });
  const { db, clock } = made;
  const pass = (milliseconds: number): void => {
    clock.now += milliseconds;
  };
  const writes = (pk: string, times: number, more: WireObject = {}) =>
    Array.from({ length: times }, () => db.call('PutItem', put(pk, more)));
  return { db, writes, pass };
};

const THROTTLED = 'com.amazon.coral.availability#ThrottlingException';
const reasonsOf = (db: DynamoDbModel, operation: 'PutItem' | 'GetItem' | 'Query', input: WireObject) => {
  const { code, body } = refusal(db, operation, input);
  return [code, (body.throttlingReasons as readonly { reason: string }[])[0]?.reason];
};

describe('a partition', () => {
  test('takes its write units of a second, for all callers; another partition has its own', () => {
    const { db, writes, pass } = limited();
    writes('a', 2);
    expect(reasonsOf(db, 'PutItem', put('a'))).toEqual([THROTTLED, 'TableWriteKeyRangeThroughputExceeded']);
    writes('b', 2);
    pass(500);
    writes('a', 1);
    expect(refusal(db, 'PutItem', put('a')).code).toBe(THROTTLED);
  });

  test('keeps no more than its burst', () => {
    const { db, writes, pass } = limited();
    pass(60_000);
    writes('a', 2);
    expect(refusal(db, 'PutItem', put('a')).code).toBe(THROTTLED);
  });

  test('carries out what finds units left, and takes nothing until they are paid back', () => {
    const { db, writes, pass } = limited();
    writes('a', 1, { x: { S: 'x'.repeat(5_000) } });
    pass(1_500);
    expect(refusal(db, 'PutItem', put('a')).code).toBe(THROTTLED);
    pass(1_000);
    writes('a', 1);
  });

  test('takes its read units of a second, by key and by query', () => {
    const { db, pass } = limited();
    const get = { TableName: TABLE, Key: item('a'), ConsistentRead: true };
    const query = {
      TableName: TABLE,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'a' } },
    };
    db.call('GetItem', get);
    expect(reasonsOf(db, 'GetItem', get)).toEqual([THROTTLED, 'TableReadKeyRangeThroughputExceeded']);
    expect(refusal(db, 'Query', query).code).toBe(THROTTLED);
    pass(1_000);
    db.call('Query', query);
  });

  test('an index partition without units refuses the write to its table', () => {
    const { db, writes } = limited(1);
    // Three indexes by `kind` have an entry of one unit; each has units of its own.
    const kind = { kind: { S: 'k' }, level: { N: '1' }, tag: { S: 't' } };
    const { db: wide } = model({ partitions: { partitions: 64, readUnits: 1, writeUnits: 2, burstSeconds: 1 } });
    for (const pk of ['a', 'b']) wide.call('PutItem', put(pk, kind));
    expect(reasonsOf(wide, 'PutItem', put('c', kind))).toEqual([THROTTLED, 'IndexWriteKeyRangeThroughputExceeded']);
    wide.call('PutItem', put('d'));
    writes('a', 2);
    expect(reasonsOf(db, 'PutItem', put('c', kind))).toEqual([THROTTLED, 'TableWriteKeyRangeThroughputExceeded']);
  });
});

test('a transaction is cancelled for the item whose partition has no units left, and pays twice for each', () => {
  const { db } = limited();
  const of = (...keys: readonly string[]) => ({ TransactItems: keys.map((pk) => ({ Put: put(pk) })) });
  db.call('TransactWriteItems', of('a'));
  const { type, body } = refusal(db, 'TransactWriteItems', of('b', 'a'));
  expect(type).toBe('TransactionCanceledException');
  expect(body.CancellationReasons).toMatchObject([{ Code: 'None' }, { Code: 'ThrottlingError' }]);
  expect(db.items(TABLE)).toHaveLength(1);
});

test('a batch leaves the writes unprocessed whose partitions have no units left', () => {
  const { db, writes } = limited();
  writes('a', 2);
  const requests = ['a', 'b'].map((pk) => ({ PutRequest: { Item: item(pk) } }));
  const { output } = db.call('BatchWriteItem', { RequestItems: { [TABLE]: requests } });
  expect(output.UnprocessedItems).toEqual({ [TABLE]: [requests[0]] });
});

test('a partition without limits takes everything', () => {
  const { db } = model();
  for (let times = 0; times < 5_000; times++) db.call('PutItem', put('a'));
});
