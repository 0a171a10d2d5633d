import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { readDelivery } from '../../../packages/kit/failures/delivery.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';
import { toQueueBody } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const consumer = { name: 'payments-commands', generation: 0 };
const failures = new FailureRecords('records', consumer);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-01T00:00:00.000Z') });
  inProcessDynamoDb({ records: ['pk'] });
});
afterEach(() => void vi.useRealTimers());

/** A command of a step fails. */
async function fails(id: string, { stepId = 'o/refund', source = 'orderly.orders', name = 'Broken' } = {}) {
  vi.advanceTimersByTime(3_600_000);
  const data = { customerId: 'alice', orderId: 'o', stepId };
  const message = commandMessage(paymentsContract, { type: 'RefundPayment', data }, 'payments', { id, source });
  const record = {
    messageId: 'm',
    body: toQueueBody(message),
    attributes: { ApproximateReceiveCount: '3' },
    messageAttributes: {},
  };
  const delivery = readDelivery(record as never, { app: 'orderly', window: 35 * 86_400 });
  return failures.record(delivery, Object.assign(new Error('not kept'), { name }));
}

async function recordOf(id: string) {
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: 'records', Key: { pk: recordKey(consumer, `orderly.orders:${id}`) } }),
  );
  return Item;
}

test('the first failed command of a step has the record, and the others are repeats of it', async () => {
  expect(await fails('first')).toBe('recorded');
  expect(await fails('second', { name: 'Slow' })).toBe('repeated');
  expect(await fails('third')).toBe('repeated');
  expect(await recordOf('first')).toMatchObject({
    status: 'FAILED',
    failedConsumer: consumer.name,
    failedAt: '2026-12-01T03:00:00.000Z',
    repeated: 2,
    failures: [{ name: 'Broken' }, { name: 'Slow' }, { name: 'Broken' }],
  });
  const repeat = await recordOf('second');
  expect(repeat).toMatchObject({
    status: 'REPEATED',
    messageId: 'orderly.orders:second',
    repeats: 'orderly.orders:first',
  });
  // It is in no list of failures, and expires by itself.
  expect(repeat).not.toHaveProperty('failedConsumer');
  expect(repeat?.expiresAt).toBe(Date.parse('2026-12-01T02:00:00.000Z') / 1000 + 35 * 86_400);
});

test.each(['first', 'second'])('the %s command that comes again is known, and counts once', async (id) => {
  await fails('first');
  await fails('second');
  expect(await fails(id)).toBe('known');
  expect(await recordOf('first')).toMatchObject({ repeated: 1 });
});

test.each(['PROCESSED', 'DISCARDED'])(
  'the next failure is a record of its own once the first one is %s',
  async (status) => {
    await fails('first');
    await documentClient.send(
      new UpdateCommand({
        TableName: 'records',
        Key: { pk: recordKey(consumer, 'orderly.orders:first') },
        UpdateExpression: 'SET #status = :status',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status },
      }),
    );
    expect(await fails('second')).toBe('recorded');
    expect(await fails('third')).toBe('repeated');
    expect(await recordOf('third')).toMatchObject({ repeats: 'orderly.orders:second' });
    expect(await recordOf('first')).not.toHaveProperty('repeated');
  },
);

test('one of several commands that fail at the same time has the record', async () => {
  const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => fails(id)));
  expect(outcomes.toSorted()).toEqual(['recorded', 'repeated', 'repeated']);
});

test('another step, and a command of another sender for the same step, have records of their own', async () => {
  await fails('first');
  expect(await fails('other step', { stepId: 'o/charge' })).toBe('recorded');
  expect(await fails('forged', { source: 'orderly.catalog' })).toBe('recorded');
});

test('a failure without a step is a record of its own', async () => {
  const plain = { payload: '{}', error: new Error('x'), type: 'OrderPlaced', subject: 'Order/o' };
  expect([
    await failures.put({ id: randomUUID(), ...plain }),
    await failures.put({ id: randomUUID(), ...plain }),
  ]).toEqual(['recorded', 'recorded']);
});
