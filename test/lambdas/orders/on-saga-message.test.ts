import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { catalogContract } from '../../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../../lambdas/inventory/contract.js';
import { type OrderStore, orders } from '../../../lambdas/orders/aggregates.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { createOrderOrchestrator } from '../../../lambdas/orders/create-order-orchestrator.js';
import { decide, type OrderCommand, toView } from '../../../lambdas/orders/domain/order.js';
import { onSagaMessage } from '../../../lambdas/orders/on-saga-message.js';
import { type CreateOrderStore, createOrderSagas } from '../../../lambdas/orders/saga-aggregate.js';
import { createOrderContract } from '../../../lambdas/orders/saga-contract.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import type { AnyEvent, ServiceContract } from '../../../packages/kit/messages/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { REVIEW_RULES } from '../../support/review-rules.js';
import { buildTrace } from '../../support/tally.js';

/** Orders and their sagas as a service in memory. The saga's timers are writes of the same transactions. */

type Deliver = ReturnType<InMemoryService['consumer']>;
let orderStore: OrderStore;
let sagaStore: CreateOrderStore;
let deliver: Deliver;
const orderId = 'o1';
const amount = { amount: 700, currency: 'EUR' };
const line = { sku: 'TEA-1', quantity: 2, unitPrice: { amount: 350, currency: 'EUR' } };
beforeEach(async () => {
  const service = new InMemoryService('orders');
  orderStore = service.eventStore(orders);
  sagaStore = service.eventStore(createOrderSagas);
  const consumer = { name: 'orders-saga', generation: 0 };
  const timers = new Timers({ app: 'app', table: service.records.name, consumer, contract: createOrderContract });
  const rules = REVIEW_RULES;
  const reviews = {
    orderStore,
    table: service.table,
    rules,
    readNewest: async () => [],
    personalKeys: { openAll: async () => [] },
  };
  deliver = service.consumer(
    onSagaMessage({ orderStore, orchestrator: createOrderOrchestrator(sagaStore, timers), reviews }),
  );
  await changed({ type: 'Place', orderId, customerId: 'bob', lines: [line] });
});

/** An API's change of the order, which the saga receives of later. */
async function changed(command: OrderCommand): Promise<void> {
  const order = await orderStore.load(orderId);
  const events = decide(order.state, command, { now: '2026-03-01T00:00:00.000Z' });
  await orderStore.append(orderStore.buildCommit(order, events, buildTrace(randomUUID())));
}

/** Delivers each message twice: the duplicate has no effect. */
async function receives(contract: ServiceContract, event: AnyEvent): Promise<void> {
  const message = eventMessage(contract, event);
  expect([await deliver(message), await deliver(message)]).toEqual(['applied', 'duplicate']);
}

const isPlaced = () =>
  receives(ordersContract, {
    type: 'OrderPlaced',
    data: { orderId, customerId: 'bob', lines: [line], total: amount, placedAt: '2026-03-01T00:00:00.000Z' },
  });
const isCancelled = () => receives(ordersContract, { type: 'OrderCancelled', data: { orderId } });
const stepOf = (step: string) => ({ orderId, stepId: `${orderId}/${step}` });
const done = (contract: ServiceContract, step: string, more = {}) =>
  receives(contract, { type: 'SagaReplyRequested', data: { ...stepOf(step), ...more, outcome: 'DONE' } });
const ofBob = { customerId: 'bob' };
const confirmed = () => receives(catalogContract, { type: 'PricesConfirmed', data: stepOf('confirm-prices') });
const authorized = () =>
  receives(accountsContract, { type: 'AccountAuthorized', data: { ...stepOf('authorize-account'), ...ofBob, amount } });
const reserved = () =>
  receives(inventoryContract, {
    type: 'StockReserved',
    data: { ...stepOf('reserve-stock'), lines: [{ sku: 'TEA-1', quantity: 2 }] },
  });
const charged = () => done(paymentsContract, 'charge-payment', ofBob);

async function sent(): Promise<readonly string[]> {
  const { commits } = await sagaStore.load(orderId);
  return commits.flatMap(({ commands = [] }) => commands.map(({ to, type }) => `${to} ${type}`));
}
const sagaStatus = async () => (await sagaStore.load(orderId)).state.status;
const order = async () => {
  const { state, version } = await orderStore.load(orderId);
  return toView(state, version)!;
};

const FORWARDS = [
  'catalog ConfirmPrices',
  'accounts AuthorizeAccount',
  'inventory ReserveStock',
  'payments ChargePayment',
];

describe('the saga of an order', () => {
  test('a saga is over before it began if the cancellation arrives first', async () => {
    await isCancelled();
    await isPlaced();
    expect(await sent()).toEqual([]);
    expect(await sagaStatus()).toBe('COMPENSATED');
  });

  test('a saga undoes nothing if a release without sagas approved its order meanwhile', async () => {
    for (const heard of [isPlaced, confirmed, authorized, reserved]) await heard();
    await changed({ type: 'Approve' });
    await charged();
    expect(await sagaStatus()).toBe('COMPLETED');
    expect(await sent()).toEqual(FORWARDS);
  });

  test.each([{ type: 'Approve' }, { type: 'Reject', reason: 'OUT_OF_STOCK', skus: [] }, { type: 'Cancel' }] as const)(
    'a saga never begins if its order has ended without one: $type',
    async (end) => {
      await changed(end);
      const { version } = await order();
      await isPlaced();
      expect(await sent()).toEqual([]);
      expect(await sagaStatus()).toBe('NONE');
      expect((await order()).version).toBe(version);
    },
  );

  test('ignores an answer that no step of it asked for', async () => {
    await isPlaced();
    await receives(inventoryContract, { type: 'StockReserved', data: { orderId, lines: [] } });
    await done(accountsContract, 'authorize-account', ofBob);
    expect(await sent()).toEqual(FORWARDS.slice(0, 1));
  });
});
