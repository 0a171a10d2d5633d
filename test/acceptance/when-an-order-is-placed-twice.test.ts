import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { approved, cancel, get, line, placed, post, stocked } from './orders.js';

describe('when an order is placed twice', () => {
  test('makes one order with one key, and both answers are the same', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    const first = await post([line(sku, 2)], { key });
    const second = await post([line(sku, 2)], { key });

    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(first.headers.location).toBe(`orders/${first.body.orderId}`);
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.location).toBe(first.headers.location);
    expect(second.headers['idempotency-replayed']).toBe('true');

    await world.settled(first.body.orderId);
    expect(await world.stock(sku)).toMatchObject({ onHand: 10, reserved: 2, available: 8 });
    expect(await world.events({ aggregate: 'Order', id: first.body.orderId })).toMatchObject([
      { type: 'OrderPlaced' },
      { type: 'OrderApproved' },
    ]);
  });

  test('lets one of ten concurrent requests win, and the others get its answer', async () => {
    const sku = await stocked(100);
    const key = world.fresh('key');
    const answers = await Promise.all(Array.from({ length: 10 }, () => post([line(sku, 1)], { key })));

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
    const orderId = answers[0]!.body.orderId;
    await world.settled(orderId);
    expect(await world.events({ aggregate: 'Order', id: orderId, types: ['OrderPlaced'] })).toHaveLength(1);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test('repeats the first answer even if the order has changed meanwhile', async () => {
    const sku = await stocked(5);
    const key = world.fresh('key');
    const first = await post([line(sku)], { key });
    await world.settled(first.body.orderId);
    await cancel(first.body.orderId);

    const second = await post([line(sku)], { key });
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect((await get(first.body.orderId)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
  });

  test('treats the same body in another notation as the same request', async () => {
    const sku = world.fresh('sku');
    const key = world.fresh('key');
    const first = await post([line(sku)], { key });
    const body = `{ "lines" : [ {"unitPrice":{"currency":"EUR","amount":3.5e2}, "quantity":1, "sku":"${sku}"} ] }`;
    const second = await world.call({ method: 'POST', path: '/orders', as: 'alice', key, body });
    expect(second).toMatchObject({ status: 201, body: first.body });
  });

  test('makes two orders with two keys', async () => {
    const sku = await stocked(10);
    const one = await placed([line(sku, 2)]);
    const other = await placed([line(sku, 2)]);
    expect(one.orderId).not.toBe(other.orderId);
    await world.settled(one.orderId);
    await world.settled(other.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 4 });
  });

  test("makes two orders with one key of two customers: a key never shows another customer's answer", async () => {
    const key = world.fresh('key');
    const lines = [line(world.fresh('sku'))];
    const ofAlice = await placed(lines, { key, as: 'alice' });
    const ofBob = await placed(lines, { key, as: 'bob' });
    expect(ofAlice.orderId).not.toBe(ofBob.orderId);
    expect(ofBob.customerId).toBe('bob');
  });

  test('refuses the key of another body, and places nothing', async () => {
    const key = world.fresh('key');
    const first = await post([line(world.fresh('sku'))], { key });
    const other = world.fresh('sku');
    const refused = await post([line(other)], { key });
    expect(refused).toMatchObject({ status: 422, body: { type: 'urn:orderly:problem:key-reused' } });
    const { body } = await get(first.body.orderId);
    expect(body.lines).toEqual(first.body.lines);
  });

  test('makes one order of equal bodies with an automatic key, and another order with another reference', async () => {
    const lines = [line(world.fresh('sku'))];
    const clientReference = world.fresh('reference');
    const first = await placed(lines, { key: 'auto', clientReference });
    expect(await placed(lines, { key: 'auto', clientReference })).toEqual(first);
    const other = await placed(lines, { key: 'auto', clientReference: world.fresh('reference') });
    expect(other.orderId).not.toBe(first.orderId);
  });

  test('makes one order with an issued key', async () => {
    const issued = await world.call<{ idempotencyKey: string; expiresAt: string }>({
      method: 'POST',
      path: '/idempotency-keys',
      as: 'alice',
    });
    expect(issued.status).toBe(201);
    expect(issued.body.idempotencyKey).toMatch(/^ord_[0-9a-f-]{36}$/);
    expect(issued.body.expiresAt > world.time()).toBe(true);
    const lines = [line(world.fresh('sku'))];
    const first = await placed(lines, { key: issued.body.idempotencyKey });
    expect(await placed(lines, { key: issued.body.idempotencyKey })).toEqual(first);
  });

  test('shows the same order in every answer', async () => {
    const sku = await stocked(3);
    const order = await approved([line(sku, 3)], { clientReference: 'my-first' });
    expect(order).toEqual({
      orderId: expect.stringMatching(/^[0-9a-f]{32}$/),
      customerId: 'alice',
      status: 'APPROVED',
      clientReference: 'my-first',
      lines: [line(sku, 3)],
      total: { amount: 1050, currency: 'EUR' },
      version: 2,
      placedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });
});
