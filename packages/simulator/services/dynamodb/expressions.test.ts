import { describe, expect, test } from 'vitest';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import { DynamoDbError } from './errors.js';
import type { AttributeValue, Item } from './wire.js';

const key = { pk: { S: 'c' }, sk: { N: '1' } };
const item: Item = {
  ...key,
  a: { N: '5' },
  s: { S: 'hello' },
  flag: { BOOL: true },
  l: { L: [{ S: 'x' }, { N: '1' }, { N: '2' }] },
  m: { M: { k: { S: 'v' } } },
  ss: { SS: ['p', 'q'] },
  bin: { B: 'AQID' },
};
type Values = { readonly [reference: string]: AttributeValue };
const n = (value: number | string): AttributeValue => ({ N: String(value) });
const s = (value: string): AttributeValue => ({ S: value });
const given = (values?: Values, names?: object) => ({
  ...(values ? { ExpressionAttributeValues: values } : {}),
  ...(names ? { ExpressionAttributeNames: names } : {}),
});

/** Returns whether the condition holds for the item above, or the error message of its refusal. */
function ask(ConditionExpression: string, values?: Values, names?: object): boolean | string {
  const { db } = model();
  db.call('PutItem', { TableName: TABLE, Item: item });
  try {
    db.call('PutItem', { TableName: TABLE, Item: item, ConditionExpression, ...given(values, names) });
    return true;
  } catch (error) {
    if (!(error instanceof DynamoDbError)) throw error;
    return error.type === 'ConditionalCheckFailedException' ? false : error.message;
  }
}

/** Returns the item's own attributes after an update, or the error message of its refusal. */
function update(UpdateExpression: string, values?: Values, names?: object): Item | string {
  const { db } = model();
  db.call('PutItem', { TableName: TABLE, Item: item });
  try {
    const request = { TableName: TABLE, Key: key, UpdateExpression, ...given(values, names) };
    return db.call('UpdateItem', { ...request, ReturnValues: 'ALL_NEW' }).output.Attributes as Item;
  } catch (error) {
    if (error instanceof DynamoDbError) return error.message;
    throw error;
  }
}

describe('a condition', () => {
  test.each<[string, Values | undefined, boolean]>([
    ['absent <> :x', { ':x': n(1) }, true],
    ['absent = :x', { ':x': n(1) }, false],
    ['NOT absent = :x', { ':x': n(1) }, true],
    ['a < :x', { ':x': s('9') }, false],
    ['a <> :x', { ':x': s('5') }, true],
    ['a = :x', { ':x': n('5.00') }, true],
    ['a BETWEEN :x AND :y', { ':x': n(1), ':y': n(5) }, true],
    ['a IN (:x, :y)', { ':x': s('5'), ':y': n(5) }, true],
    ['a = :x OR flag = :x AND s = :x', { ':x': n(5) }, true],
    ['(a = :x OR flag = :x) AND s = :x', { ':x': n(5) }, false],
    ['NOT NOT a = :x', { ':x': n(5) }, true],
    ['(a) = :x', { ':x': n(5) }, true],
    ['size(s) = :x', { ':x': n(5) }, true],
    ['size(a) = :x', { ':x': n(1) }, false],
    ['size(l) > size(ss)', undefined, true],
    ['size(bin) = :x', { ':x': n(3) }, true],
    ['contains(s, :x)', { ':x': s('ell') }, true],
    ['contains(l, :x)', { ':x': s('x') }, true],
    ['contains(ss, :x)', { ':x': s('p') }, true],
    ['contains(a, :x)', { ':x': n(5) }, false],
    ['begins_with(s, :x)', { ':x': s('he') }, true],
    ['begins_with(bin, :x)', { ':x': { B: 'AQI=' } }, true],
    ['attribute_type(l, :x)', { ':x': s('L') }, true],
    ['attribute_exists(m.k) AND attribute_not_exists(l[3])', undefined, true],
    ['m.k.deeper = :x', { ':x': n(5) }, false],
    ['m = :x', { ':x': { M: { k: s('v') } } }, true],
    ['ss = :x', { ':x': { SS: ['q', 'p'] } }, true],
    ['attribute_exists(toString)', undefined, false],
  ])('%s', (text, values, holds) => expect(ask(text, values)).toBe(holds));

  test.each<[string, Values | undefined, string]>([
    ['a = :x AND', { ':x': n(1) }, 'Syntax error; token: "<EOF>", near: "AND"'],
    ['a == :x', { ':x': n(1) }, 'Syntax error; token: "=", near: "== :x"'],
    ['a', undefined, 'Syntax error; token: "<EOF>", near: "a"'],
    ['a IN ()', undefined, 'Syntax error; token: ")", near: "()"'],
    ['', undefined, 'The expression can not be empty;'],
    ['((a = :x))', { ':x': n(1) }, 'The expression has redundant parentheses;'],
    ['status = :x', { ':x': n(1) }, 'Attribute name is a reserved keyword; reserved keyword: status'],
    ['m.data = :x', { ':x': n(1) }, 'Attribute name is a reserved keyword; reserved keyword: data'],
    ['a = :y', { ':x': n(1) }, 'An expression attribute value used in expression is not defined; attribute value: :y'],
    ['a = #x', undefined, 'An expression attribute name used in the document path is not defined; attribute name: #x'],
    ['foo(a)', undefined, 'Invalid function name; function: foo'],
    [
      'a = if_not_exists(a, :x)',
      { ':x': n(1) },
      'The function is not allowed in a condition expression; function: if_not_exists',
    ],
    [
      'a < :x',
      { ':x': { BOOL: true } },
      'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL',
    ],
    [
      'begins_with(s, :x)',
      { ':x': n(1) },
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
    ],
    [
      'attribute_exists(:x)',
      { ':x': n(1) },
      'Operator or function requires a document path; operator or function: attribute_exists',
    ],
    [
      'contains(a)',
      undefined,
      'Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1',
    ],
    [
      'a = a',
      undefined,
      'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]',
    ],
    [
      'a BETWEEN :x AND :y',
      { ':x': n(9), ':y': n(1) },
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {N:1}',
    ],
  ])('%s is refused', (text, values, message) =>
    expect(ask(text, values)).toBe(`Invalid ConditionExpression: ${message}`),
  );

  test.each<[string, Values | undefined, object | undefined, string]>([
    [
      'a = :x',
      { ':x': n(1), ':y': n(1) },
      undefined,
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}',
    ],
    [
      'a = :x',
      { ':x': n(1) },
      { '#y': 'k' },
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#y}',
    ],
    ['a = :x', { x: n(1) }, undefined, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "x"'],
    ['a = :x', {}, undefined, 'ExpressionAttributeValues must not be empty'],
  ])('%s with wrong placeholders', (text, values, names, message) => expect(ask(text, values, names)).toBe(message));
});

describe('an update', () => {
  test.each<[string, Values | undefined, Item]>([
    ['SET a = a + :x, s = :y', { ':x': n('0.1'), ':y': n(1) }, { a: n('5.1'), s: n(1) }],
    ['SET b = s, s = :x', { ':x': n(1) }, { b: s('hello'), s: n(1) }],
    ['SET b = if_not_exists(b, :x) + :x', { ':x': n(2) }, { b: n(4) }],
    [
      'SET l[9] = :x, l[7] = :y REMOVE l[0]',
      { ':x': s('9'), ':y': s('7') },
      { l: { L: [n(1), n(2), s('7'), s('9')] } },
    ],
    ['REMOVE l[0], l[2], absent, m.absent, l[17]', undefined, { l: { L: [n(1)] } }],
    ['SET l[0] = l[1], l[1] = l[0]', undefined, { l: { L: [n(1), s('x'), n(2)] } }],
    ['SET l = list_append(:x, l)', { ':x': { L: [s('0')] } }, { l: { L: [s('0'), s('x'), n(1), n(2)] } }],
    ['SET m.z.y = :x, m.z = :x', { ':x': s('') }, {}],
    [
      'ADD a :x, ss :y, cnt :x',
      { ':x': n(1), ':y': { SS: ['q', 'a'] } },
      { a: n(6), ss: { SS: ['a', 'p', 'q'] }, cnt: n(1) },
    ],
    ['set m.k = :x remove s', { ':x': n(1) }, { m: { M: { k: n(1) } } }],
  ])('%s', (text, values, changed) => {
    const result = update(text, values);
    if (Object.keys(changed).length === 0) return expect(result).toMatch(/overlap/);
    return expect(result).toMatchObject(changed);
  });

  test('takes away a set with its last member', () =>
    expect(update('DELETE ss :x', { ':x': { SS: ['p', 'q'] } })).not.toHaveProperty('ss'));

  test('an update of an absent item begins with its key, even if it only removes', () => {
    const { db } = model();
    db.call('UpdateItem', { TableName: TABLE, Key: key, UpdateExpression: 'REMOVE a' });
    expect(db.items(TABLE)).toEqual([key]);
  });

  test.each<[string, Values | undefined, RegExp]>([
    ['SET pk = :x', { ':x': s('') }, /Cannot update attribute pk. This attribute is part of the key/],
    ['SET a = absent + :x', { ':x': n(1) }, /refers to an attribute that does not exist in the item/],
    ['SET a = s + :x', { ':x': n(1) }, /An operand in the update expression has an incorrect data type/],
    ['SET absent.k = :x', { ':x': n(1) }, /document path provided in the update expression is invalid for update/],
    ['REMOVE s.k', undefined, /document path provided in the update expression is invalid for update/],
    ['SET a = :x REMOVE a', { ':x': n(1) }, /overlap.*path one: \[a\], path two: \[a\]/],
    ['SET l[0] = :x, l.k = :x', { ':x': n(1) }, /conflict with each other.*path one: \[l, \[0\]\], path two: \[l, k\]/],
    ['SET a = :x SET s = :x', { ':x': n(1) }, /The "SET" section can only be used once/],
    ['SET a = :x + :x + :x', { ':x': n(1) }, /Syntax error; token: "\+", near: ":x \+ :x"/],
    ['ADD s :x', { ':x': s('') }, /operator: ADD, operand type: STRING/],
    ['SET kind = :x', { ':x': n(1) }, /Type mismatch for Index Key kind Expected: S Actual: N IndexName: byKind/],
    ['SET kind = :x', { ':x': s('') }, /cannot contain an empty string value/],
    ['SET big = :x', { ':x': s('x'.repeat(400 * 1024)) }, /Item size to update has exceeded the maximum allowed size/],
  ])('%s is refused', (text, values, message) => expect(update(text, values)).toMatch(message));

  test.each([
    ['UPDATED_NEW', { a: n(6), m: { M: { k: n(6) } } }],
    ['UPDATED_OLD', { a: n(5), m: { M: { k: s('v') } } }],
  ])('answers with %s', (ReturnValues, Attributes) => {
    const { db } = model();
    db.call('PutItem', { TableName: TABLE, Item: item });
    const values = given({ ':x': n(6) });
    const request = { TableName: TABLE, Key: key, UpdateExpression: 'SET a = :x, m.k = :x', ...values, ReturnValues };
    expect(db.call('UpdateItem', request).output).toEqual({ Attributes });
  });
});

test('a projection keeps the places of what it shows', () => {
  const { db } = model();
  db.call('PutItem', { TableName: TABLE, Item: item });
  const show = (ProjectionExpression: string) =>
    db.call('GetItem', { TableName: TABLE, Key: key, ProjectionExpression }).output.Item;
  expect(show('l[2], l[0], m.k, absent, a.b')).toEqual({ l: { L: [s('x'), n(2)] }, m: { M: { k: s('v') } } });
  expect(() => show('m, m.k')).toThrow(/overlap/);
});
