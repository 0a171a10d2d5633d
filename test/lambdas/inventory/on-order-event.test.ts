import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type InventoryCommand, inventoryContract } from '../../../lambdas/inventory/contract.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import { type ConsumerHandler, commandConsumed, consumerEnvironment, eventConsumed } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

let store: typeof import('../../../lambdas/inventory/reservation-store.js');
let stock: typeof import('../../../lambdas/inventory/stock-store.js');
let events: ConsumerHandler;
let commands: ConsumerHandler;
beforeAll(async () => {
  consumerEnvironment('inventory', 'reservations');
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  store = await import('../../../lambdas/inventory/reservation-store.js');
  stock = await import('../../../lambdas/inventory/stock-store.js');
  ({ handler: events } = await import('../../../lambdas/inventory/on-order-event.lambda.js'));
  ({ handler: commands } = await import('../../../lambdas/inventory/on-command.lambda.js'));
});

let orderId: string;
let sku: string;
beforeEach(async () => {
  [orderId, sku] = [randomUUID(), randomUUID()];
  await stock.setStock(sku, 10, undefined, traceOf(randomUUID()));
});

const reserve = (): Promise<void> => {
  const data = { orderId, stepId: `${orderId}/reserve-stock`, lines: [{ sku, quantity: 3 }] };
  const command: InventoryCommand = { type: 'ReserveStock', data };
  return commandConsumed(commands, inventoryContract, command);
};
const isCancelled = (more: object = {}): Promise<void> => {
  const event: OrderEvent = { type: 'OrderCancelled', data: { orderId, customerId: 'alice', ...more } };
  return eventConsumed(events, ordersContract, event);
};
const reserved = async () => (await stock.stockOf(sku))?.reserved;
const status = async () => (await store.reservationStore.load(orderId)).state.status;

test('what is reserved for a cancelled order is free again, once, however often it is told', async () => {
  await reserve();
  expect(await reserved()).toBe(3);
  await isCancelled();
  await isCancelled();
  expect([await reserved(), await status()]).toEqual([0, 'RELEASED']);
});

test('cancelled as heard first, nothing is reserved any more', async () => {
  await isCancelled();
  await reserve();
  expect([await reserved(), await status()]).toEqual([0, 'VOID']);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await isCancelled({ underWay: true });
  expect(await status()).toBe('NONE');
  await reserve();
  await isCancelled({ underWay: true });
  expect([await reserved(), await status()]).toEqual([3, 'RESERVED']);
});
