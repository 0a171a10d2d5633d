import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import type { PaymentEvent } from '../../../lambdas/payments/contract.js';
import { type ConsumerHandler, consumerEnvironment, eventConsumed, outcomeOf } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

let store: typeof import('../../../lambdas/payments/payment-store.js');
let handler: ConsumerHandler;
beforeAll(async () => {
  consumerEnvironment('payments', 'payments-orders');
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  store = await import('../../../lambdas/payments/payment-store.js');
  ({ handler } = await import('../../../lambdas/payments/on-order-event.lambda.js'));
});

const amount = { amount: 700, currency: 'EUR' };
let orderId: string;
beforeEach(() => {
  orderId = randomUUID().replaceAll('-', '');
});

/** An order's payment, which was asked for by its saga and charged. */
async function charged(): Promise<void> {
  const ofAlice = { paymentId: orderId, customerId: 'alice', accountId: 'alice', stepId: `${orderId}/charge-payment` };
  const requestedAt = '2026-01-01T00:00:00.000Z';
  const events: readonly PaymentEvent[] = [
    { type: 'PaymentRequested', data: { ...ofAlice, amount, requestedAt } },
    { type: 'PaymentPrepared', data: { paymentId: orderId, providerId: 'p' } },
    { type: 'PaymentCharged', data: { paymentId: orderId, amount } },
  ];
  const { paymentStore } = store;
  await paymentStore.append(paymentStore.commit(await paymentStore.load(orderId), events, traceOf(randomUUID())));
}

const isCancelled = (more: object = { customerId: 'alice' }, id: string = randomUUID()): Promise<void> => {
  const event: OrderEvent = { type: 'OrderCancelled', data: { orderId, ...more } };
  return eventConsumed(handler, ordersContract, event, id);
};

/** What happened to its payment since it was charged. */
const since = async () =>
  (await store.paymentStore.history(orderId, { commit: 1, shown: 0 }, 20)).items
    .map(({ type }) => type)
    .filter((type) => !['PaymentRequested', 'PaymentPrepared', 'PaymentCharged'].includes(type));

test('a cancelled order is given back what was charged, once, however often it is told', async () => {
  await charged();
  await isCancelled();
  await isCancelled();
  expect(await since()).toEqual(['VoidRequested', 'RefundRequested']);
  expect((await store.paymentStore.load(orderId)).state).toMatchObject({ voidFor: `${orderId}/cancelled` });
});

test('of an order that cost nothing nothing will be charged', async () => {
  await isCancelled();
  expect(await since()).toEqual(['PaymentVoided', 'SagaReplyRequested']);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await charged();
  await isCancelled({ customerId: 'alice', underWay: true });
  expect(await since()).toEqual([]);
});

test('an order of before there were sagas has no payment', async () => {
  const id = randomUUID();
  await isCancelled({}, id);
  expect(await since()).toEqual([]);
  expect(await outcomeOf(id)).toBe('PROCESSED');
});
