import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { reservations } from '../../lambdas/inventory/aggregates.js';
import type { ReservationEvent } from '../../lambdas/inventory/contract.js';
import { orders } from '../../lambdas/orders/aggregates.js';
import { type OrderEvent, ordersContract } from '../../lambdas/orders/contract.js';
import { OrdersEnv } from '../../lambdas/orders/environment.js';
import { createOrderSagas } from '../../lambdas/orders/saga-aggregate.js';
import { payments } from '../../lambdas/payments/aggregates.js';
import type { PaymentEvent } from '../../lambdas/payments/contract.js';
import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import { Env } from '../../packages/kit/aws/environment.js';
import type { EventStore } from '../../packages/kit/event-store/event-store.js';
import { eventStoreFromEnvironment } from '../../packages/kit/event-store/event-store-from-environment.js';
import type { AnyEvent, ServiceContract } from '../../packages/kit/messages/contract.js';
import { type ConsumerHandler, consumerEnvironment, eventConsumed, readOutcome } from '../support/consumed.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';
import { REVIEW_RULES } from '../support/review-rules.js';
import { buildTrace } from '../support/tally.js';

/** A consumer that finds nothing to do decided on a version: what comes in between its load and its record is seen. */

consumerEnvironment('tester', 'tester', {
  [OrdersEnv.REVIEW_RULES]: JSON.stringify({ ...REVIEW_RULES, otherAddress: true }),
  [Env.PERSONAL_KEYS]: 'people',
  [Env.PERSONAL_DATA_KEY]: 'none',
});
const { calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
const orderStore = eventStoreFromEnvironment(orders);
const createOrderStore = eventStoreFromEnvironment(createOrderSagas);
const reservationStore = eventStoreFromEnvironment(reservations);
const paymentStore = eventStoreFromEnvironment(payments);
const saga = await import('../../lambdas/orders/on-saga-message.lambda.js');
const inventory = await import('../../lambdas/inventory/on-order-event.lambda.js');
const paymentsConsumer = await import('../../lambdas/payments/on-order-event.lambda.js');

/** Runs once, between the next load and what follows it. */
let rival: (() => Promise<unknown>) | undefined;
documentClient.middlewareStack.add(
  (next, context) => async (args) => {
    const answer = await next(args);
    const comesNow = context.commandName === 'QueryCommand' ? rival : undefined;
    if (comesNow) rival = undefined;
    await comesNow?.();
    return answer;
  },
  { step: 'initialize' },
);

async function append<State, Event extends AnyEvent>(
  store: EventStore<State, Event>,
  id: string,
  ...events: readonly Event[]
): Promise<void> {
  await store.append(store.buildCommit(await store.load(id), events, buildTrace(randomUUID())));
}

/** Receives it while the rival comes in between; is recorded, after the rival's load and a second one of its own. */
async function hearsBeside(
  rivalOf: () => Promise<unknown>,
  handler: ConsumerHandler,
  contract: ServiceContract,
  event: AnyEvent,
): Promise<void> {
  const message = randomUUID();
  calls.length = 0;
  rival = rivalOf;
  await eventConsumed(handler, contract, event, message);
  expect(calls.filter(({ operation }) => operation === 'Query')).toHaveLength(3);
  expect(await readOutcome(message)).toBe('PROCESSED');
}

const amount = { amount: 1, currency: 'EUR' };
const placed = (orderId: string): Extract<OrderEvent, { type: 'OrderPlaced' }> => ({
  type: 'OrderPlaced',
  data: {
    orderId,
    customerId: 'alice',
    lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: amount }],
    total: amount,
    placedAt: '2026-01-01T00:00:00.000Z',
  },
});
const cancelled = (orderId: string): OrderEvent => ({ type: 'OrderCancelled', data: { orderId, customerId: 'alice' } });

test('an answer that no step waits for is recorded, and processed after all if its step is sent meanwhile', async () => {
  const orderId = randomUUID();
  await eventConsumed(saga.handler, ordersContract, placed(orderId));
  const ofStep = (step: string) => ({ orderId, stepId: `${orderId}/${step}` });
  const confirmed = { type: 'PricesConfirmed', data: ofStep('confirm-prices') };
  const data = { ...ofStep('authorize-account'), customerId: 'alice', amount };
  await hearsBeside(() => eventConsumed(saga.handler, catalogContract, confirmed), saga.handler, accountsContract, {
    type: 'AccountAuthorized',
    data,
  });
  expect(await createOrderStore.load(orderId)).toMatchObject({ state: { waiting: { step: 'reserve-stock' } } });
});

test('a cancelled order with a void reservation is recorded, and decided again after a concurrent change', async () => {
  const orderId = randomUUID();
  const voided: ReservationEvent = { type: 'ReservationVoided', data: { orderId } };
  await append(reservationStore, orderId, voided);
  await hearsBeside(
    () => append(reservationStore, orderId, voided),
    inventory.handler,
    ordersContract,
    cancelled(orderId),
  );
});

test('a cancelled order with a pending refund is recorded, and answered if the refund completes meanwhile', async () => {
  const orderId = randomUUID();
  const [paymentId, refundId] = [orderId, 'r'];
  const stepId = `${orderId}/cancelled`;
  const requestedAt = '2026-01-01T00:00:00.000Z';
  const history: readonly PaymentEvent[] = [
    { type: 'PaymentRequested', data: { paymentId, customerId: 'alice', accountId: 'alice', amount, requestedAt } },
    { type: 'PaymentPrepared', data: { paymentId, providerId: 'p' } },
    { type: 'PaymentCharged', data: { paymentId, amount } },
    { type: 'VoidRequested', data: { paymentId, stepId } },
    { type: 'RefundRequested', data: { paymentId, refundId, amount } },
  ];
  await append(paymentStore, paymentId, ...history);
  await hearsBeside(
    () => append(paymentStore, paymentId, { type: 'PaymentRefunded', data: { paymentId, refundId, amount } }),
    paymentsConsumer.handler,
    ordersContract,
    cancelled(orderId),
  );
  const { items } = await paymentStore.history(paymentId, { commit: 1, shown: 0 }, 10);
  expect(items.slice(-1)).toMatchObject([{ type: 'SagaReplyRequested', data: { stepId, outcome: 'DONE' } }]);
});

test('an event that a service writes because of a message names who began it', async () => {
  const orderId = randomUUID();
  await append(orderStore, orderId, placed(orderId));
  await eventConsumed(saga.handler, ordersContract, placed(orderId));
  const data = { orderId, stepId: `${orderId}/confirm-prices`, reason: 'PRICE_CHANGED', skus: ['TEA-1'] };
  await eventConsumed(saga.handler, catalogContract, { type: 'PricesRefused', data });
  const { items } = await orderStore.history(orderId, { commit: 1, shown: 0 }, 10);
  expect(items[1]).toMatchObject({
    type: 'OrderRejected',
    actor: expect.stringMatching(/^service:/),
    onBehalfOf: 'customer:alice',
    data: { reason: 'PRICE_CHANGED', skus: ['TEA-1'] },
  });
});
