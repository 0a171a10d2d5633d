import { beforeEach, expect, test } from 'vitest';
import { orders } from '../../../lambdas/orders/aggregates.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import type { LimitReached } from '../../../lambdas/orders/domain/admission.js';
import { placeCheckedOut } from '../../../lambdas/orders/place-checked-out.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';

/** Orders as a service in memory: the consumer of commands with its event store. */

const lines = [{ sku: 'TEA-1', quantity: 2, unitPrice: { amount: 350, currency: 'EUR' } }];
const data = { orderId: '0'.repeat(32), customerId: 'alice', lines };
const sent = (from = 'baskets') => commandMessage(ordersContract, { type: 'PlaceOrder', data }, from);

let reached: LimitReached | undefined;
let isBlocked = false;
let orderStore: ReturnType<typeof storeOf>;
let deliver: ReturnType<InMemoryService['consumer']>;
const storeOf = (service: InMemoryService) => service.eventStore(orders);
beforeEach(() => {
  const service = new InMemoryService('orders');
  [reached, isBlocked] = [undefined, false];
  orderStore = storeOf(service);
  deliver = service.consumer([placeCheckedOut(orderStore, async () => ({ reached, isBlocked }))], ['baskets']);
});
const events = async () => {
  const { items } = await orderStore.history(data.orderId, { commit: 1, shown: 0 }, 10);
  return items;
};

test('a checkout places one order, however often and by how many messages it comes', async () => {
  const message = sent();
  expect(await deliver(message)).toBe('applied');
  expect(await deliver(message)).toBe('duplicate');
  expect(await Promise.all([deliver(sent()), deliver(sent())])).toEqual(['applied', 'applied']);
  expect(await events()).toMatchObject([
    { type: 'OrderPlaced', data: { ...data, total: { amount: 700, currency: 'EUR' } }, actor: 'service:orders' },
  ]);
});

test('two messages at once place one order', async () => {
  await Promise.all([deliver(sent()), deliver(sent())]);
  expect(await events()).toHaveLength(1);
});

test('an order at a limit of the customer exists and is rejected; a later repeat changes nothing', async () => {
  reached = { limit: 'ORDERS_PER_HOUR', retryAfterSeconds: 60 };
  await deliver(sent());
  reached = undefined;
  expect(await deliver(sent())).toBe('applied');
  expect(await events()).toMatchObject([
    { type: 'OrderPlaced' },
    { type: 'OrderRejected', data: { reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR', skus: [] } },
  ]);
});

test('an order of a blocked user exists and is rejected, for a reason that the customer cannot change', async () => {
  isBlocked = true;
  await deliver(sent());
  expect(await events()).toMatchObject([{ type: 'OrderPlaced' }, { data: { reason: 'STEP_REFUSED', skus: [] } }]);
});

test('a limit that is reached later rejects no order that was placed before', async () => {
  await deliver(sent());
  reached = { limit: 'ORDERS_UNDER_WAY', retryAfterSeconds: 60 };
  await deliver(sent());
  expect(await events()).toHaveLength(1);
});

test('a command of any other service is refused', async () => {
  await expect(deliver(sent('payments'))).rejects.toMatchObject({ code: 'SENDER_NOT_ALLOWED' });
});
