import { expect, test } from 'vitest';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../support/clouds.js';
import type { Interceptor } from './calls.js';

const NAME = 'Shop-Table';
const PUT = `exports.handler = (Item) => call('DynamoDB_20120810.PutItem', {
  TableName: '${NAME}', Item, ConditionExpression: 'attribute_not_exists(pk)',
});`;
const PUT_EVENTS = `exports.handler = (Entries) => call('AWSEvents.PutEvents', { Entries });`;

async function played(interceptor: Interceptor, code = PUT, event: unknown = { pk: { S: 'a' } }, tries = 1) {
  const rights = [
    allowStatement(['dynamodb:PutItem'], arnOf('Table')),
    allowStatement(['events:PutEvents'], 'arn:aws:events:eu-west-1:123456789012:event-bus/default'),
  ];
  const cloud = createCloud({ Table: TABLE, ...functionResource('Work', rights) }, { Work: CLIENT + code });
  cloud.calls.interceptor = interceptor;
  const results: object[] = [];
  for (let number = 0; number < tries; number++) {
    cloud.fn('Shop/Work').invoke(event, (result) => results.push(result));
    await cloud.world.settle();
  }
  return { cloud, result: results[0], results, written: cloud.dynamodb.items(NAME).length };
}

test('sees each call with its body, and what it consumed', async () => {
  const seen: unknown[] = [];
  const { result } = await played({
    beforeCall: ({ fn, request, body }) => {
      seen.push(fn.label, request.operation, JSON.parse(body).Item);
    },
    afterCall: (_, answer) => {
      seen.push('consumed' in answer && answer.consumed);
      return undefined;
    },
  });
  const consumed = [expect.objectContaining({ table: NAME, read: 0, write: 1 })];
  expect(seen).toEqual(['Shop/Work', 'PutItem', { pk: { S: 'a' } }, consumed]);
  expect(result).toMatchObject({ kind: 'returned', value: { status: 200 } });
});

test('kills in front of a call, which is not carried out', async () => {
  const { result, written } = await played({ beforeCall: () => 'killed-before', afterCall: () => undefined });
  expect(result).toMatchObject({ kind: 'failed', name: 'Runtime.ExitError' });
  expect(written).toBe(0);
});

test('throttles a call, which is not carried out', async () => {
  const { result, written } = await played({ beforeCall: () => 'refused', afterCall: () => undefined });
  expect(result).toMatchObject({ kind: 'returned', value: { status: 400 } });
  expect(written).toBe(0);
});

test('kills behind a success, and passes a refusal on', async () => {
  const interceptor: Interceptor = {
    beforeCall: () => undefined,
    afterCall: (_, answer) => ('error' in answer ? undefined : 'killed-after'),
  };
  const { results, written } = await played(interceptor, PUT, { pk: { S: 'a' } }, 2);
  expect(results).toMatchObject([
    { kind: 'failed', name: 'Runtime.ExitError' },
    { kind: 'returned', value: { status: 400 } },
  ]);
  expect(written).toBe(1);
});

test('loses the answer of what was carried out', async () => {
  const { result, written } = await played({ beforeCall: () => undefined, afterCall: () => 'answer-lost' });
  expect(result).toMatchObject({ kind: 'failed', message: 'ECONNRESET' });
  expect(written).toBe(1);
});

test('lets the bus refuse chosen entries with a code, and take the others', async () => {
  const entries = ['a', 'b', 'c'].map((text) => ({ Source: 'shop', DetailType: text, Detail: '{}' }));
  const interceptor: Interceptor = { beforeCall: () => new Map([[1, 'MalformedDetail']]), afterCall: () => undefined };
  const { cloud, result } = await played(interceptor, PUT_EVENTS, entries);
  const taken = { EventId: expect.any(String) };
  const Entries = [taken, expect.objectContaining({ ErrorCode: 'MalformedDetail' }), taken];
  expect(result).toMatchObject({ value: { body: { FailedEntryCount: 1, Entries } } });
  expect(cloud.events.accepted.map(({ event }) => event['detail-type'])).toEqual(['a', 'c']);
});
