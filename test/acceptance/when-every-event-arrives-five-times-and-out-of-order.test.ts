import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { getAccount } from './accounts.js';
import { orderCancelled, queued, toInventory } from './messages.js';
import { approved, cancel, get, line, placed, stocked } from './orders.js';
import { reservationOf, stockSteps } from './stock.js';
import type { Aggregate, ConsumerName } from './world.js';

/** Waits until a consumer has handled this many deliveries of a message, including the first one. */
const delivered = (consumer: ConsumerName, { id, type }: Envelope, times: number) =>
  world.eventually(`${consumer} got ${type} ${times} times`, async () => {
    const { applied, duplicate } = await world.deliveries(consumer, id);
    expect(applied + duplicate).toBe(times);
    return { applied, duplicate };
  });

/**
 * Sends everything that an order caused four more times, including its saga's commands. @returns each message once, by
 * its type
 */
async function fourTimesMore(orderId: string, customer: string): Promise<(type: string) => Envelope> {
  const all: Envelope[] = [];
  for (const aggregate of ['Order', 'CreateOrderSaga', 'PriceCheck', 'Reservation', 'Payment', 'Account'] as const) {
    all.push(...(await world.redeliver({ aggregate, id: aggregate === 'Account' ? customer : orderId }, 4)));
  }
  return (type) => all.find((message) => message.type === type)!;
}

/** Returns the number of commits per participant. If it does not rise, nothing was done again. */
const commitsOf = async (orderId: string, customer: string) => {
  const count = async (aggregate: Aggregate, id = orderId) => (await world.commits(aggregate, id)).length;
  return {
    order: await count('Order'),
    saga: await count('CreateOrderSaga'),
    prices: await count('PriceCheck'),
    stock: await count('Reservation'),
    payment: await count('Payment'),
    account: await count('Account', customer),
  };
};

const ONCE = { applied: 1, duplicate: 4 };

describe('when every event arrives five times and out of order', () => {
  test('each event, and each command, has one effect at each of its consumers', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    const customer = world.fresh('customer');
    const { orderId } = await approved([line(tea, 3), line(cup, 2)], { as: { customer } });
    await world.settled(orderId);
    const [before, account, commits] = [
      await get(orderId),
      await getAccount(customer),
      await commitsOf(orderId, customer),
    ];

    const sent = await fourTimesMore(orderId, customer);
    expect(await delivered('orders-saga', sent('OrderPlaced'), 5)).toEqual(ONCE);
    expect(await delivered('catalog-commands', sent('ConfirmPrices'), 5)).toEqual(ONCE);
    expect(await delivered('orders-saga', sent('PricesConfirmed'), 5)).toEqual(ONCE);
    expect(await delivered('accounts-commands', sent('AuthorizeAccount'), 5)).toEqual(ONCE);
    expect(await delivered('orders-saga', sent('AccountAuthorized'), 5)).toEqual(ONCE);
    expect(await delivered('inventory-commands', sent('ReserveStock'), 5)).toEqual(ONCE);
    expect(await delivered('orders-saga', sent('StockReserved'), 5)).toEqual(ONCE);
    expect(await delivered('payments-commands', sent('ChargePayment'), 5)).toEqual(ONCE);
    expect(await delivered('payments-provider', sent('PaymentPrepared'), 5)).toEqual(ONCE);
    expect(await delivered('orders-saga', sent('SagaReplyRequested'), 5)).toEqual(ONCE);
    expect(await delivered('accounts-orders', sent('OrderApproved'), 5)).toEqual(ONCE);
    await delivered('orders-list', sent('OrderPlaced'), 5);
    await delivered('orders-list', sent('OrderApproved'), 5);

    expect(await get(orderId)).toMatchObject({ status: 200, body: before.body });
    expect(await world.stock(tea)).toMatchObject({ onHand: 10, reserved: 3, available: 7 });
    expect(await world.stock(cup)).toMatchObject({ onHand: 10, reserved: 2, available: 8 });
    expect((await getAccount(customer)).body).toEqual(account.body);
    expect(await world.moved(orderId)).toEqual({ charges: 1, charged: 1750, refunds: 0, refunded: 0 });
    expect(await commitsOf(orderId, customer)).toEqual(commits);
  });

  test('a cancelled order releases everything once, and its old messages take nothing again', async () => {
    const sku = await stocked(10);
    const customer = world.fresh('customer');
    const { orderId } = await approved([line(sku, 4)], { as: { customer } });
    await world.settled(orderId);
    await cancel(orderId, { as: { customer } });
    await world.settled(orderId);
    const commits = await commitsOf(orderId, customer);

    const sent = await fourTimesMore(orderId, customer);
    for (const consumer of ['reservations', 'accounts-orders', 'payments-orders', 'orders-saga'] as const) {
      expect(await delivered(consumer, sent('OrderCancelled'), 5)).toEqual(ONCE);
    }
    expect(await delivered('orders-saga', sent('OrderPlaced'), 5)).toEqual(ONCE);
    expect(await delivered('inventory-commands', sent('ReserveStock'), 5)).toEqual(ONCE);
    expect(await delivered('payments-commands', sent('ChargePayment'), 5)).toEqual(ONCE);

    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
    expect(await world.moved(orderId)).toEqual({ charges: 1, charged: 1400, refunds: 1, refunded: 1400 });
    expect(await commitsOf(orderId, customer)).toEqual(commits);
  });

  test('a rejected order stays rejected, even if there is stock when the answer is repeated', async () => {
    const sku = await stocked(1);
    const customer = world.fresh('customer');
    const { orderId } = await placed([line(sku, 2)], { as: { customer } });
    await world.settled(orderId);
    await world.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand: 50 } });

    const sent = await fourTimesMore(orderId, customer);
    expect(await delivered('orders-saga', sent('OrderPlaced'), 5)).toEqual(ONCE);
    expect(await delivered('inventory-commands', sent('ReserveStock'), 5)).toEqual(ONCE);
    expect(await delivered('orders-saga', sent('StockRejected'), 5)).toEqual(ONCE);
    expect(await delivered('accounts-commands', sent('ReleaseAuthorization'), 5)).toEqual(ONCE);
    expect((await get(orderId)).body).toMatchObject({ status: 'REJECTED', reason: 'OUT_OF_STOCK', version: 2 });
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 50 });
  });

  test('only one of five concurrent first deliveries has an effect', async () => {
    const sku = await stocked(10);
    const step = toInventory(stockSteps().reserve(line(sku, 2)));
    const copies = Array.from({ length: 5 }, () => queued(step));
    await Promise.all(copies.map((copy) => world.send('inventory-commands', copy)));
    expect(await delivered('inventory-commands', step, 5)).toEqual(ONCE);
    expect(await world.stock(sku)).toMatchObject({ reserved: 2, available: 8 });
  });

  test('reserves nothing in the end for five deliveries in one batch with their cancellation', async () => {
    const sku = await stocked(10);
    const { orderId, reserve, release } = stockSteps();
    const [first, last, cancelled] = [
      toInventory(reserve(line(sku, 2))),
      toInventory(release),
      orderCancelled(orderId),
    ];
    const copies = [last, first, first, last, first, last, first, last, first, last];
    await Promise.all([
      world.send('inventory-commands', ...copies.map(queued)),
      world.send('reservations', ...Array<string>(5).fill(queued(cancelled))),
    ]);
    expect(await delivered('inventory-commands', first, 5)).toEqual(ONCE);
    expect(await delivered('inventory-commands', last, 5)).toEqual(ONCE);
    expect(await delivered('reservations', cancelled, 5)).toEqual(ONCE);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    expect([['ReservationVoided'], ['StockReserved', 'StockReleased']]).toContainEqual(await reservationOf(orderId));
  });
});
