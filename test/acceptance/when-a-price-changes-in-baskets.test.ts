import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { eur } from './accounts.js';
import { basketOf, holds, inBasketsOf, newCustomer, putItem, removeItem, seen } from './baskets.js';
import { priced } from './catalog.js';

/** Waits until every event of a product is processed by baskets, and every page of its rollouts. */
const arrived = (sku: string) =>
  world.eventually(`baskets have heard of ${sku}`, async () => {
    for (const { id } of await world.events({ aggregate: 'Product', id: sku })) {
      expect(await world.readRecord('baskets-products', id)).toMatchObject({ status: 'PROCESSED' });
    }
  });

describe('when a price changes in baskets', () => {
  test('three baskets show the new price beside the old one, each until its customer has seen it', async () => {
    const sku = await priced(350);
    const customers = [newCustomer(), newCustomer(), newCustomer()];
    await inBasketsOf(sku, ...customers);
    await priced(400, sku);
    await arrived(sku);
    // They are stored so: nobody has asked yet.
    for (const { customer } of customers) {
      const events = await world.events({ aggregate: 'Basket', id: customer });
      expect(events.map(({ type }) => type)).toEqual(['BasketItemSet', 'BasketPriceChanged']);
      expect(events.at(-1)?.data).toMatchObject({ sku, unitPrice: eur(400), oldUnitPrice: eur(350) });
    }
    const changed = [{ sku, quantity: 1, unitPrice: eur(400), oldUnitPrice: eur(350) }];
    for (const as of customers) expect((await basketOf(as)).body).toEqual({ lines: changed, version: 2 });

    const [first, ...others] = customers as [(typeof customers)[0], ...typeof customers];
    const now = { lines: [{ sku, quantity: 1, unitPrice: eur(400) }], version: 3 };
    for (const _ of ['first', 'repeat']) expect(await seen(first)).toMatchObject({ status: 200, body: now });
    expect((await basketOf(first)).body).toEqual(now);
    for (const as of others) expect((await basketOf(as)).body.lines).toEqual(changed);

    await priced(500, sku);
    await holds(first, [{ sku, quantity: 1, unitPrice: eur(500), oldUnitPrice: eur(400) }]);
    for (const as of others) await holds(as, [{ sku, quantity: 1, unitPrice: eur(500), oldUnitPrice: eur(350) }]);
  });

  test('a price that is the seen one again has no old price', async () => {
    const sku = await priced(350);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    await priced(400, sku);
    await holds(as, [{ sku, quantity: 1, unitPrice: eur(400), oldUnitPrice: eur(350) }]);
    await priced(350, sku);
    await holds(as, [{ sku, quantity: 1, unitPrice: eur(350) }]);
  });

  test('events that come again, late and in reverse, take no newer price away', async () => {
    const sku = await priced(100);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    for (const amount of [200, 300]) await priced(amount, sku);
    await holds(as, [{ sku, quantity: 1, unitPrice: eur(300), oldUnitPrice: eur(100) }]);
    await arrived(sku);
    const { version } = (await basketOf(as)).body;
    const events = await world.redeliver({ aggregate: 'Product', id: sku }, 3);
    await world.eventually('the duplicates are handled', async () => {
      for (const { id } of events) {
        expect((await world.deliveries('baskets-products', id)).duplicate).toBeGreaterThanOrEqual(3);
      }
    });
    expect((await basketOf(as)).body).toEqual({
      lines: [{ sku, quantity: 1, unitPrice: eur(300), oldUnitPrice: eur(100) }],
      version,
    });
  });

  test('seen prices are those of the version that was shown', async () => {
    const sku = await priced(350);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    const { body } = await basketOf(as);
    await priced(400, sku);
    await holds(as, [{ sku, quantity: 1, unitPrice: eur(400), oldUnitPrice: eur(350) }]);
    const versions = { expectedVersion: body.version, foundVersion: body.version + 1 };
    expect(await seen(as, { 'If-Match': String(body.version) })).toMatchObject({ status: 409, body: versions });
    expect((await seen(as, { 'If-Match': String(body.version + 1) })).body.lines).toEqual([
      { sku, quantity: 1, unitPrice: eur(400) },
    ]);
  });

  test('a removed line is not reported, and one that is added again has no old price', async () => {
    const [sku, other] = [await priced(350), await priced(100)];
    const as = newCustomer();
    await inBasketsOf(sku, as);
    await inBasketsOf(other, as);
    await priced(400, sku);
    await holds(as, [
      { sku, quantity: 1, unitPrice: eur(400), oldUnitPrice: eur(350) },
      { sku: other, quantity: 1, unitPrice: eur(100) },
    ]);
    expect((await removeItem(sku, as)).body.lines).toEqual([{ sku: other, quantity: 1, unitPrice: eur(100) }]);
    await priced(500, sku);
    await arrived(sku);
    expect((await putItem(sku, 2, as)).body.lines).toEqual([
      { sku: other, quantity: 1, unitPrice: eur(100) },
      { sku, quantity: 2, unitPrice: eur(500) },
    ]);
  });
});
