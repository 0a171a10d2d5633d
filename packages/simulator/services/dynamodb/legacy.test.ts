import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { Operation } from './model.js';
import type { AttributeValue, Item, WireObject } from './wire.js';

const s = (S: string): AttributeValue => ({ S });
const n = (N: number): AttributeValue => ({ N: String(N) });
const at = (sk: number): Item => ({ pk: s('p'), sk: n(sk) });
const is = (ComparisonOperator: string, ...AttributeValueList: readonly AttributeValue[]) => ({
  ComparisonOperator,
  AttributeValueList,
});

function filled() {
  const { db } = model();
  const call = (operation: Operation, input: WireObject) => db.call(operation, { TableName: TABLE, ...input }).output;
  for (const [sk, color] of ['red', 'green', 'redder'].entries())
    call('PutItem', { Item: { ...at(sk), color: s(color) } });
  call('PutItem', { Item: at(3) });
  return { db, call };
}

describe('legacy parameters mean the same as expressions:', () => {
  test.each<[string, WireObject, number]>([
    ['EQ', { color: is('EQ', s('red')) }, 1],
    ['NE', { color: is('NE', s('red')) }, 3],
    ['IN', { color: is('IN', s('red'), s('green')) }, 2],
    ['BETWEEN', { color: is('BETWEEN', s('red'), s('s')) }, 2],
    ['BEGINS_WITH', { color: is('BEGINS_WITH', s('red')) }, 2],
    ['CONTAINS', { color: is('CONTAINS', s('ed')) }, 2],
    ['NOT_CONTAINS, of what exists', { color: is('NOT_CONTAINS', s('ed')) }, 1],
    ['NULL', { color: is('NULL') }, 1],
    ['NOT_NULL', { color: is('NOT_NULL') }, 3],
    ['two of them', { color: is('GE', s('red')), sk: is('GT', n(0)) }, 1],
  ])('ScanFilter %s', (_, ScanFilter, count) => {
    expect(filled().call('Scan', { ScanFilter })).toMatchObject({ Count: count, ScannedCount: 4 });
  });

  test('ConditionalOperator OR', () => {
    const ScanFilter = { color: is('EQ', s('red')), sk: is('GT', n(2)) };
    expect(filled().call('Scan', { ScanFilter, ConditionalOperator: 'OR' })).toMatchObject({ Count: 2 });
  });

  test('KeyConditions, QueryFilter and AttributesToGet', () => {
    const { call } = filled();
    const KeyConditions = { pk: is('EQ', s('p')), sk: is('LE', n(2)) };
    const QueryFilter = { color: is('NE', s('red')) };
    expect(call('Query', { KeyConditions, QueryFilter, AttributesToGet: ['color'] })).toMatchObject({
      Items: [{ color: s('green') }, { color: s('redder') }],
      ScannedCount: 3,
    });
    expect(call('GetItem', { Key: at(0), AttributesToGet: ['color', 'none'] })).toEqual({ Item: { color: s('red') } });
  });

  test('Expected', () => {
    const { db, call } = filled();
    const Key = at(0);
    const fails = (Expected: WireObject): string => refusal(db, 'DeleteItem', { TableName: TABLE, Key, Expected }).type;
    expect(fails({ color: { Exists: false } })).toBe('ConditionalCheckFailedException');
    expect(fails({ color: { Value: s('green') } })).toBe('ConditionalCheckFailedException');
    expect(fails({ color: { Exists: true } })).toBe('ValidationException');
    expect(fails({ color: { Exists: false, Value: s('red') } })).toBe('ValidationException');
    expect(fails({ color: is('EQ') })).toBe('ValidationException');
    expect(call('DeleteItem', { Key, Expected: { color: { Value: s('red') } } })).toEqual({});
  });

  test('AttributeUpdates', () => {
    const { db, call } = filled();
    call('PutItem', { Item: { ...at(0), count: n(1), tags: { SS: ['a', 'b'] }, list: { L: [s('x')] }, old: s('x') } });
    const AttributeUpdates = {
      level: { Value: n(7) },
      count: { Action: 'ADD', Value: n(2) },
      tags: { Action: 'DELETE', Value: { SS: ['a'] } },
      list: { Action: 'ADD', Value: { L: [s('y')] } },
      old: { Action: 'DELETE' },
    };
    expect(call('UpdateItem', { Key: at(0), AttributeUpdates, ReturnValues: 'ALL_NEW' }).Attributes).toEqual({
      ...at(0),
      level: n(7),
      count: n(3),
      tags: { SS: ['b'] },
      list: { L: [s('x'), s('y')] },
    });
    const ofKey = { TableName: TABLE, Key: at(0), AttributeUpdates: { sk: { Value: n(1) } } };
    expect(refusal(db, 'UpdateItem', ofKey).message).toMatch(/This attribute is part of the key/);
  });
});

test('legacy parameters and expressions are not mixed, but for key conditions beside a filter', () => {
  const { db, call } = filled();
  const color = { ':c': s('red') };
  const filter = { FilterExpression: 'color = :c', ExpressionAttributeValues: color };
  expect(refusal(db, 'Scan', { TableName: TABLE, ...filter, ScanFilter: { color: is('NULL') } }).message).toBe(
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}',
  );
  expect(call('Query', { ...filter, KeyConditions: { pk: is('EQ', s('p')) } })).toMatchObject({ Count: 1 });
});
