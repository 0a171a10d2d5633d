import { beforeEach, expect, test } from 'vitest';
import { type ReservationStore, reservations, stockItems } from '../../../lambdas/inventory/aggregates.js';
import { type InventoryCommand, inventoryContract } from '../../../lambdas/inventory/contract.js';
import { onCommand } from '../../../lambdas/inventory/on-command.js';
import { onOrderEvent } from '../../../lambdas/inventory/on-order-event.js';
import { type StockStore, setStock, stockOf } from '../../../lambdas/inventory/stock-store.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { modelledTables } from '../../support/modelled-tables.js';
import { traceOf } from '../../support/tally.js';

/** Inventory as a service in memory. Its counters are changed by arithmetic, which the simulator's model knows. */

const [orderId, sku] = ['o1', 'TEA-1'];
type Deliver = ReturnType<InMemoryService['consumer']>;
let counters: StockStore;
let reservationStore: ReservationStore;
let commands: Deliver;
let events: Deliver;
beforeEach(async () => {
  const service = new InMemoryService('inventory', modelledTables());
  counters = service.stateStore(stockItems);
  reservationStore = service.eventStore(reservations);
  commands = service.consumer([onCommand(reservationStore)], ['orders']);
  events = service.consumer([onOrderEvent(reservationStore)]);
  await setStock(counters, sku, 10, undefined, traceOf('stock'));
});

const reserve = (quantity = 3, order = orderId) => {
  const data = { orderId: order, stepId: `${order}/reserve-stock`, lines: [{ sku, quantity }] };
  const command: InventoryCommand = { type: 'ReserveStock', data };
  return commandMessage(inventoryContract, command, 'orders');
};
const release = () => {
  const data = { orderId, stepId: `${orderId}/reserve-stock/undo` };
  return commandMessage(inventoryContract, { type: 'ReleaseStock', data }, 'orders');
};
const cancelled = (more: object = {}) =>
  eventMessage(ordersContract, { type: 'OrderCancelled', data: { orderId, customerId: 'alice', ...more } });
const reserved = async () => (await stockOf(counters, sku))?.reserved;
const status = async (order = orderId) => (await reservationStore.load(order)).state.status;

test('a command reserves once, however often it is delivered', async () => {
  const message = reserve();
  expect(await commands(message)).toBe('applied');
  expect(await commands(message)).toBe('duplicate');
  expect([await reserved(), await status()]).toEqual([3, 'RESERVED']);
});

test('two deliveries of a command at once reserve once', async () => {
  const message = reserve();
  expect((await Promise.all([commands(message), commands(message)])).toSorted()).toEqual(['applied', 'duplicate']);
  expect([await reserved(), await status()]).toEqual([3, 'RESERVED']);
});

test('a retry of the step is another message: it gets the answer again, and reserves nothing more', async () => {
  await commands(reserve());
  expect(await commands(reserve())).toBe('applied');
  const { items } = await reservationStore.history(orderId, { commit: 1, shown: 0 }, 10);
  expect(items.map(({ type }) => type)).toEqual(['StockReserved', 'SagaReplyRequested']);
  expect(await reserved()).toBe(3);
});

test('too few pieces reject the order, and leave the counter as it is', async () => {
  await commands(reserve(11));
  expect((await reservationStore.load(orderId)).state).toEqual({ status: 'REJECTED', skus: [sku] });
  expect(await reserved()).toBe(0);
});

test('of two orders at once for the last pieces one is rejected', async () => {
  await Promise.all([commands(reserve(6, 'o1')), commands(reserve(6, 'o2'))]);
  expect([await status('o1'), await status('o2')].toSorted()).toEqual(['REJECTED', 'RESERVED']);
  expect(await stockOf(counters, sku)).toMatchObject({ onHand: 10, reserved: 6, available: 4 });
});

test('pieces that a step or a cancellation releases are released once', async () => {
  await commands(reserve());
  for (const message of [release(), release()]) await commands(message);
  await events(cancelled());
  expect([await reserved(), await status()]).toEqual([0, 'RELEASED']);
});

test('what is reserved for a cancelled order is free again, once, however often it is told', async () => {
  await commands(reserve());
  expect(await reserved()).toBe(3);
  const message = cancelled();
  for (const delivered of [message, message, cancelled()]) await events(delivered);
  expect([await reserved(), await status()]).toEqual([0, 'RELEASED']);
});

const dispatched = () =>
  eventMessage(ordersContract, { type: 'OrderDispatched', data: { orderId, customerId: 'alice' } });
const stock = () => stockOf(counters, sku);

test('what is reserved for a dispatched order leaves the stock, once, however often it is told', async () => {
  await commands(reserve());
  const message = dispatched();
  expect([await events(message), await events(message), await events(dispatched())]).toEqual([
    'applied',
    'duplicate',
    'applied',
  ]);
  expect(await stock()).toMatchObject({ onHand: 7, reserved: 0, available: 7, version: 1 });
  expect(await status()).toBe('DISPATCHED');
});

test('two deliveries of a dispatch at once, and one under another id, take the stock once', async () => {
  await commands(reserve());
  const message = dispatched();
  await Promise.all([events(message), events(message), events(dispatched())]);
  expect(await stock()).toMatchObject({ onHand: 7, reserved: 0, available: 7 });
});

test('after a dispatch nothing is released or reserved any more, and what is there can be counted', async () => {
  await commands(reserve());
  await events(dispatched());
  await events(cancelled());
  for (const message of [release(), reserve()]) await commands(message);
  expect(await status()).toBe('DISPATCHED');
  expect(await setStock(counters, sku, 7, 1, traceOf('same'))).toMatchObject({ onHand: 7, version: 1 });
  expect(await setStock(counters, sku, 2, 1, traceOf('count'))).toMatchObject({ onHand: 2, available: 2, version: 2 });
});

test('a dispatch of an order without a reservation takes nothing', async () => {
  await events(dispatched());
  expect([await stock(), await status()]).toMatchObject([{ onHand: 10, reserved: 0 }, 'NONE']);
});

test('cancelled as heard first, nothing is reserved any more', async () => {
  await events(cancelled());
  await commands(reserve());
  expect([await reserved(), await status()]).toEqual([0, 'VOID']);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await events(cancelled({ underWay: true }));
  expect(await status()).toBe('NONE');
  await commands(reserve());
  await events(cancelled({ underWay: true }));
  expect([await reserved(), await status()]).toEqual([3, 'RESERVED']);
});

test('a stock is never set below what is reserved, and setting it again writes nothing', async () => {
  await commands(reserve());
  await expect(setStock(counters, sku, 2, undefined, traceOf('low'))).rejects.toMatchObject({ code: 'stock-reserved' });
  expect(await setStock(counters, sku, 5, 1, traceOf('set'))).toMatchObject({ available: 2, version: 2 });
  expect(await setStock(counters, sku, 5, 1, traceOf('again'))).toMatchObject({ available: 2, version: 2 });
  await expect(setStock(counters, sku, 6, 1, traceOf('old'))).rejects.toMatchObject({ code: 'conflict' });
});
