import { afterEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { needsFaults, world } from '../support/world.js';
import { eur } from './accounts.js';
import { basketOf, checkOut, holds, inBasketsOf, newCustomer, putItem } from './baskets.js';
import { priced } from './catalog.js';
import { becomes, get, stocked } from './orders.js';
import type { ApiAnswer, Caller } from './world.js';

/** Checks out a basket, and returns the answer once it was accepted. */
async function checkedOut(as: Caller, key = world.fresh('key')): Promise<ApiAnswer<{ orderId: string }>> {
  const answer = await checkOut(as, key);
  expect(answer.status).toBe(202);
  return answer;
}

describe('when a basket is checked out', () => {
  afterEach(() => world.heal());

  test('becomes one order, however often the checkout is repeated, and the basket is empty', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10, 900)];
    const as = newCustomer();
    for (const sku of [tea, cup]) await inBasketsOf(sku, as);
    const key = world.fresh('key');
    const answers: ApiAnswer<{ orderId: string }>[] = [];
    for (let repeat = 0; repeat < 5; repeat++) answers.push(await checkedOut(as, key));
    const [first] = answers as [ApiAnswer<{ orderId: string }>];
    const { orderId } = first.body;
    for (const { body, headers } of answers) {
      expect(body).toEqual({ orderId });
      expect((await world.call({ method: 'GET', path: `/${headers.location}`, as })).status).toBe(200);
    }
    expect(answers.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      ...Array(4).fill('true'),
    ]);
    await world.eventually('the order exists', async () => expect((await get(orderId, as)).status).toBe(200));
    expect(await becomes(orderId, 'APPROVED')).toMatchObject({
      customerId: as.customer,
      lines: [
        { sku: tea, quantity: 1, unitPrice: eur(350) },
        { sku: cup, quantity: 1, unitPrice: eur(900) },
      ],
      total: eur(1250),
    });
    await holds(as, []);
    // Also after the basket was emptied.
    expect((await checkedOut(as, key)).body).toEqual({ orderId });
    await world.redeliver({ aggregate: 'Checkout', id: orderId }, 3);
    await world.settled(orderId);
    expect(await world.commits('Checkout', orderId)).toHaveLength(1);
    const orders = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
    expect(orders.body.items.map((order) => order.orderId)).toEqual([orderId]);
    expect(await checkOut(as)).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:basket-empty' } });
  });

  test('five times at once, with one key and with others, gives one order', async () => {
    const sku = await stocked(10);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    const keys = ['same', 'same', 'same', 'other-1', 'other-2'].map((key) => `${key}-${as.customer}`);
    const answers = await Promise.all(keys.map((key) => checkOut(as, key)));
    const accepted = new Set(answers.flatMap(({ status, body }) => (status === 202 ? [body.orderId] : [])));
    expect(accepted.size).toBe(1);
    for (const { status } of answers) expect([202, 409]).toContain(status);
    const [orderId = ''] = accepted;
    await becomes(orderId, 'APPROVED');
    await holds(as, []);
    expect(await world.commits('Order', orderId)).toHaveLength(2);
    expect((await world.stock(sku))?.reserved).toBe(1);
  });

  test('changes that are made before the order exists stay in the basket', async () => {
    const [tea, cup, pot] = [await stocked(10), await stocked(10), await stocked(10)];
    const as = newCustomer();
    for (const sku of [tea, cup]) await inBasketsOf(sku, as);
    if (world.makesFaults) await world.throttle('orders/on-command', 'Query', { including: as.customer, times: 3 });
    const { body } = await checkedOut(as);
    await putItem(cup, 3, as);
    await inBasketsOf(pot, as);
    if (world.makesFaults) await world.faultsMet();
    expect((await becomes(body.orderId, 'APPROVED')).lines.map(({ quantity }) => quantity)).toEqual([1, 1]);
    await world.settled(body.orderId);
    const left = [
      { sku: cup, quantity: 3, unitPrice: eur(350) },
      { sku: pot, quantity: 1, unitPrice: eur(350) },
    ];
    expect((await basketOf(as)).body.lines).toEqual(left);
    const second = await checkedOut(as);
    expect((await becomes(second.body.orderId, 'APPROVED')).lines).toEqual(left);
    await holds(as, []);
  });

  test('a basket without lines is refused, and its key may be used later', async () => {
    const sku = await stocked(10);
    const as = newCustomer();
    const key = world.fresh('key');
    expect(await checkOut(as, key)).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:basket-empty' } });
    await inBasketsOf(sku, as);
    expect((await checkedOut(as, key)).headers).not.toHaveProperty('idempotency-replayed');
  });

  test('a basket with a total that no card can be charged is refused, until it is larger', async () => {
    const sku = await stocked(100, 10);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    expect(await checkOut(as)).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:not-orderable', errors: [{ pointer: '/lines/0' }] },
    });
  });

  test('a basket with products in two currencies is refused, and the answer says which lines', async () => {
    const [euros, dollars] = [await priced(350), world.fresh('sku')];
    const unitPrice = { amount: 400, currency: 'USD' };
    const path = `/products/${dollars}`;
    await world.call({ method: 'PUT', path, as: 'operator', body: { name: 'Tea', unitPrice } });
    const as = newCustomer();
    for (const sku of [euros, dollars]) await inBasketsOf(sku, as);
    expect(await checkOut(as)).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:not-orderable', errors: [{ pointer: '/lines/1' }] },
    });
  });

  test('a basket of another version than the checkout names is refused', async () => {
    const sku = await priced(350);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    const key = world.fresh('key');
    const stale = { status: 409, body: { type: 'urn:orderly:problem:conflict', expectedVersion: 7, foundVersion: 1 } };
    expect(await checkOut(as, key, { 'If-Match': '7' })).toMatchObject(stale);
    expect((await checkOut(as, key, { 'If-Match': '1' })).status).toBe(202);
    // The checkout has changed the version, and its repeat is answered all the same.
    expect((await checkOut(as, key, { 'If-Match': '1' })).headers['idempotency-replayed']).toBe('true');
  });

  test('an order that its saga rejects is found under the id that the checkout answered', async () => {
    const sku = await stocked(0);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    const { body } = await checkedOut(as);
    expect(await becomes(body.orderId, 'REJECTED')).toMatchObject({ reason: 'OUT_OF_STOCK' });
    await holds(as, []);
  });

  test.skipIf(!world.makesFaults)(`a checkout whose answer is lost has happened once ${needsFaults}`, async () => {
    const sku = await stocked(10);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    const key = world.fresh('key');
    await world.crash('baskets/check-out', 'afterWrite', { including: as.customer });
    expect((await checkOut(as, key)).status).toBeGreaterThanOrEqual(500);
    const { body, headers } = await checkedOut(as, key);
    expect(headers['idempotency-replayed']).toBe('true');
    await becomes(body.orderId, 'APPROVED');
    await holds(as, []);
  });

  test.skipIf(!world.makesFaults)(`crashes on its way give one order all the same ${needsFaults}`, async () => {
    const sku = await stocked(10);
    const as = newCustomer();
    await inBasketsOf(sku, as);
    for (const fn of ['orders/on-command', 'baskets/on-order-event'] as const) {
      for (const when of ['beforeWrite', 'afterWrite'] as const)
        await world.crash(fn, when, { including: as.customer });
    }
    const { body } = await checkedOut(as);
    await becomes(body.orderId, 'APPROVED');
    await holds(as, []);
    expect(await world.commits('Order', body.orderId)).toHaveLength(2);
    await world.faultsMet();
  });
});
