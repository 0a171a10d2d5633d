import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { priced } from './catalog.js';
import { get, line, placed, stocked } from './orders.js';

/** Returns a new customer for each order, since orders of one customer collide at their account. */
const bySomebodyNew = () => ({ as: { customer: world.fresh('customer') } });

describe('when stock runs out under concurrency', () => {
  const orders = 10;
  const pieces = orders / 2;
  const outcome = `${pieces} get one, ${pieces} are rejected, and nothing is left`;

  test(`${orders} concurrent orders for ${pieces} pieces: ${outcome}`, async () => {
    const sku = await stocked(pieces);
    const all = await Promise.all(Array.from({ length: orders }, () => placed([line(sku)], bySomebodyNew())));
    const statuses: string[] = [];
    for (const { orderId } of all) {
      const ended = await world.eventually(`order ${orderId} is decided`, async () => {
        const { body } = await get(orderId);
        expect(body.status).not.toBe('PENDING');
        return body;
      });
      statuses.push(ended.status);
    }
    expect(statuses.filter((status) => status === 'APPROVED')).toHaveLength(pieces);
    expect(statuses.filter((status) => status === 'REJECTED')).toHaveLength(pieces);
    expect(await world.stock(sku)).toEqual({ sku, onHand: pieces, reserved: pieces, available: 0, version: 1 });
  });

  test('an order with one line short reserves none of its two lines', async () => {
    const [plenty, short] = [await stocked(10), await stocked(1)];
    const { orderId } = await placed([line(plenty, 2), line(short, 2)]);
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'REJECTED', reason: 'OUT_OF_STOCK', version: 2 });
    expect(await world.stock(plenty)).toMatchObject({ reserved: 0, available: 10 });
    expect(await world.stock(short)).toMatchObject({ reserved: 0, available: 1 });
    const [rejected] = await world.events({ aggregate: 'Reservation', id: orderId });
    expect(rejected).toMatchObject({ type: 'StockRejected', data: { skus: [short] } });
  });

  test('orders with the same SKUs in opposite order get all of their lines or none', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        placed(at % 2 ? [line(tea, 2), line(cup, 2)] : [line(cup, 2), line(tea, 2)], bySomebodyNew()),
      ),
    );
    for (const { orderId } of orders) await world.settled(orderId);
    const statuses = await Promise.all(orders.map(async ({ orderId }) => (await get(orderId)).body.status));
    expect(statuses.filter((status) => status === 'APPROVED')).toHaveLength(5);
    expect(await world.stock(tea)).toMatchObject({ reserved: 10, available: 0 });
    expect(await world.stock(cup)).toMatchObject({ reserved: 10, available: 0 });
  });

  test('a SKU that was never counted is short', async () => {
    const { orderId } = await placed([line(await priced(350))]);
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'REJECTED', reason: 'OUT_OF_STOCK' });
  });

  test('the last piece goes to one of two orders', async () => {
    const sku = await stocked(1);
    const orders = await Promise.all([placed([line(sku)]), placed([line(sku)])]);
    for (const { orderId } of orders) await world.settled(orderId);
    const statuses = await Promise.all(orders.map(async ({ orderId }) => (await get(orderId)).body.status));
    expect(statuses.toSorted()).toEqual(['APPROVED', 'REJECTED']);
  });

  test('an order of 50 lines is reserved as a whole', async () => {
    const skus = await Promise.all(Array.from({ length: 50 }, () => stocked(3)));
    const { orderId } = await placed(skus.map((sku) => line(sku, 3)));
    await world.settled(orderId);
    expect((await get(orderId)).body.status).toBe('APPROVED');
    expect(await world.stock(skus[49]!)).toMatchObject({ reserved: 3, available: 0 });
  });
});
