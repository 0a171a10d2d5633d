import { describe, expect, test } from 'vitest';
import type { ProductView } from '../../lambdas/catalog/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { customerWith, eur } from './accounts.js';
import { at, checked, confirm, getProduct, priced, putProduct } from './catalog.js';
import { approved, get, line, placed, stocked } from './orders.js';
import { NOTHING, standingOf } from './sagas.js';
import type { ProblemBody } from './world.js';

const tea = { name: 'Tea', unitPrice: eur(350) };

/** Sets the product as it is after {@link stocked}, but not sold any more. */
const discontinue = async (sku: string): Promise<ProductView> => {
  const { status, body } = await putProduct(sku, { ...tea, discontinued: true });
  expect(status).toBe(200);
  return body;
};
const resume = (sku: string) => putProduct(sku, tea);

describe('when a product is discontinued', () => {
  test('all readers see it, and its event has the whole product', async () => {
    const sku = await priced(350);
    const discontinued = { sku, ...tea, discontinued: true };
    expect(await discontinue(sku)).toEqual({ ...discontinued, version: 2 });
    expect((await getProduct(sku)).body).toEqual({ ...discontinued, version: 2 });
    await world.eventually('the list shows it', async () => {
      const items: ProductView[] = [];
      let cursor: string | undefined;
      do {
        const path = `/products?limit=100${cursor ? `&cursor=${cursor}` : ''}`;
        const { body } = await world.call<{ items: ProductView[]; nextCursor?: string }>({
          method: 'GET',
          path,
          as: 'alice',
        });
        items.push(...body.items);
        cursor = body.nextCursor;
      } while (cursor);
      expect(items.find((product) => product.sku === sku)).toEqual({ ...discontinued, version: 2 });
    });
    expect((await resume(sku)).body).toEqual({ sku, ...tea, version: 3 });
    expect((await putProduct(sku, { ...tea, unitPrice: eur(400), discontinued: true })).body.version).toBe(5);
    const events = await world.events({ aggregate: 'Product', id: sku });
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['ProductAdded', { sku, ...tea }],
      ['ProductDiscontinued', discontinued],
      ['ProductResumed', { sku, ...tea }],
      ['ProductPriceChanged', { sku, ...tea, unitPrice: eur(400), oldUnitPrice: eur(350) }],
      ['ProductDiscontinued', { ...discontinued, unitPrice: eur(400) }],
    ]);
  });

  test('a repeat of the request changes nothing, nor does an event that arrives late', async () => {
    const sku = await stocked(5);
    for (const _ of ['first', 'repeat']) expect((await discontinue(sku)).version).toBe(2);
    const once = { ...tea, discontinued: true };
    expect((await putProduct(sku, once, { 'If-Match': '1' })).body.version).toBe(2);
    expect(await world.commits('Product', sku)).toHaveLength(2);
    // Its price was set before it was discontinued.
    await world.redeliver({ aggregate: 'Product', id: sku }, 2);
    expect((await getProduct(sku)).body).toMatchObject({ discontinued: true, version: 2 });
    expect(await checked(confirm([at(sku, 350)]))).toMatchObject([{ type: 'PricesRefused', data: { skus: [sku] } }]);
    expect(await world.commits('Product', sku)).toHaveLength(2);
  });

  test('orders of it are refused, and the order and its list say which line', async () => {
    const [sold, gone] = [await stocked(5), await stocked(5)];
    await discontinue(gone);
    const customer = await customerWith(100_000);
    const one = await placed([line(sold), line(gone)], { as: { customer } });
    expect(await standingOf(one)).toEqual({
      order: 'REJECTED PRODUCT_DISCONTINUED',
      saga: 'SagaCompensated',
      ...NOTHING,
    });
    const { body } = await get(one.orderId);
    expect(body).toMatchObject({ reason: 'PRODUCT_DISCONTINUED', rejectedLines: [{ sku: gone }] });
    expect(body.rejectedLines).toEqual([{ sku: gone }]);
    await world.eventually('its list shows the reason', async () => {
      const list = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as: { customer } });
      expect(list.body.items[0]).toEqual(body);
    });
    const path = `/orders/${one.orderId}/history`;
    const history = await world.call<{ items: { data: object }[] }>({ method: 'GET', path, as: { customer } });
    const told = { orderId: one.orderId, reason: 'PRODUCT_DISCONTINUED', skus: [gone] };
    expect(history.body.items.at(-1)?.data).toEqual(told);
  });

  test('an unknown product is refused before it, and a changed price after it', async () => {
    const [gone, changed, unknown] = [await priced(350), await priced(400), world.fresh('sku')];
    await discontinue(gone);
    const refusals = [
      await checked(confirm([at(changed, 1), at(gone, 350)])),
      await checked(confirm([at(changed, 1), at(gone, 350), at(unknown, 1)])),
    ];
    // As this release sends it: 0.2.0 reads no other reason.
    expect(refusals).toMatchObject([
      [{ type: 'PricesRefused', data: { reason: 'UNKNOWN_PRODUCT', skus: [gone], discontinued: true } }],
      [{ type: 'PricesRefused', data: { reason: 'UNKNOWN_PRODUCT', skus: [unknown] } }],
    ]);
    expect(refusals[1]?.[0]?.data).not.toHaveProperty('discontinued');
  });

  test('an order that was confirmed before is not refused, whenever its step is repeated', async () => {
    const sku = await stocked(5);
    const { orderId } = await approved([line(sku)]);
    await world.settled(orderId);
    await discontinue(sku);
    const repeated = await checked(confirm([at(sku, 350)], orderId));
    expect(repeated).toMatchObject([{ type: 'SagaReplyRequested', data: { outcome: 'DONE' } }]);
    await world.redeliver({ aggregate: 'CreateOrderSaga', id: orderId }, 2);
    await world.settled(orderId);
    expect((await get(orderId)).body.status).toBe('APPROVED');
  });

  test('an order that was refused stays refused when the product is sold again, and a new order is approved', async () => {
    const sku = await stocked(5);
    await discontinue(sku);
    const refused = confirm([at(sku, 350)]);
    await checked(refused);
    expect((await resume(sku)).body).not.toHaveProperty('discontinued');
    expect(await checked(refused)).toMatchObject([
      {
        type: 'SagaReplyRequested',
        data: { outcome: 'REFUSED', reason: 'UNKNOWN_PRODUCT', skus: [sku], discontinued: true },
      },
    ]);
    expect((await approved([line(sku)])).status).toBe('APPROVED');
  });

  test('`false` is the same as an absent member, and anything else is 400', async () => {
    const sku = await priced(350);
    expect((await putProduct(sku, { ...tea, discontinued: false })).body).toEqual({ sku, ...tea, version: 1 });
    for (const discontinued of ['true', 1, null]) {
      const { status, body } = await putProduct(sku, { ...tea, discontinued });
      expect(status).toBe(400);
      expect((body as unknown as ProblemBody).errors).toMatchObject([{ pointer: '/discontinued' }]);
    }
  });
});
