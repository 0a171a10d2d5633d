import { randomUUID } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeAll, expect, test, vi } from 'vitest';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { Metric } from '../../../packages/kit/aws/metric-names.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { bodyHashId, REDRIVE } from '../../../packages/kit/failures/delivery.js';
import { ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';
import { readFailures, readOutcome, readRecord, toQueueBody } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { environment } from '../timers/waiting.js';

const UNDELIVERED = 'arn:undelivered';
let drain: (event: SQSEvent) => Promise<SQSBatchResponse>;
beforeAll(async () => {
  // The same as other files that share the drain's module.
  environment();
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  ({ handler: drain } = await import('../../../packages/kit/drains/drain-dead-letters.lambda.js'));
});

test.each([
  ['came over the bus, is refused', UNDELIVERED, 'SENDER_NOT_ALLOWED: the source may not command this service'],
  ['crashed its function, was given up', 'arn:dead-letters', 'its function did not acknowledge it'],
])('a command of the service’s own that %s', async (_, eventSourceARN, message) => {
  const id = randomUUID();
  await drained(refund(id), { eventSourceARN });
  expect(await readFailures(id)).toMatchObject([{ message }]);
});

test('what EventBridge could not deliver has its reason, and what has no readable id is known by its text', async () => {
  const id = randomUUID();
  const messageAttributes = { ERROR_CODE: { stringValue: 'NO_PERMISSIONS', dataType: 'String' } };
  await drained(refund(id), { eventSourceARN: 'arn:dead-letters', messageAttributes });
  await drained('garbage', { eventSourceARN: 'arn:dead-letters' });
  expect(await readFailures(id)).toMatchObject([{ message: 'EventBridge could not deliver it: NO_PERMISSIONS' }]);
  expect(await readRecord(bodyHashId('garbage'))).toMatchObject({ payload: 'garbage' });
});

test.each([
  [34.5, true],
  [33.5, undefined],
])('of what is %d days old, it is unknown whether it was processed: %s', async (days, unknown) => {
  const id = randomUUID();
  await drained(refund(id, new Date(Date.now() - days * 86_400_000).toISOString()));
  expect((await readRecord(id))?.unknown).toBe(unknown);
});

test('a redrive that crashed adds a reason to the failure', async () => {
  const id = randomUUID();
  await drained(refund(id));
  await drained(refund(id));
  expect(await readFailures(id)).toHaveLength(1);
  await drained(refund(id), { messageAttributes: { [REDRIVE]: { stringValue: 'again', dataType: 'String' } } });
  expect(await readFailures(id)).toMatchObject([{ name: 'DeadLettered' }, { name: 'DeadLettered' }]);
});

test('what was processed after all stays so', async () => {
  const [id, time] = [randomUUID(), new Date().toISOString()];
  const records = new ProcessedRecords('records', { name: process.env[Env.CONSUMER] ?? '', generation: 0 }, 3600);
  await processOnce({ id, source: 'orderly.payments', time }, async () => [], records);
  await drained(refund(id, time));
  expect(await readOutcome(id)).toBe('PROCESSED');
});

test('a dead letter is counted when it is recorded, and not when it comes again', async () => {
  const counted: string[] = [];
  vi.spyOn(telemetry, 'count').mockImplementation((name) => void counted.push(name));
  const id = randomUUID();
  await drained(refund(id));
  await drained(refund(id));
  vi.restoreAllMocks();
  expect(counted).toEqual([Metric.CONSUMER_FAILURES]);
});

test('a message that can not be read has the reason of that', async () => {
  await drained('{"no":"message"}', { eventSourceARN: 'arn:dead-letters' });
  expect(await readFailures(bodyHashId('{"no":"message"}'))).toMatchObject([{ name: 'ContractViolation' }]);
});

const refund = (id: string, time = new Date().toISOString()): string => {
  const data = { customerId: 'alice', orderId: id, stepId: `${id}/refund` };
  const fields = { id, time, source: 'orderly.payments' };
  return toQueueBody(commandMessage(paymentsContract, { type: 'RefundPayment', data }, 'payments', fields));
};

async function drained(body: string, more: Partial<SQSRecord> = {}): Promise<void> {
  const attributes = { ApproximateReceiveCount: '1' };
  const record = { messageId: 'm', body, attributes, messageAttributes: {}, ...more };
  expect(await drain({ Records: [record as unknown as SQSRecord] })).toEqual({ batchItemFailures: [] });
}
