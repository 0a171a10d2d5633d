import { expect, test } from 'vitest';
import { reservations } from '../../../lambdas/inventory/aggregates.js';
import { onOrderEvent } from '../../../lambdas/inventory/on-order-event.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';

test('while the saga of an order is under way, its cancellation is left to that', async () => {
  const service = new InMemoryService('inventory');
  const events = service.consumer([onOrderEvent(service.eventStore(reservations))]);
  const cancelled = (orderId: string, more: object = {}) =>
    eventMessage(ordersContract, { type: 'OrderCancelled', data: { orderId, customerId: 'alice', ...more } });
  await events(cancelled('o1', { underWay: true }));
  expect(service.drainPublished()).toEqual([]);
  // Without a saga under way it is remembered, so that nothing will be reserved.
  await events(cancelled('o2'));
  expect(service.drainPublished()).toMatchObject([{ type: 'ReservationVoided' }]);
});
