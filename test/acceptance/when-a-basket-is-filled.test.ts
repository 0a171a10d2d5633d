import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { eur } from './accounts.js';
import { basketOf, checkOut, inBasketsOf, newCustomer, putItem, removeItem } from './baskets.js';
import { priced, putProduct } from './catalog.js';
import type { ProblemBody } from './world.js';

const problem = (code: string, status: number, more: object = {}) => ({
  status,
  body: { type: `urn:orderly:problem:${code}`, status, ...more },
});

describe('when a basket is filled', () => {
  test('lines are added, changed and removed, and a repeat changes nothing', async () => {
    const [tea, cup] = [await priced(350), await priced(900)];
    const as = newCustomer();
    expect(await basketOf(as)).toMatchObject({ status: 200, body: { lines: [], version: 0 } });
    await inBasketsOf(tea, as);
    await inBasketsOf(cup, as);
    const [one, two] = [
      { sku: tea, quantity: 1, unitPrice: eur(350) },
      { sku: cup, quantity: 1, unitPrice: eur(900) },
    ];
    expect((await basketOf(as)).body).toEqual({ lines: [one, two], version: 2 });
    for (const _ of ['first', 'repeat']) {
      expect((await putItem(tea, 10_000, as)).body).toEqual({ lines: [{ ...one, quantity: 10_000 }, two], version: 3 });
    }
    for (const _ of ['first', 'repeat']) expect((await removeItem(tea, as)).body).toEqual({ lines: [two], version: 4 });
    expect(await world.commits('Basket', as.customer)).toHaveLength(4);
    expect((await basketOf(newCustomer())).body).toEqual({ lines: [], version: 0 });
  });

  test('a product that was never added is unknown', async () => {
    const unknown = problem('unknown-product', 404, { reason: 'UNKNOWN_PRODUCT' });
    expect(await putItem(world.fresh('sku'), 1, newCustomer())).toMatchObject(unknown);
  });

  test('a discontinued product is refused, also at the checkout, until it is sold again', async () => {
    const sku = await priced(350);
    const [one, other] = [newCustomer(), newCustomer()];
    await inBasketsOf(sku, one);
    await putProduct(sku, { name: 'Tea', unitPrice: eur(350), discontinued: true });
    const refused = problem('product-discontinued', 409, { reason: 'PRODUCT_DISCONTINUED' });
    await world.eventually('baskets refuse it', async () =>
      expect(await putItem(sku, 1, other)).toMatchObject(refused),
    );
    expect(await putItem(sku, 2, one)).toMatchObject(refused);
    const atCheckout = await world.call<ProblemBody>({ method: 'POST', path: '/basket/checkout', as: one, key: 'k' });
    expect(atCheckout).toMatchObject({ ...refused, body: { ...refused.body, errors: [{ pointer: '/lines/0' }] } });
    await priced(350, sku);
    await inBasketsOf(sku, other);
    expect((await checkOut(one, 'k')).status).toBe(202);
  });

  test('a quantity is a whole number from 1 to 10,000, and of free products at most 10', async () => {
    const [sku, free] = [await priced(350), await priced(0)];
    const as = newCustomer();
    await inBasketsOf(sku, as);
    await inBasketsOf(free, as);
    const refused = { ...problem('invalid-request', 400), body: { errors: [{ pointer: '/quantity' }] } };
    for (const quantity of [0, -1, 1.5, 10_001, '1', null]) {
      expect(await putItem(sku, quantity, as)).toMatchObject(refused);
    }
    expect(await putItem(free, 11, as)).toMatchObject(refused);
    expect((await putItem(free, 10, as)).status).toBe(200);
    expect(await putItem('no%20sku', 1, as)).toMatchObject({ status: 400 });
  });
});
