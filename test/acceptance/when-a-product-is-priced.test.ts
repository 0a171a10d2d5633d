import { afterEach, describe, expect, test } from 'vitest';
import type { ProductView } from '../../lambdas/catalog/contract.js';
import { needsFaults, world } from '../support/world.js';
import { eur } from './accounts.js';
import { getProduct, priced, putProduct } from './catalog.js';
import type { ProblemBody } from './world.js';

const tea = (amount: number, name = 'Tea') => ({ name, unitPrice: eur(amount) });

/** Returns all listed products among these SKUs, page by page. */
async function listed(skus: readonly string[], limit = 100): Promise<readonly ProductView[]> {
  const found: ProductView[] = [];
  let cursor: string | undefined;
  do {
    const path = `/products?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`;
    const { status, body } = await world.call<{ items: ProductView[]; nextCursor?: string }>({
      method: 'GET',
      path,
      as: 'alice',
    });
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    found.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor);
  return found.filter(({ sku }) => skus.includes(sku));
}

describe('when a product is priced', () => {
  afterEach(() => world.heal());

  test('adds the product the first time, and all readers see it at once', async () => {
    const sku = world.fresh('sku');
    expect((await getProduct(sku)).status).toBe(404);
    const { status, body } = await putProduct(sku, tea(350));
    expect(status).toBe(200);
    expect(body).toEqual({ sku, name: 'Tea', unitPrice: eur(350), version: 1 });
    for (const as of ['alice', 'operator'] as const) expect((await getProduct(sku, as)).body).toEqual(body);
    expect(await world.events({ aggregate: 'Product', id: sku })).toMatchObject([
      { type: 'ProductAdded', sequence: 1, data: { sku, ...tea(350) }, actor: 'operator:operator' },
    ]);
  });

  test('publishes each change with the whole product and the old values', async () => {
    const sku = await priced(350);
    expect((await putProduct(sku, tea(400))).body).toEqual({ sku, ...tea(400), version: 2 });
    expect((await putProduct(sku, tea(400, 'Green tea'))).body.version).toBe(3);
    const usd = { amount: 400, currency: 'USD' };
    expect((await putProduct(sku, { name: 'Mint', unitPrice: usd })).body.version).toBe(5);
    const events = await world.events({ aggregate: 'Product', id: sku });
    expect(events.map(({ type, sequence, data }) => [sequence, type, data])).toEqual([
      [1, 'ProductAdded', { sku, ...tea(350) }],
      [2, 'ProductPriceChanged', { sku, ...tea(400), oldUnitPrice: eur(350) }],
      [3, 'ProductRenamed', { sku, ...tea(400, 'Green tea'), oldName: 'Tea' }],
      [4, 'ProductRenamed', { sku, ...tea(400, 'Mint'), oldName: 'Green tea' }],
      [5, 'ProductPriceChanged', { sku, name: 'Mint', unitPrice: usd, oldUnitPrice: eur(400) }],
    ]);
  });

  test('writes nothing if the price is unchanged', async () => {
    const sku = await priced(350);
    for (let count = 0; count < 3; count++) expect((await putProduct(sku, tea(350))).body.version).toBe(1);
    expect((await putProduct(sku, tea(350), { 'Idempotency-Key': world.fresh('key') })).body.version).toBe(1);
    expect(await world.commits('Product', sku)).toHaveLength(1);
  });

  test('the commit of a price expires, since it is an outbox entry and no history', async () => {
    const [commit] = await world.commits('Product', await priced(350));
    const seconds = (commit as unknown as { expiresAt: number }).expiresAt - Date.parse(world.time()) / 1000;
    expect(seconds).toBeGreaterThan(34.9 * 86_400);
    expect(seconds).toBeLessThan(35.1 * 86_400);
  });

  test('If-Match accepts only its version, and a repeat of a success', async () => {
    const sku = await priced(350);
    for (const _ of ['first', 'repeat']) {
      // Two events in one request: the previous version is the one that the client knew.
      expect(await putProduct(sku, tea(400, 'Mint'), { 'If-Match': '1' })).toMatchObject({
        status: 200,
        body: { version: 3 },
      });
    }
    for (const other of ['1', '2', '4']) {
      expect(await putProduct(sku, tea(500), { 'If-Match': other })).toMatchObject({
        status: 409,
        body: { type: 'urn:orderly:problem:conflict', expectedVersion: Number(other), foundVersion: 3 },
      });
    }
    expect((await putProduct(sku, tea(400, 'Mint'), { 'If-Match': '2' })).status).toBe(409);
    expect((await putProduct(sku, tea(500), { 'If-Match': '"3"' })).body.version).toBe(5);
    expect((await putProduct(sku, tea(500), { 'If-Match': 'three' })).status).toBe(400);
  });

  test('If-Match: 0 means a product that was never added', async () => {
    const sku = world.fresh('sku');
    expect((await putProduct(sku, tea(1), { 'If-Match': '1' })).status).toBe(409);
    expect((await putProduct(sku, tea(1), { 'If-Match': '0' })).status).toBe(200);
    expect((await putProduct(sku, tea(1), { 'If-Match': '0' })).status).toBe(200);
    expect((await putProduct(sku, tea(2), { 'If-Match': '0' })).status).toBe(409);
  });

  test('applies concurrent changes one after the other; at one version only one wins', async () => {
    const sku = await priced(1);
    const at = await Promise.all([10, 20, 30].map((amount) => putProduct(sku, tea(amount), { 'If-Match': '1' })));
    expect(at.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const free = await Promise.all([100, 200].map((amount) => putProduct(sku, tea(amount))));
    expect(free.map(({ body }) => body.version).toSorted()).toEqual([3, 4]);
    const { body } = await getProduct(sku);
    expect(body.version).toBe(4);
    const events = await world.events({ aggregate: 'Product', id: sku });
    expect(events.at(-1)).toMatchObject({ sequence: 4, data: { unitPrice: body.unitPrice } });
  });

  test.each([
    ['a fraction', { name: 'Tea', unitPrice: eur(1.5) }, '/unitPrice/amount'],
    ['less than nothing', { name: 'Tea', unitPrice: eur(-1) }, '/unitPrice/amount'],
    ['no currency', { name: 'Tea', unitPrice: { amount: 1 } }, '/unitPrice/currency'],
    ['no price', { name: 'Tea' }, '/unitPrice'],
    ['an empty name', { name: '', unitPrice: eur(1) }, '/name'],
    ['a control character', { name: 'Tea\u0000', unitPrice: eur(1) }, '/name'],
    ['a name without an end', { name: 'x'.repeat(201), unitPrice: eur(1) }, '/name'],
    ['an unknown field', { name: 'Tea', unitPrice: eur(1), colour: 'green' }, '/colour'],
  ])('a price with %s is 400', async (_, body, pointer) => {
    const sku = world.fresh('sku');
    const answer = await putProduct(sku, body);
    expect(answer.status).toBe(400);
    expect((answer.body as unknown as ProblemBody).errors).toMatchObject([{ pointer }]);
    expect((await getProduct(sku)).status).toBe(404);
  });

  test('answers 400 for a malformed SKU', async () => {
    for (const answer of [await putProduct('x'.repeat(65), tea(1)), await getProduct('x'.repeat(65))]) {
      const { errors } = answer.body as unknown as ProblemBody;
      expect({ status: answer.status, errors }).toMatchObject({ status: 400, errors: [{ parameter: 'sku' }] });
    }
  });

  test('the list follows, ordered by SKU, in pages', async () => {
    const prefix = world.fresh('list');
    const skus = ['e', 'b', 'd', 'a', 'c'].map((letter) => `${prefix}-${letter}`);
    for (const [at, sku] of skus.entries()) await priced(at, sku);
    await world.eventually('all are listed', async () => {
      expect((await listed(skus, 2)).map(({ sku }) => sku)).toEqual(skus.toSorted());
    });
    await putProduct(skus[0]!, tea(900));
    await world.eventually('the new price is listed', async () => {
      const [last] = (await listed(skus)).slice(-1);
      expect(last).toEqual({ sku: skus[0], ...tea(900), version: 2 });
    });
    for (const query of ['?cursor=none', '?limit=0', '?limit=101', '?sku=TEA-1']) {
      expect((await world.call({ method: 'GET', path: `/products${query}`, as: 'alice' })).status).toBe(400);
    }
  });

  test.runIf(world.makesFaults)(
    `a lost answer leaves one commit, and the retry gets the answer ${needsFaults}`,
    async () => {
      const sku = world.fresh('sku');
      await world.loseAnswer('catalog/set-product', 'TransactWriteItems', { including: sku });
      expect(await putProduct(sku, tea(350))).toMatchObject({ status: 200, body: { version: 1 } });
      expect(await world.commits('Product', sku)).toHaveLength(1);
    },
  );
});
