import { describe, expect, test } from 'vitest';
import type { StockView } from '../../lambdas/inventory/contract.js';
import { world } from '../support/world.js';
import { approved, cancel, line, placed, stocked } from './orders.js';

const put = (sku: string, onHand: number, headers: Record<string, string> = {}) =>
  world.call<StockView>({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand }, headers });

describe('when stock is set', () => {
  test('starts with version 1, and adds one each time', async () => {
    const sku = world.fresh('sku');
    const first = await put(sku, 7);
    expect(first).toMatchObject({ status: 200, body: { sku, onHand: 7, reserved: 0, available: 7, version: 1 } });
    expect(Object.keys(first.body)).toHaveLength(5);
    expect((await put(sku, 0)).body).toEqual({ sku, onHand: 0, reserved: 0, available: 0, version: 2 });
    expect(await world.stock(sku)).toEqual({ sku, onHand: 0, reserved: 0, available: 0, version: 2 });
    expect(await world.events({ aggregate: 'StockItem', id: sku })).toMatchObject([
      { type: 'StockSet', sequence: 1, data: { sku, onHand: 7 }, actor: 'operator:operator' },
      { type: 'StockSet', sequence: 2, data: { sku, onHand: 0 } },
    ]);
  });

  test('writes nothing if the stock is unchanged', async () => {
    const sku = await stocked(7);
    for (let count = 0; count < 3; count++) expect((await put(sku, 7)).body.version).toBe(1);
    expect((await put(sku, 7, { 'Idempotency-Key': world.fresh('key') })).body.version).toBe(1);
    expect(await world.commits('StockItem', sku)).toHaveLength(1);
  });

  test('the commit of a stock expires, since it is an outbox entry and no history', async () => {
    const sku = await stocked(7);
    const [commit] = await world.commits('StockItem', sku);
    const seconds = (commit as unknown as { expiresAt: number }).expiresAt - Date.parse(world.time()) / 1000;
    expect(seconds).toBeGreaterThan(34.9 * 86_400);
    expect(seconds).toBeLessThan(35.1 * 86_400);
  });

  test('a reservation changes what is available, but neither what is on hand nor the version', async () => {
    const sku = await stocked(10);
    const { orderId } = await approved([line(sku, 4)]);
    expect(await world.stock(sku)).toEqual({ sku, onHand: 10, reserved: 4, available: 6, version: 1 });
    expect((await put(sku, 12)).body).toEqual({ sku, onHand: 12, reserved: 4, available: 8, version: 2 });
    await cancel(orderId);
    await world.settled(orderId);
    expect(await world.stock(sku)).toEqual({ sku, onHand: 12, reserved: 0, available: 12, version: 2 });
  });

  test('answers 409 below the reserved number; the reserved number itself is accepted', async () => {
    const sku = await stocked(10);
    await approved([line(sku, 4)]);
    const refused = await put(sku, 3);
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:stock-reserved' } });
    expect(await world.stock(sku)).toMatchObject({ onHand: 10, version: 1 });
    expect((await put(sku, 4)).body).toMatchObject({ onHand: 4, reserved: 4, available: 0, version: 2 });
  });

  test('If-Match accepts only its version, as a number or an entity tag', async () => {
    const sku = await stocked(1);
    expect(await put(sku, 2, { 'If-Match': '1' })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await put(sku, 3, { 'If-Match': '"2"' })).toMatchObject({ status: 200, body: { version: 3 } });
    expect(await put(sku, 9, { 'If-Match': '2' })).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:conflict' },
    });
    expect(await world.stock(sku)).toMatchObject({ onHand: 3, version: 3 });
  });

  test('If-Match accepts a repeat of a success', async () => {
    const sku = await stocked(1);
    const first = await put(sku, 2, { 'If-Match': '1' });
    expect(await put(sku, 2, { 'If-Match': '1' })).toMatchObject({ status: 200, body: first.body });
    expect((await put(sku, 2, { 'If-Match': '9' })).status).toBe(409);
    expect(await world.commits('StockItem', sku)).toHaveLength(2);
  });

  test('If-Match: 0 means a SKU that was never counted', async () => {
    const sku = world.fresh('sku');
    expect((await put(sku, 5, { 'If-Match': '1' })).status).toBe(409);
    expect(await put(sku, 5, { 'If-Match': '0' })).toMatchObject({ status: 200, body: { version: 1 } });
    expect((await put(sku, 6, { 'If-Match': '0' })).status).toBe(409);
  });

  test('lets one of two concurrent changes at one version win', async () => {
    const sku = await stocked(1);
    const answers = await Promise.all([10, 20, 30].map((onHand) => put(sku, onHand, { 'If-Match': '1' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await world.stock(sku)).toMatchObject({ version: 2 });
  });

  test('loses and adds no piece while orders reserve from it', async () => {
    const sku = await stocked(100);
    const [orders] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => placed([line(sku, 2)]))),
      put(sku, 50).then(() => put(sku, 60)),
    ]);
    for (const { orderId } of orders) await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ onHand: 60, reserved: 20, available: 40, version: 3 });
  });

  test('rejects orders after it was set to zero, and accepts them once it is refilled', async () => {
    const sku = await stocked(0);
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    expect((await approved([line(await filled(sku))])).status).toBe('APPROVED');
  });
});

async function filled(sku: string): Promise<string> {
  expect((await put(sku, 5)).status).toBe(200);
  return sku;
}
