import { describe, expect, test } from 'vitest';
import { STATEMENTS } from '../../support/dynamodb/partiql-statements.js';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { Operation } from './model.js';
import type { Item, WireObject } from './wire.js';

/** A table with what the first three statements insert. */
function filled() {
  const { db } = model();
  const call = (operation: Operation, input: WireObject) => db.call(operation, input).output;
  const execute = (Statement: string, more: WireObject = {}) => call('ExecuteStatement', { Statement, ...more });
  for (const statement of STATEMENTS.slice(0, 3)) execute(statement);
  const refused = (Statement: string, more: WireObject = {}) => refusal(db, 'ExecuteStatement', { Statement, ...more });
  return { db, call, execute, refused };
}

const colors = ({ Items }: WireObject): readonly unknown[] =>
  (Items as Item[]).map(({ color }) => (color as { S: string }).S);
const insert = (pk: string, color = 'x') => `INSERT INTO ${TABLE} VALUE {'pk': '${pk}', 'sk': 1, 'color': '${color}'}`;
const update = (pk: string) => `UPDATE ${TABLE} SET color = 'blue' WHERE pk = '${pk}' AND sk = 1`;

describe('a statement', () => {
  test.each<[string, readonly string[]]>([
    [`pk = 'a'`, ['red', "it's"]],
    [`pk = 'a' AND sk >= 2`, ["it's"]],
    [`pk = 'a' AND (sk = 1 OR sk = 7)`, ['red']],
    [`pk = 'a' AND n < 0`, ["it's"]],
    [`pk = 'a' AND begins_with("color", 'r')`, ['red']],
    [`pk = 'a' AND kind IS MISSING`, ['red']],
    [`color IN ('red', 'green') AND NOT color = 'red'`, ['green']],
    [`pk = 'b' AND m.deep.er IS NOT NULL`, ['green']],
  ])('SELECT ... WHERE %s', (where, expected) => {
    expect(colors(filled().execute(`SELECT * FROM ${TABLE} WHERE ${where}`))).toEqual(expected);
  });

  test('shows values under the last name of their paths', () => {
    const { execute } = filled();
    expect(execute(`SELECT pk, m.deep FROM ${TABLE} WHERE pk = 'a' AND sk = 1`)).toEqual({
      Items: [{ pk: { S: 'a' }, deep: { M: { er: { NULL: true } } } }],
    });
  });

  test('a statement with a key reads the partition alone; others scan', () => {
    const { execute } = filled();
    const units = (where: string): unknown =>
      execute(`SELECT * FROM ${TABLE} WHERE ${where}`, { ReturnConsumedCapacity: 'TOTAL', Limit: 1 });
    expect(units(`pk = 'b'`)).toMatchObject({ Items: [{}], ConsumedCapacity: { CapacityUnits: 0.5 } });
    const first = execute(`SELECT * FROM ${TABLE} WHERE pk = 'a' ORDER BY sk DESC`, { Limit: 1 });
    expect(colors(first)).toEqual(["it's"]);
    const rest = execute(`SELECT * FROM ${TABLE} WHERE pk = 'a' ORDER BY sk DESC`, { NextToken: first.NextToken });
    expect(colors(rest)).toEqual(['red']);
    expect(rest).not.toHaveProperty('NextToken');
  });

  test('takes its parameters in order, and all of them', () => {
    const { execute, refused } = filled();
    const Statement = `SELECT * FROM ${TABLE} WHERE pk = ? AND sk = ?`;
    expect(colors(execute(Statement, { Parameters: [{ S: 'a' }, { N: '1' }] }))).toEqual(['red']);
    for (const Parameters of [[{ S: 'a' }], [{ S: 'a' }, { N: '1' }, { N: '1' }]]) {
      expect(refused(Statement, { Parameters }).message).toMatch(/Number of parameters/);
    }
  });

  test('inserts no item twice, and updates none that there isn’t', () => {
    const { execute, refused, db } = filled();
    expect(refused(insert('b')).type).toBe('DuplicateItemException');
    expect(refused(update('new')).type).toBe('ConditionalCheckFailedException');
    execute(insert('new'));
    expect(execute(`${update('new')} RETURNING MODIFIED NEW *`)).toEqual({ Items: [{ color: { S: 'blue' } }] });
    expect(execute(`DELETE FROM ${TABLE} WHERE pk = 'none' AND sk = 1`)).toEqual({ Items: [] });
    expect(db.items(TABLE)).toHaveLength(4);
  });

  test.each([
    `SELEKT * FROM ${TABLE}`,
    `SELECT * FROM ${TABLE} WHERE`,
    `SELECT * FROM ${TABLE} WHERE pk = 'a`,
    `SELECT * FROM ${TABLE} WHERE pk = 'a' pk`,
    `UPDATE ${TABLE} SET color = 'x' WHERE pk = 'a'`,
    `DELETE FROM ${TABLE}`,
    `INSERT INTO ${TABLE} VALUE 'x'`,
    `INSERT INTO ${TABLE} VALUE {'pk': 'a', 'sk': 1, 'set': <<1, 'x'>>}`,
    `EXISTS(SELECT * FROM ${TABLE} WHERE pk = 'a' AND sk = 1)`,
  ])('%s is refused', (statement) => {
    const { refused, db } = filled();
    const before = db.digest();
    expect(refused(statement).type).toBe('ValidationException');
    expect(db.digest()).toBe(before);
  });
});

test('statements of a batch are carried out one by one', () => {
  const { call, db } = filled();
  const batch = (...statements: readonly string[]): WireObject => ({
    Statements: statements.map((Statement) => ({ Statement })),
  });
  const nowhere = `UPDATE nowhere SET x = 1 WHERE pk = 'a'`;
  expect(call('BatchExecuteStatement', batch(insert('c'), insert('b'), nowhere, 'x'))).toMatchObject({
    Responses: [
      { TableName: TABLE },
      { TableName: TABLE, Error: { Code: 'DuplicateItem' } },
      { TableName: 'nowhere', Error: { Code: 'ResourceNotFound' } },
      { Error: { Code: 'ValidationError' } },
    ],
  });
  expect(db.items(TABLE)).toHaveLength(4);
  const select = `SELECT color FROM ${TABLE} WHERE pk = 'c' AND sk = 1`;
  expect(call('BatchExecuteStatement', batch(select)).Responses).toEqual([
    { TableName: TABLE, Item: { color: { S: 'x' } } },
  ]);
  expect(refusal(db, 'BatchExecuteStatement', batch(select, insert('d'))).message).toMatch(/both read and write/);
  expect(refusal(db, 'BatchExecuteStatement', batch(insert('d'), update('d'))).message).toMatch(/duplicates/);
});

test('statements of a transaction are carried out all or none', () => {
  const { call, db } = filled();
  const transaction = (...statements: readonly string[]): WireObject => ({
    TransactStatements: statements.map((Statement) => ({ Statement })),
  });
  const exists = (color: string) => `EXISTS(SELECT * FROM ${TABLE} WHERE pk = 'a' AND sk = 1 AND color = '${color}')`;
  const before = db.digest();
  const twice = refusal(db, 'ExecuteTransaction', transaction(insert('b'), insert('c')));
  expect(twice.body.CancellationReasons).toMatchObject([{ Code: 'DuplicateItem' }, { Code: 'None' }]);
  const absent = refusal(db, 'ExecuteTransaction', transaction(exists('green'), insert('c')));
  expect(absent.body.CancellationReasons).toMatchObject([{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }]);
  expect(db.digest()).toBe(before);
  call('ExecuteTransaction', transaction(exists('red'), insert('c'), update('b')));
  const select = (pk: string) => `SELECT color FROM ${TABLE} WHERE pk = '${pk}' AND sk = 1`;
  expect(call('ExecuteTransaction', transaction(select('b'), select('c'), select('d')))).toEqual({
    Responses: [{ Item: { color: { S: 'blue' } } }, { Item: { color: { S: 'x' } } }, {}],
  });
  expect(refusal(db, 'ExecuteTransaction', transaction(select('b'), insert('d'))).message).toMatch(
    /both read and write/,
  );
});
