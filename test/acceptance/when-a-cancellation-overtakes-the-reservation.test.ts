import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { newOrderId, orderCancelled, queued, toInventory } from './messages.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { reservationOf, stockSteps } from './stock.js';
import type { ConsumerName, RecordingConsumer } from './world.js';

const processed = (consumer: RecordingConsumer, { id }: { readonly id: string }) =>
  world.eventually(`${consumer} has done ${id}`, async () =>
    expect(await world.readRecord(consumer, id)).toMatchObject({ status: 'PROCESSED' }),
  );

/** Messages about one order with this many pieces: its saga's step, and the messages that may overtake it. */
function messagesAbout(sku: string, pieces: number) {
  const { orderId, reserve, release } = stockSteps(newOrderId());
  return {
    orderId,
    reserve: toInventory(reserve(line(sku, pieces))),
    release: toInventory(release),
    cancelled: orderCancelled(orderId),
  };
}

const RACES: readonly {
  readonly name: string;
  readonly rival: 'cancelled' | 'release';
  readonly at: ConsumerName & RecordingConsumer;
}[] = [
  { name: 'a cancellation', rival: 'cancelled', at: 'reservations' },
  { name: "the release of the order's saga", rival: 'release', at: 'inventory-commands' },
];

describe('when a cancellation overtakes the reservation', () => {
  for (const { name, rival, at } of RACES) {
    test(`a reservation after ${name} reserves nothing`, async () => {
      const sku = await stocked(10);
      const { orderId, reserve, [rival]: first } = messagesAbout(sku, 3);
      await world.publish(first);
      await processed(at, first);
      await world.publish(reserve);
      await processed('inventory-commands', reserve);
      expect(await reservationOf(orderId)).toEqual(['ReservationVoided']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test(`a reservation concurrent with ${name} leaves nothing reserved, in any order`, async () => {
      const sku = await stocked(100);
      const pairs = Array.from({ length: 15 }, () => messagesAbout(sku, 2));
      // Each in its own message batch, so that different functions handle them.
      await Promise.all(
        pairs.flatMap(({ reserve, [rival]: other }, place) => {
          const sent = [() => world.send('inventory-commands', queued(reserve)), () => world.send(at, queued(other))];
          return (place % 2 ? sent.toReversed() : sent).map((send) => send());
        }),
      );
      for (const { reserve, [rival]: other } of pairs) {
        await processed('inventory-commands', reserve);
        await processed(at, other);
      }
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 100 });
      for (const { orderId } of pairs) {
        expect([['ReservationVoided'], ['StockReserved', 'StockReleased']]).toContainEqual(
          await reservationOf(orderId),
        );
      }
    });

    test(`${name} changes nothing if the stock was refused before`, async () => {
      const sku = await stocked(1);
      const { orderId, reserve, [rival]: last } = messagesAbout(sku, 3);
      await world.publish(reserve);
      await processed('inventory-commands', reserve);
      await world.publish(last);
      await processed(at, last);
      expect(await reservationOf(orderId)).toEqual(['StockRejected']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 1 });
    });
  }

  test('leaves nothing reserved in one batch, even if the release is first', async () => {
    const sku = await stocked(10);
    const { reserve, release } = messagesAbout(sku, 3);
    await world.send('inventory-commands', queued(release), queued(reserve));
    await processed('inventory-commands', release);
    await processed('inventory-commands', reserve);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test('an order that is cancelled right after it was placed ends cancelled and holds no stock', async () => {
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
});

describe.skipIf(!world.makesFaults)(
  `when the reservation is held back until the cancellation is done ${needsFaults}`,
  () => {
    afterEach(() => world.heal());

    test('finds the cancellation, and never reserves anything', async () => {
      const sku = await stocked(10);
      // Only the reservation's transaction names the SKU. That of a release that comes first does not.
      await world.throttle('inventory/on-command', 'TransactWriteItems', { including: sku, times: 1000 });
      const { orderId } = await placed([line(sku, 3)]);
      await world.faultsMet();
      expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 2 } });
      await world.eventually('its saga has released what was not reserved', async () =>
        expect(await reservationOf(orderId)).toEqual(['ReservationVoided']),
      );
      await world.heal();
      await world.settled(orderId);
      expect(await reservationOf(orderId)).toEqual(['ReservationVoided']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
      expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 2 });
    });

    test('reserves nothing even if its function crashed meanwhile', async () => {
      const sku = await stocked(10);
      await world.crash('inventory/on-command', 'beforeWrite', { including: sku });
      const { orderId } = await placed([line(sku, 3)]);
      await world.faultsMet();
      await cancel(orderId);
      await world.settled(orderId);
      expect((await reservationOf(orderId)).at(-1)).toMatch(/^(ReservationVoided|StockReleased)$/);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('crashes after writing the reservation: it is released, and its repeat reserves nothing', async () => {
      const sku = await stocked(10);
      await world.crash('inventory/on-command', 'afterWrite', { including: sku });
      const { orderId } = await placed([line(sku, 3)]);
      await world.eventually('it was written', async () => expect(await reservationOf(orderId)).toHaveLength(1));
      await cancel(orderId);
      await world.settled(orderId);
      const [step] = await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['ReserveStock'] });
      await world.eventually('the second delivery is seen as a duplicate', async () =>
        expect(await world.deliveries('inventory-commands', step!.id)).toMatchObject({ duplicate: 1 }),
      );
      expect(await reservationOf(orderId)).toEqual(['StockReserved', 'StockReleased']);
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('an approval that comes after the cancellation leaves the order cancelled', async () => {
      const sku = await stocked(10);
      // There are no other orders here, so the event's name is enough.
      await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: 'OrderApproved', times: 1000 });
      const { orderId } = await placed([line(sku, 3)]);
      await world.faultsMet();
      expect(await world.stock(sku)).toMatchObject({ reserved: 3 });
      expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 2 } });
      await world.heal();
      await world.settled(orderId);
      expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', version: 2 });
      expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    });

    test('a release that fails for a while succeeds in the end, once', async () => {
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
