import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { Hold } from './holds.js';
import type { DynamoDbModel } from './model.js';
import type { Item, WireObject } from './wire.js';

const at = (pk: string): Item => ({ pk: { S: pk }, sk: { N: '1' } });
const put = (pk: string, more: WireObject = {}, item: WireObject = {}) => ({
  Put: { TableName: TABLE, Item: { ...at(pk), ...item }, ...more },
});
const check = (pk: string) => ({
  ConditionCheck: { TableName: TABLE, Key: at(pk), ConditionExpression: 'attribute_exists(pk)' },
});
const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
const of = (...TransactItems: readonly WireObject[]) => ({ TransactItems });

describe('a transaction', () => {
  test('writes nothing where one condition fails, and says why of each item', () => {
    const { db } = model();
    db.call('PutItem', { TableName: TABLE, Item: { ...at('there'), v: { N: '1' } } });
    const before = db.digest();
    const update = {
      TableName: TABLE,
      Key: at('c'),
      UpdateExpression: 'SET v = v + :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    };
    const error = refusal(
      db,
      'TransactWriteItems',
      of(put('a'), put('there', { ...isNew, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }), check('b'), {
        Update: update,
      }),
    );
    expect(error.code).toBe('com.amazonaws.dynamodb.v20120810#TransactionCanceledException');
    expect(error.message).toBe(
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, ConditionalCheckFailed, ValidationError]',
    );
    expect(error.body.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: { ...at('there'), v: { N: '1' } },
      },
      { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      {
        Code: 'ValidationError',
        Message: 'The provided expression refers to an attribute that does not exist in the item',
      },
    ]);
    expect(db.digest()).toBe(before);
  });

  test('costs twice per item, checks included', () => {
    const { db } = model();
    db.call('PutItem', { TableName: TABLE, Item: at('b') });
    const big = put('a', isNew, { x: { S: 'x'.repeat(1500) }, kind: { S: 'k' } });
    const { output } = db.call('TransactWriteItems', { ...of(big, check('b')), ReturnConsumedCapacity: 'INDEXES' });
    expect(output.ConsumedCapacity).toEqual([
      {
        TableName: TABLE,
        CapacityUnits: 7,
        WriteCapacityUnits: 7,
        Table: { CapacityUnits: 6, WriteCapacityUnits: 6 },
        GlobalSecondaryIndexes: { kindKeys: { CapacityUnits: 1, WriteCapacityUnits: 1 } },
      },
    ]);
    const gets = of({ Get: { TableName: TABLE, Key: at('a') } }, { Get: { TableName: TABLE, Key: at('none') } });
    const read = db.call('TransactGetItems', { ...gets, ReturnConsumedCapacity: 'TOTAL' }).output;
    expect(read.Responses).toEqual([{ Item: big.Put.Item }, {}]);
    expect(read.ConsumedCapacity).toEqual([{ TableName: TABLE, CapacityUnits: 4, ReadCapacityUnits: 4 }]);
  });

  test.each<[string, WireObject, RegExp]>([
    ['two writes of one item', of(put('a'), put('a')), /cannot include multiple operations on one item/],
    ['a check and a write of one item', of(put('a'), check('a')), /cannot include multiple operations on one item/],
    ['nothing', of(), /greater than or equal to 1/],
    ['101 items', of(...Array.from({ length: 101 }, (_, i) => put(String(i)))), /less than or equal to 100/],
    [
      'over 4 MB',
      of(...Array.from({ length: 11 }, (_, i) => put(String(i), {}, { x: { S: 'x'.repeat(390_000) } }))),
      /cannot exceed 4MB/,
    ],
    ['two actions in one', of({ ...put('a'), ...check('a') }), /can only contain one of Check, Put, Update or Delete/],
    ['a reserved word', of(put('a', { ConditionExpression: 'attribute_exists(status)' })), /reserved keyword: status/],
  ])('a transaction of %s is refused whole', (_what, input, message) => {
    const error = refusal(model().db, 'TransactWriteItems', input);
    expect(error.type).toBe('ValidationException');
    expect(error.message).toMatch(message);
  });
});

describe('a request token', () => {
  const request = { ...of(put('a', isNew)), ClientRequestToken: 'token' };

  test('makes a repeat within 10 minutes a success without effect', () => {
    const { db, clock } = model();
    db.call('TransactWriteItems', request);
    clock.now += 599_999;
    const { output, effects } = db.call('TransactWriteItems', { ...request, ReturnConsumedCapacity: 'TOTAL' });
    expect(output.ConsumedCapacity).toEqual([{ TableName: TABLE, CapacityUnits: 2, ReadCapacityUnits: 2 }]);
    expect(effects.changes).toEqual([]);
    expect(refusal(db, 'TransactWriteItems', { ...request, ...of(put('b')) }).type).toBe(
      'IdempotentParameterMismatchException',
    );
    clock.now += 1;
    expect(refusal(db, 'TransactWriteItems', request).type).toBe('TransactionCanceledException');
  });

  test('the request token of a cancelled transaction is free again', () => {
    const { db } = model();
    db.call('PutItem', { TableName: TABLE, Item: at('a') });
    refusal(db, 'TransactWriteItems', request);
    db.call('DeleteItem', { TableName: TABLE, Key: at('a') });
    expect(db.call('TransactWriteItems', request).effects.changes).toHaveLength(1);
  });
});

describe('an unfinished transaction', () => {
  const request = { ...of(put('a'), check('b')), ClientRequestToken: 'token' };
  const held = (): { db: DynamoDbModel; hold: Hold } => {
    const { db } = model();
    db.call('PutItem', { TableName: TABLE, Item: at('b') });
    return { db, hold: db.hold(request) };
  };

  test('an unfinished transaction blocks writes and transactions on its items, but not reads', () => {
    const { db } = held();
    const key = { TableName: TABLE, Key: at('b') };
    for (const operation of ['UpdateItem', 'DeleteItem'] as const) {
      expect(refusal(db, operation, key).code).toBe('com.amazonaws.dynamodb.v20120810#TransactionConflictException');
    }
    const other = refusal(db, 'TransactWriteItems', of(put('c'), put('b')));
    expect(other.body.CancellationReasons).toEqual([
      { Code: 'None' },
      { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
    ]);
    expect(refusal(db, 'TransactGetItems', of({ Get: key })).body.CancellationReasons).toMatchObject([
      { Code: 'TransactionConflict' },
    ]);
    expect(refusal(db, 'TransactWriteItems', request).type).toBe('TransactionInProgressException');
    const batch = {
      RequestItems: { [TABLE]: [{ DeleteRequest: { Key: at('b') } }, { DeleteRequest: { Key: at('d') } }] },
    };
    expect(db.call('BatchWriteItem', batch).output).toEqual({
      UnprocessedItems: { [TABLE]: [{ DeleteRequest: { Key: at('b') } }] },
    });
    expect(db.call('GetItem', key).output.Item).toEqual(at('b'));
    expect(db.call('PutItem', { TableName: TABLE, Item: at('c') }).effects.changes).toHaveLength(1);
  });

  test('an unfinished transaction does not meet itself, and is over when it is released', () => {
    const { db, hold } = held();
    expect(db.call('TransactWriteItems', request, hold).effects.changes).toHaveLength(1);
    db.release(hold);
    expect(db.call('DeleteItem', { TableName: TABLE, Key: at('a') }).effects.changes).toHaveLength(1);
  });
});

test('batches read and write each item for itself', () => {
  const { db } = model();
  const writes = { RequestItems: { [TABLE]: [{ PutRequest: { Item: at('a') } }, { PutRequest: { Item: at('b') } }] } };
  expect(db.call('BatchWriteItem', writes).output).toEqual({ UnprocessedItems: {} });
  const reads = { RequestItems: { [TABLE]: { Keys: [at('a'), at('b'), at('c')] } } };
  const { Responses } = db.call('BatchGetItem', reads).output as { Responses: Record<string, Item[]> };
  expect(Responses[TABLE]).toHaveLength(2);
  expect(Responses[TABLE]).toEqual(expect.arrayContaining([at('a'), at('b')]));
  const twice = { RequestItems: { [TABLE]: { Keys: [at('a'), at('a')] } } };
  expect(refusal(db, 'BatchGetItem', twice).message).toMatch(/contains duplicates/);
});

test('an item that AWS refuses for its key, attributes or size cancels the whole transaction', () => {
  const { db } = model();
  const wrong: readonly [WireObject, RegExp][] = [
    [{ Put: { TableName: TABLE, Item: { pk: { S: 'b' } } } }, /Missing the key sk/],
    [{ Put: { TableName: TABLE, Item: { ...at('b'), kind: { N: '1' } } } }, /Type mismatch for Index Key kind/],
    [{ Put: { TableName: TABLE, Item: { ...at('b'), x: { S: 'x'.repeat(500_000) } } } }, /Item size/],
    [{ Delete: { TableName: TABLE, Key: { pk: { S: 'b' } } } }, /does not match the schema/],
  ];
  for (const [write, message] of wrong) {
    const TransactItems = [{ Put: { TableName: TABLE, Item: at('a') } }, write];
    const { type, body } = refusal(db, 'TransactWriteItems', { TransactItems });
    expect(type).toBe('TransactionCanceledException');
    const [none, why] = body.CancellationReasons as readonly { Code: string; Message?: string }[];
    expect([none?.Code, why?.Code]).toEqual(['None', 'ValidationError']);
    expect(why?.Message).toMatch(message);
  }
  expect(db.items(TABLE)).toEqual([]);
  const TransactItems = [{ Get: { TableName: TABLE, Key: {} } }];
  expect(refusal(db, 'TransactGetItems', { TransactItems }).type).toBe('TransactionCanceledException');
});
