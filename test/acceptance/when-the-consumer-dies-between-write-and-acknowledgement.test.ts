import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { becomes, cancel, get, line, placed, post, stocked } from './orders.js';
import { reservationOf } from './stock.js';
import type { FunctionName } from './world.js';

afterEach(() => world.heal());

describe.skipIf(!world.makesFaults)(`when the consumer dies between write and acknowledgement ${needsFaults}`, () => {
  test('crashes after writing the reservation: it is not made again', async () => {
    const sku = await stocked(10);
    await world.crash('inventory/on-command', 'afterWrite', { including: sku });
    const { orderId } = await placed([line(sku, 3)]);
    await becomes(orderId, 'APPROVED');

    const [step] = await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['ReserveStock'] });
    // It crashed before it could log that it had applied the message. Only the second delivery logs something.
    await world.eventually('the second delivery is seen as a duplicate', async () =>
      expect(await world.deliveries('inventory-commands', step!.id)).toMatchObject({ applied: 0, duplicate: 1 }),
    );
    expect(await world.stock(sku)).toMatchObject({ reserved: 3, available: 7 });
    expect(await world.commits('Reservation', orderId)).toHaveLength(1);
  });

  test('crashes before the write several times: nothing is half done, and the next delivery does it', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    await world.crash('inventory/on-command', 'beforeWrite', { including: tea, times: 2 });
    const { orderId } = await dyingAt('inventory/on-command', 2, async () => {
      const order = await placed([line(tea, 3), line(cup, 1)]);
      return becomes(order.orderId, 'APPROVED');
    });
    expect(await world.stock(tea)).toMatchObject({ reserved: 3 });
    expect(await world.stock(cup)).toMatchObject({ reserved: 1 });
    // Its saga may have repeated the command meanwhile. The repeat is answered and reserves nothing.
    expect(await reservationOf(orderId)).toEqual(['StockReserved']);
  });

  test('crashes after writing a step of the saga: it is not repeated', async () => {
    const sku = await stocked(10);
    await world.crash('orders/on-saga-message', 'afterWrite', { including: sku });
    const { orderId } = await placed([line(sku)]);
    await becomes(orderId, 'APPROVED');
    const [start] = await world.events({ aggregate: 'Order', id: orderId });
    await world.eventually('the second delivery is seen as a duplicate', async () =>
      expect(await world.deliveries('orders-saga', start!.id)).toMatchObject({ applied: 0, duplicate: 1 }),
    );
    await world.settled(orderId);
    expect(await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['SagaStarted'] })).toHaveLength(1);
    expect(await world.events({ aggregate: 'PriceCheck', id: orderId })).toHaveLength(1);
  });

  test('crashes after writing the approval: it is not written again, and pays once', async () => {
    const sku = await stocked(10);
    // Only the last step's transaction contains this.
    await world.crash('orders/on-saga-message', 'afterWrite', { including: 'OrderApproved' });
    const { orderId } = await placed([line(sku)]);
    await world.faultsMet();
    const [answer] = await world.events({ aggregate: 'Payment', id: orderId, types: ['SagaReplyRequested'] });
    await world.eventually('the second delivery is seen as a duplicate', async () =>
      expect(await world.deliveries('orders-saga', answer!.id)).toMatchObject({ applied: 0, duplicate: 1 }),
    );
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect(await world.moved(orderId)).toMatchObject({ charges: 1, refunds: 0 });
  });

  test('crashes after writing a row of the list: the repeat does not restore an old row', async () => {
    const sku = await stocked(10);
    const customer = world.fresh('customer');
    await world.crash('orders/list-projection', 'afterWrite', { including: customer });
    const { orderId } = await dyingAt('orders/list-projection', 1, async () => {
      const order = await placed([line(sku)], { as: { customer } });
      await world.settled(order.orderId);
      return order;
    });
    const { body } = await world.call({ method: 'GET', path: '/orders', as: { customer } });
    expect(body).toEqual({ items: [expect.objectContaining({ orderId, status: 'APPROVED', version: 2 })] });
  });

  for (const when of ['beforeWrite', 'afterWrite'] as const) {
    test(`the relay crashes ${when === 'beforeWrite' ? 'before' : 'after'} PutEvents: nothing is lost or doubled`, async () => {
      const sku = await stocked(10);
      await world.crash('orders/relay', when, { including: sku });
      const { orderId } = await dyingAt('orders/relay', 1, async () => {
        const order = await placed([line(sku, 2)]);
        await world.settled(order.orderId);
        return order;
      });
      const [event] = await world.events({ aggregate: 'Order', id: orderId });
      if (when === 'afterWrite') {
        await world.eventually('the event that was sent twice is suppressed once', async () =>
          expect(await world.deliveries('orders-saga', event!.id)).toEqual({ applied: 1, duplicate: 1, retried: 0 }),
        );
      }
      expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
      expect(await world.stock(sku)).toMatchObject({ reserved: 2 });
    });
  }

  test('crashes after writing the order: the repeat of the request gets that order', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    await world.crash('orders/place-order', 'afterWrite', { including: sku });
    const died = await post([line(sku)], { key });
    expect(died.status).toBeGreaterThanOrEqual(500);
    const repeat = await post([line(sku)], { key });
    expect(repeat).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    await world.settled(repeat.body.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test('crashes before writing the order: the repeat places it', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    await world.crash('orders/place-order', 'beforeWrite', { including: sku });
    expect((await post([line(sku)], { key })).status).toBeGreaterThanOrEqual(500);
    const repeat = await post([line(sku)], { key });
    expect(repeat.status).toBe(201);
    expect(repeat.headers).not.toHaveProperty('idempotency-replayed');
  });

  test('crashes after writing the cancellation: the repeat gets its answer', async () => {
    const sku = await stocked(10);
    const { orderId } = await placed([line(sku)]);
    await becomes(orderId, 'APPROVED');
    const key = world.fresh('key');
    await world.crash('orders/cancel-order', 'afterWrite', { including: orderId });
    expect((await cancel(orderId, { key })).status).toBeGreaterThanOrEqual(500);
    const repeat = await cancel(orderId, { key });
    expect(repeat).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 3 } });
    expect(repeat.headers['idempotency-replayed']).toBe('true');
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0 });
  });
});

/** Verifies that the function really crashed this many times: this many of its writes got no answer. */
async function dyingAt<T>(fn: FunctionName, times: number, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  const calls = await world.callsDuring(async () => results.push(await work()));
  const unanswered = calls.filter((call) => call.fn === fn && call.unanswered);
  expect(unanswered).toHaveLength(times);
  return results[0]!;
}
