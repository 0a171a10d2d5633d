import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { newOrderId, orderCancelled, orderPlaced, queued } from './messages.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';

const reservationOf = async (id: string) =>
  (await world.events({ aggregate: 'Reservation', id })).map(({ type }) => type);

const processed = (eventId: string) =>
  world.eventually(`reservations has done ${eventId}`, async () =>
    expect(await world.recordOf('reservations', eventId)).toMatchObject({ status: 'PROCESSED' }),
  );

describe('when a cancellation overtakes the reservation', () => {
  test('the order that comes after its cancellation reserves nothing', async () => {
    const sku = await stocked(10);
    const orderId = newOrderId();
    const [first, last] = [orderCancelled(orderId), orderPlaced(orderId, [line(sku, 3)])];
    await world.publish(first);
    await processed(first.id);
    await world.publish(last);
    await processed(last.id);
    expect(await reservationOf(orderId)).toEqual(['ReservationVoided']);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test('both at once, in whichever order they are handled, nothing stays reserved', async () => {
    const sku = await stocked(100);
    const pairs = Array.from({ length: 15 }, () => {
      const orderId = newOrderId();
      return { orderId, events: [orderPlaced(orderId, [line(sku, 2)]), orderCancelled(orderId)] };
    });
    // Each in a message batch of its own, so that they meet in different functions.
    await Promise.all(
      pairs.flatMap(({ events }, at) =>
        (at % 2 ? events.toReversed() : events).map((event) => world.send('reservations', queued(event))),
      ),
    );
    for (const { events } of pairs) for (const { id } of events) await processed(id);

    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 100 });
    for (const { orderId } of pairs) {
      expect([['ReservationVoided'], ['StockReserved', 'StockReleased']]).toContainEqual(await reservationOf(orderId));
    }
  });

  test('in one batch, also when the cancellation stands first, nothing stays reserved', async () => {
    const sku = await stocked(10);
    const orderId = newOrderId();
    const [first, last] = [orderCancelled(orderId), orderPlaced(orderId, [line(sku, 3)])];
    await world.send('reservations', queued(first), queued(last));
    await processed(first.id);
    await processed(last.id);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test('cancelled at once after it was placed, the order ends cancelled and holds no stock', async () => {
    const sku = await stocked(100);
    const orders = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { orderId } = await placed([line(sku, 5)]);
        expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
        return orderId;
      }),
    );
    for (const orderId of orders) await world.settled(orderId);
    for (const orderId of orders) expect((await get(orderId)).body.status).toBe('CANCELLED');
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 100 });
  });

  test('a cancellation that was refused stock before changes nothing there', async () => {
    const sku = await stocked(1);
    const orderId = newOrderId();
    const [first, last] = [orderPlaced(orderId, [line(sku, 3)]), orderCancelled(orderId)];
    await world.publish(first);
    await processed(first.id);
    await world.publish(last);
    await processed(last.id);
    expect(await reservationOf(orderId)).toEqual(['StockRejected']);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 1 });
  });
});

describe.skipIf(!world.makesFaults)(
  `when the reservation is held back until the cancellation is through ${needsFaults}`,
  () => {
    afterEach(() => world.heal());

    test('it finds the cancellation there, and nothing is ever reserved', async () => {
      const sku = await stocked(10);
      // Only the reservation's transaction names the SKU; that of a cancellation that comes first does not.
      await world.throttle('inventory/on-order-event', 'TransactWriteItems', { including: sku, times: 1000 });
      const { orderId } = await placed([line(sku, 3)]);
      await world.faultsMet();
      expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 2 } });
      await world.eventually('the cancellation is through', async () =>
        expect(await reservationOf(orderId)).toEqual(['ReservationVoided']),
      );
      await world.heal();
      await world.settled(orderId);
      expect(await reservationOf(orderId)).toEqual(['ReservationVoided']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
      expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 2 });
    });

    test('so it is when its function died on the way', async () => {
      const sku = await stocked(10);
      await world.crash('inventory/on-order-event', 'beforeWrite', { including: sku });
      const { orderId } = await placed([line(sku, 3)]);
      await world.faultsMet();
      await cancel(orderId);
      await world.settled(orderId);
      expect((await reservationOf(orderId)).at(-1)).toMatch(/^(ReservationVoided|StockReleased)$/);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('a reservation whose function died behind its write is released, and its repeat reserves nothing', async () => {
      const sku = await stocked(10);
      await world.crash('inventory/on-order-event', 'afterWrite', { including: sku });
      const { orderId } = await placed([line(sku, 3)]);
      await world.eventually('it was written', async () => expect(await reservationOf(orderId)).toHaveLength(1));
      await cancel(orderId);
      await world.settled(orderId);
      const [event] = await world.events({ aggregate: 'Order', id: orderId });
      await world.eventually('the second delivery is seen as a duplicate', async () =>
        expect(await world.deliveries('reservations', event!.id)).toMatchObject({ duplicate: 1 }),
      );
      expect(await reservationOf(orderId)).toEqual(['StockReserved', 'StockReleased']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('an approval that comes after the cancellation leaves the order cancelled', async () => {
      const sku = await stocked(10);
      await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: 'orders-saga', times: 1000 });
      const { orderId } = await placed([line(sku, 3)]);
      await world.eventually('the stock is reserved', async () =>
        expect(await world.stock(sku)).toMatchObject({ reserved: 3 }),
      );
      await world.faultsMet();
      expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 2 } });
      await world.heal();
      await world.settled(orderId);
      expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 2 });
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('a release that fails for a while is made in the end, once', async () => {
      const sku = await stocked(10);
      const { orderId } = await approved([line(sku, 3)]);
      await world.throttle('inventory/on-order-event', 'TransactWriteItems', { including: sku, times: 5 });
      await cancel(orderId);
      await becomes(orderId, 'CANCELLED');
      await world.settled(orderId);
      expect(await reservationOf(orderId)).toEqual(['StockReserved', 'StockReleased']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });
  },
);
