import { randomUUID } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';
import { bodyOf, failuresOf } from '../../support/consumed.js';
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
  const data = { customerId: 'alice', orderId: id, stepId: `${id}/refund` };
  const command = { type: 'RefundPayment', data } as const;
  const body = bodyOf(commandMessage(paymentsContract, command, 'payments', { id, source: 'orderly.payments' }));
  const attributes = { ApproximateReceiveCount: '1' };
  const record = { messageId: 'm', body, attributes, messageAttributes: {}, eventSourceARN };
  expect(await drain({ Records: [record as unknown as SQSRecord] })).toEqual({ batchItemFailures: [] });
  expect(await failuresOf(id)).toMatchObject([{ message }]);
});
