import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { newOrderId, orderCancelled, queued, toInventory } from './messages.js';
import { get, line, placed, stocked } from './orders.js';
import { stockSteps } from './stock.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Deduplication window, less the day by which the age gate closes earlier. */
const GATE = 34 * DAY;
const CONSUMER = 'inventory-commands';

/** Returns a saga's step that was sent this many seconds ago. */
const sentBefore = (seconds: number, sku: string) =>
  toInventory(stockSteps().reserve(line(sku)), { time: world.time(seconds) });

describe('when a message is older than the dedupe window', () => {
  test('quarantines it: nothing is reserved, and an operator sees that its effect is unknown', async () => {
    const sku = await stocked(10);
    const step = sentBefore(GATE + HOUR, sku);
    await world.publish(step);
    const [record] = await world.eventually('there is a failure record', async () => {
      const found = await world.failures(CONSUMER, step.id);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(record).toMatchObject({
      messageId: step.id,
      status: 'FAILED',
      unknown: true,
      failures: [{ name: 'TooOld' }],
    });
    expect(record!.failures[0]!.message).toMatch(/^\d+ s old, recognised for 3024000 s$/);
    expect(record).not.toHaveProperty('expiresAt');
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    expect(await world.commits('Reservation', (step.data as { orderId: string }).orderId)).toEqual([]);
  });

  test('writes one failure record, however often the message comes', async () => {
    const event = orderCancelled(newOrderId(), {}, { time: world.time(400 * DAY) });
    await world.send('reservations', ...Array<string>(4).fill(queued(event)));
    await world.eventually('all four were seen', async () => {
      expect(await world.failures('reservations', event.id)).toHaveLength(1);
      expect(await world.deliveries('reservations', event.id)).toMatchObject({ applied: 0, duplicate: 3 });
    });
  });

  test('processes a slightly younger message, and its record outlives the age gate', async () => {
    const sku = await stocked(10);
    const step = sentBefore(GATE - HOUR, sku);
    await world.send(CONSUMER, queued(step));
    await world.eventually('it is reserved', async () => expect(await world.stock(sku)).toMatchObject({ reserved: 1 }));
    const record = await world.readRecord(CONSUMER, step.id);
    expect(record?.status).toBe('PROCESSED');
    // Until the gate closes for a duplicate of it, and for the whole window from this moment on.
    expect(record!.expiresAt! * 1000).toBeGreaterThan(Date.parse(world.time(-34.9 * DAY)));
  });

  test('keeps the record of a message from the future (a wrong clock) longer by that time', async () => {
    const sku = await stocked(10);
    const step = sentBefore(-10 * DAY, sku);
    await world.send(CONSUMER, queued(step));
    await world.eventually('it is reserved', async () => expect(await world.stock(sku)).toMatchObject({ reserved: 1 }));
    const record = await world.readRecord(CONSUMER, step.id);
    expect(record!.expiresAt! * 1000).toBeGreaterThan(Date.parse(world.time(-44.9 * DAY)));
  });

  test('treats an old copy of a processed message as a duplicate', async () => {
    const sku = await stocked(10);
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    const [event] = await world.events({ aggregate: 'Order', id: orderId });
    await world.send('orders-saga', queued({ ...event!, time: world.time(40 * DAY) }));
    await world.eventually('it is seen as a duplicate', async () =>
      expect(await world.deliveries('orders-saga', event!.id)).toMatchObject({ applied: 1, duplicate: 1 }),
    );
    expect(await world.failures('orders-saga', event!.id)).toEqual([]);
  });

  test('a projection has no age gate, since versions guard it', async () => {
    const customer = world.fresh('customer');
    const { orderId } = await placed([line(await stocked(1))], { as: { customer } });
    await world.settled(orderId);
    const [event] = await world.events({ aggregate: 'Order', id: orderId });
    await world.send('orders-list', queued({ ...event!, time: world.time(400 * DAY) }));
    await world.eventually('it is seen as known', async () => {
      const { applied, duplicate } = await world.deliveries('orders-list', event!.id);
      expect(applied + duplicate).toBe(2);
    });
    expect(await world.failures('orders-list', event!.id)).toEqual([]);
    expect((await get(orderId)).body.status).toBe('APPROVED');
  });
});
