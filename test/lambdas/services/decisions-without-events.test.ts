import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { documents } from '../../../lambdas/platform/dynamodb.js';
import { inventoryContract } from '../../../lambdas/services/inventory/contract.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/services/orders/contract.js';
import { consumerEnvironment, eventConsumed } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

/** A consumer that finds nothing to do decided on a version: what comes in between its load and its record is seen. */

consumerEnvironment('tester', 'tester');
const { calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
const { orderStore } = await import('../../../lambdas/services/orders/order-store.js');
const { reservationStore } = await import('../../../lambdas/services/inventory/reservation-store.js');
const onStockAnswer = await import('../../../lambdas/services/orders/on-stock-answer.lambda.js');
const onOrderEvent = await import('../../../lambdas/services/inventory/on-order-event.lambda.js');

/** Runs once, between the next load and what follows it. */
let rival: (() => Promise<unknown>) | undefined;
documents.middlewareStack.add(
  (next, context) => async (args) => {
    const answer = await next(args);
    const comesNow = context.commandName === 'QueryCommand' ? rival : undefined;
    if (comesNow) rival = undefined;
    await comesNow?.();
    return answer;
  },
  { step: 'initialize' },
);

const recordOf = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: 'records', Key: { pk: `tester@0#${id}` } }))).Item;
const loads = () => calls.filter(({ operation }) => operation === 'Query').length;

async function append(store: typeof orderStore, id: string, events: readonly OrderEvent[]): Promise<void> {
  await store.append(store.commit(await store.load(id), events, traceOf(randomUUID())));
}

const placed = (orderId: string): OrderEvent => ({
  type: 'OrderPlaced',
  data: {
    orderId,
    customerId: 'alice',
    lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 1, currency: 'EUR' } }],
    total: { amount: 1, currency: 'EUR' },
    placedAt: '2026-01-01T00:00:00.000Z',
  },
});

test('stock is reserved for an order that is approved: recorded, and decided anew where it is cancelled meanwhile', async () => {
  const orderId = randomUUID();
  await append(orderStore, orderId, [placed(orderId), { type: 'OrderApproved', data: { orderId } }]);
  const message = randomUUID();
  calls.length = 0;
  rival = async () => {
    const loaded = await orderStore.load(orderId);
    await orderStore.append(
      orderStore.commit(loaded, [{ type: 'OrderCancelled', data: { orderId } }], traceOf('rival')),
    );
  };
  await eventConsumed(
    onStockAnswer.handler,
    inventoryContract,
    { type: 'StockReserved', data: { orderId, lines: [] } },
    message,
  );
  // The first load, the rival's, and the one that the second decision is made on.
  expect(loads()).toBe(3);
  expect(await recordOf(message)).toMatchObject({ status: 'PROCESSED' });
  expect(await orderStore.load(orderId)).toMatchObject({ version: 3, state: { status: 'CANCELLED' } });
});

test('an order is placed again where its reservation is void: recorded, and decided anew where something comes in between', async () => {
  const orderId = randomUUID();
  const voided = { type: 'ReservationVoided', data: { orderId } } as const;
  const nothing = await reservationStore.load(orderId);
  await reservationStore.append(reservationStore.commit(nothing, [voided], traceOf('cancelled first')));
  const message = randomUUID();
  calls.length = 0;
  rival = async () => {
    const loaded = await reservationStore.load(orderId);
    await reservationStore.append(reservationStore.commit(loaded, [voided], traceOf('rival')));
  };
  await eventConsumed(onOrderEvent.handler, ordersContract, placed(orderId), message);
  expect(loads()).toBe(3);
  expect(await recordOf(message)).toMatchObject({ status: 'PROCESSED' });
});

test('what a service does because of a message names who began it', async () => {
  const orderId = randomUUID();
  await append(orderStore, orderId, [placed(orderId)]);
  await eventConsumed(
    onStockAnswer.handler,
    inventoryContract,
    { type: 'StockRejected', data: { orderId, reason: 'OUT_OF_STOCK', skus: ['TEA-1'] } },
    randomUUID(),
  );
  const { items } = await orderStore.history(orderId, { commit: 1, shown: 0 }, 10);
  expect(items[1]).toMatchObject({
    type: 'OrderRejected',
    actor: 'service:tester',
    onBehalfOf: 'customer:alice',
    data: { reason: 'OUT_OF_STOCK', skus: ['TEA-1'] },
  });
});
