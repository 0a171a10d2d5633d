import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../lambdas/patterns/outbox/envelope.js';
import { world } from '../support/world.js';
import { newOrderId, orderCancelled, orderPlaced, queued } from './messages.js';
import { approved, cancel, get, line, placed, stocked } from './orders.js';
import type { ConsumerName } from './world.js';

/** Waits until a consumer was through with so many deliveries of an event, the first among them. */
const delivered = (consumer: ConsumerName, { id, type }: Envelope, times: number) =>
  world.eventually(`${consumer} got ${type} ${times} times`, async () => {
    const { applied, duplicate } = await world.deliveries(consumer, id);
    expect(applied + duplicate).toBe(times);
    return { applied, duplicate };
  });

describe('when every event arrives five times and out of order', () => {
  test('each has one effect at each of its consumers', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    const { orderId } = await approved([line(tea, 3), line(cup, 2)]);
    await world.settled(orderId);
    const before = await get(orderId);

    const ofOrder = await world.redeliver({ aggregate: 'Order', id: orderId }, 4);
    const ofReservation = await world.redeliver({ aggregate: 'Reservation', id: orderId }, 4);
    const [orderWasPlaced, orderWasApproved] = ofOrder;
    expect(await delivered('reservations', orderWasPlaced!, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect(await delivered('orders-saga', ofReservation[0]!, 5)).toEqual({ applied: 1, duplicate: 4 });
    await delivered('orders-list', orderWasPlaced!, 5);
    await delivered('orders-list', orderWasApproved!, 5);

    expect(await get(orderId)).toMatchObject({ status: 200, body: before.body });
    expect(await world.stock(tea)).toMatchObject({ onHand: 10, reserved: 3, available: 7 });
    expect(await world.stock(cup)).toMatchObject({ onHand: 10, reserved: 2, available: 8 });
    expect(await world.events({ aggregate: 'Reservation', id: orderId })).toMatchObject([{ type: 'StockReserved' }]);
  });

  test("a cancelled order's stock is released once, and its old events reserve nothing again", async () => {
    const sku = await stocked(10);
    const { orderId } = await approved([line(sku, 4)]);
    await cancel(orderId);
    await world.settled(orderId);

    const [orderWasPlaced, , orderWasCancelled] = await world.redeliver({ aggregate: 'Order', id: orderId }, 4);
    await world.redeliver({ aggregate: 'Reservation', id: orderId }, 4);
    expect(await delivered('reservations', orderWasPlaced!, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect(await delivered('reservations', orderWasCancelled!, 5)).toEqual({ applied: 1, duplicate: 4 });

    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
  });

  test("a rejected order stays rejected, also when there is stock at the answer's repeat", async () => {
    const sku = await stocked(1);
    const { orderId } = await placed([line(sku, 2)]);
    await world.settled(orderId);
    await world.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand: 50 } });

    const [orderWasPlaced] = await world.redeliver({ aggregate: 'Order', id: orderId }, 4);
    expect(await delivered('reservations', orderWasPlaced!, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect((await get(orderId)).body).toMatchObject({ status: 'REJECTED', reason: 'OUT_OF_STOCK', version: 2 });
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 50 });
  });

  test('already the first time, one of five in flight at once has the effect', async () => {
    const sku = await stocked(10);
    const event = orderPlaced(newOrderId(), [line(sku, 2)]);
    const copies = Array.from({ length: 5 }, () => queued(event));
    await Promise.all(copies.map((copy) => world.send('reservations', copy)));
    expect(await delivered('reservations', event, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect(await world.stock(sku)).toMatchObject({ reserved: 2, available: 8 });
  });

  test('five times in one batch, beside their cancellation, nothing is reserved in the end', async () => {
    const sku = await stocked(10);
    const orderId = newOrderId();
    const [first, last] = [orderPlaced(orderId, [line(sku, 2)]), orderCancelled(orderId)];
    const copies = [last, first, first, last, first, last, first, last, first, last];
    await world.send('reservations', ...copies.map(queued));
    expect(await delivered('reservations', first, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect(await delivered('reservations', last, 5)).toEqual({ applied: 1, duplicate: 4 });
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });
});
