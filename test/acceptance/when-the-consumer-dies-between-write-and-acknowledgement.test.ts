import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { becomes, cancel, get, line, placed, post, stocked } from './orders.js';
import { reservationOf } from './stock.js';
import type { FunctionName } from './world.js';

afterEach(() => world.heal());

describe.skipIf(!world.makesFaults)(`when the consumer dies between write and acknowledgement ${needsFaults}`, () => {
  test('the reservation that it wrote is not made again', async () => {
    const sku = await stocked(10);
    await world.crash('inventory/on-command', 'afterWrite', { including: sku });
    const { orderId } = await placed([line(sku, 3)]);
    await becomes(orderId, 'APPROVED');

    const [step] = await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['ReserveStock'] });
    // It died before it could say that it had applied it: only the second delivery speaks.
    await world.eventually('the second delivery is seen as a duplicate', async () =>
      expect(await world.deliveries('inventory-commands', step!.id)).toMatchObject({ applied: 0, duplicate: 1 }),
    );
    expect(await world.stock(sku)).toMatchObject({ reserved: 3, available: 7 });
    expect(await world.commits('Reservation', orderId)).toHaveLength(1);
  });

  test('dying in front of the write, again and again, leaves nothing half done, and the next delivery does it', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    await world.crash('inventory/on-command', 'beforeWrite', { including: tea, times: 2 });
    const { orderId } = await dyingAt('inventory/on-command', 2, async () => {
      const order = await placed([line(tea, 3), line(cup, 1)]);
      return becomes(order.orderId, 'APPROVED');
    });
    expect(await world.stock(tea)).toMatchObject({ reserved: 3 });
    expect(await world.stock(cup)).toMatchObject({ reserved: 1 });
    // Its saga may have asked again meanwhile: that is answered, and reserves nothing.
    expect(await reservationOf(orderId)).toEqual(['StockReserved']);
  });

  test('a step of the saga that was written is not taken again', async () => {
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

  test('an approval that was written is not written again, and pays once', async () => {
    const sku = await stocked(10);
    // The last step's transaction alone has this.
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

  test('a row of the list that was written is not put back by the repeat', async () => {
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
    test(`the relay dying ${when === 'beforeWrite' ? 'in front of' : 'behind'} its call of the bus loses and doubles nothing`, async () => {
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

  test('a function that dies behind the order it wrote: the repeat of the request gets that order', async () => {
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

  test('a function that dies in front of the write has placed nothing, and the repeat places it', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    await world.crash('orders/place-order', 'beforeWrite', { including: sku });
    expect((await post([line(sku)], { key })).status).toBeGreaterThanOrEqual(500);
    const repeat = await post([line(sku)], { key });
    expect(repeat.status).toBe(201);
    expect(repeat.headers).not.toHaveProperty('idempotency-replayed');
  });

  test('a function that dies behind the cancellation it wrote: the repeat gets its answer', async () => {
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

/** Sees to it that the function really died so often: that many of its writes got no answer. */
async function dyingAt<T>(fn: FunctionName, times: number, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  const calls = await world.callsDuring(async () => results.push(await work()));
  const unanswered = calls.filter((call) => call.fn === fn && call.unanswered);
  expect(unanswered).toHaveLength(times);
  return results[0]!;
}
