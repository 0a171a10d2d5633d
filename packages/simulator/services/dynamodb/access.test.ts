import { expect, test } from 'vitest';
import { requiredTableAccesses } from './access.js';

const partitionOf = (table: string): string | undefined => (table === 'Orders' ? 'pk' : undefined);
const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 'STATE' } });
const query = {
  KeyConditionExpression: '#pk = :pk AND sk > :sk',
  ExpressionAttributeValues: { ':sk': { S: '1' }, ':pk': { S: 'a' } },
};

test.each([
  ['GetItem', { Key: item('a') }, ['GetItem'], [['a']]],
  ['PutItem', { Item: item('a') }, ['PutItem'], [['a']]],
  ['Query', query, ['Query'], [['a']]],
  ['Scan', {}, ['Scan'], [undefined]],
  ['PutItem', {}, ['PutItem'], [undefined]],
])('%s of %j', (operation, request, actions, keys) => {
  const accesses = requiredTableAccesses(operation, { TableName: 'Orders', ...request }, partitionOf);
  expect(accesses.map(({ action }) => action)).toEqual(actions.map((action) => `dynamodb:${action}`));
  expect(accesses.map(({ context }) => context?.['dynamodb:LeadingKeys'])).toEqual(keys);
  expect(accesses.every(({ resource }) => resource.endsWith(':table/Orders'))).toBe(true);
});

test('a transaction needs the rights of each of its parts, for its own key', () => {
  const TransactItems = [
    { Put: { TableName: 'Orders', Item: item('a') } },
    { ConditionCheck: { TableName: 'Orders', Key: item('b') } },
    { Update: { TableName: 'Orders', Key: item('c') } },
    { Delete: { TableName: 'Orders', Key: item('d') } },
  ];
  expect(requiredTableAccesses('TransactWriteItems', { TransactItems }, partitionOf)).toMatchObject([
    { action: 'dynamodb:PutItem', context: { 'dynamodb:LeadingKeys': ['a'] } },
    { action: 'dynamodb:ConditionCheckItem', context: { 'dynamodb:LeadingKeys': ['b'] } },
    { action: 'dynamodb:UpdateItem', context: { 'dynamodb:LeadingKeys': ['c'] } },
    { action: 'dynamodb:DeleteItem', context: { 'dynamodb:LeadingKeys': ['d'] } },
  ]);
});

test('a batch needs its right once for each table, for all of its keys', () => {
  const read = { RequestItems: { Orders: { Keys: [item('a'), item('b')] } } };
  const written = {
    RequestItems: { Orders: [{ PutRequest: { Item: item('c') } }, { DeleteRequest: { Key: item('d') } }] },
  };
  expect(requiredTableAccesses('BatchGetItem', read, partitionOf)).toMatchObject([
    { action: 'dynamodb:BatchGetItem', context: { 'dynamodb:LeadingKeys': ['a', 'b'] } },
  ]);
  expect(requiredTableAccesses('BatchWriteItem', written, partitionOf)).toMatchObject([
    { action: 'dynamodb:BatchWriteItem', context: { 'dynamodb:LeadingKeys': ['c', 'd'] } },
  ]);
});

test('a right on a table is a right by its ARN, and an index has one of its own', () => {
  const TableName = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders';
  const [access] = requiredTableAccesses('Query', { TableName, IndexName: 'ByDay', ...query }, partitionOf);
  expect(access?.resource).toMatch(/:table\/Orders\/index\/ByDay$/);
});
