import { expect, test } from 'vitest';
import { Tokens } from './tokens.js';

const kept = (body: unknown): Tokens => {
  const tokens = new Tokens(() => 0);
  tokens.keep('token', body);
  return tokens;
};

test('a body with its members in another order is the same', () => {
  const tokens = kept([{ Put: { TableName: 'a', Item: { pk: { S: '1' }, n: { N: '2' } } } }]);
  expect(tokens.find('token', [{ Put: { Item: { n: { N: '2' }, pk: { S: '1' } }, TableName: 'a' } }])).toBe('same');
  expect(tokens.find('other token', [])).toBeUndefined();
});

test.each([
  ['members in another order', ['a', 'b'], ['b', 'a']],
  ['texts divided elsewhere', ['ab', 'c'], ['a', 'bc']],
  ['a text that looks like two', ['a', 'b'], ["a1'b"]],
  ['a number and its text', [1], ['1']],
  ['numbers divided elsewhere', [1, 23], [12, 3]],
  ['a name that is part of its value', { a: 'bc' }, { ab: 'c' }],
  ['a list and what is in it', [['a']], ['a']],
  ['nothing and its text', [null], ['null']],
])('a body with %s is another one', (_what, one, other) => {
  expect(kept(one).find('token', other)).toBe('other');
});

test('a body that was kept takes no memory: nothing refers to it', () => {
  const body = [{ Delete: { TableName: 'a' } }];
  const tokens = kept(body);
  Object.assign(body[0] as object, { Delete: { TableName: 'b' } });
  expect(tokens.find('token', [{ Delete: { TableName: 'a' } }])).toBe('same');
});
