import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { readDelivery } from '../../../packages/kit/failures/delivery.js';
import { ContractViolation } from '../../../packages/kit/messages/contract.js';
import { ownCommandBody } from '../../../packages/kit/messages/own-command.js';
import { waiterContract } from '../../support/waiter/contract.js';

const sentBy = (app: string) =>
  ({
    body: ownCommandBody(waiterContract, {
      app,
      id: 'm1',
      subject: 'Waiter/w1',
      time: new Date().toISOString(),
      trace: { trigger: 't', actor: 'service:waiter', correlationId: 'c', traceparent: 'p' },
      command: { type: 'Stop', data: { name: 'w1' } },
    }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
  }) as unknown as SQSRecord;

const ours = { app: 'tickets', window: 35 * 86_400 };

test('a message of the own application is read', () => {
  expect(readDelivery(sentBy('tickets'), ours).message).toMatchObject({ id: 'm1', source: 'tickets.waiter' });
});

test('a message of another application is refused, whatever its service is called', () => {
  expect(readDelivery(sentBy('orderly'), ours).message).toEqual(
    new ContractViolation('INVALID_ENVELOPE', 'its source is of another application'),
  );
});
