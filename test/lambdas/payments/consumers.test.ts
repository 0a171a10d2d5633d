import { expect, test } from 'vitest';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { payments } from '../../../lambdas/payments/aggregates.js';
import { onOrderEvent } from '../../../lambdas/payments/on-order-event.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';

test('an order of before there were sagas has no payment, and its cancellation makes none', async () => {
  const service = new InMemoryService('payments');
  const events = service.consumer([onOrderEvent(service.eventStore(payments))]);
  const cancelled = (data: object) => eventMessage(ordersContract, { type: 'OrderCancelled', data });
  const message = cancelled({ orderId: 'o1' });
  expect([await events(message), await events(message)]).toEqual(['applied', 'duplicate']);
  expect(service.drainPublished()).toEqual([]);
  // Of a present order it is remembered, so that nothing will be charged.
  await events(cancelled({ orderId: 'o2', customerId: 'alice' }));
  expect(service.drainPublished()).toMatchObject([{ type: 'PaymentVoided' }, { type: 'SagaReplyRequested' }]);
});
