import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';

describe('when an order is cancelled', () => {
  test('cancels an approved order, frees its stock, and answers with the order', async () => {
    const sku = await stocked(10);
    const order = await approved([line(sku, 4)]);
    const { status, headers, body } = await cancel(order.orderId, { body: { reason: 'changed my mind' } });
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...order, status: 'CANCELLED', reason: 'changed my mind', version: 3 },
    });
    expect(headers).not.toHaveProperty('idempotency-replayed');
    await world.settled(order.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
    expect((await get(order.orderId)).body).toEqual(body);
  });

  test('needs neither a reason nor a body', async () => {
    for (const body of [{}, '']) {
      const { orderId } = await placed([line(world.fresh('sku'))]);
      await becomes(orderId, 'REJECTED');
      expect((await cancel(orderId, { body: body as object })).status).toBe(409);
      const other = await approved([line(await stocked(1))]);
      const answer = await cancel(other.orderId, { body: body as object });
      expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
      expect(answer.body).not.toHaveProperty('reason');
    }
  });

  test('cancels a pending order before its stock is answered', async () => {
    const sku = await stocked(10);
    const { orderId } = await placed([line(sku)]);
    expect(await cancel(orderId)).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    await world.settled(orderId);
    expect((await get(orderId)).body.status).toBe('CANCELLED');
    expect(await world.stock(sku)).toMatchObject({ reserved: 0 });
  });

  test('repeats the first answer for the same key, and changes nothing more', async () => {
    const { orderId } = await approved([line(await stocked(1))]);
    const key = world.fresh('key');
    const body = { reason: 'too dear' };
    const first = await cancel(orderId, { key, body });
    const second = await cancel(orderId, { key, body });
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await world.events({ aggregate: 'Order', id: orderId, types: ['OrderCancelled'] })).toHaveLength(1);
  });

  test('answers 200 without a change for a new key; a repeat of that request is a replay', async () => {
    const { orderId } = await approved([line(await stocked(1))]);
    const first = await cancel(orderId, { body: { reason: 'one' } });
    const key = world.fresh('key');
    const second = await cancel(orderId, { key, body: { reason: 'other' } });
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers).not.toHaveProperty('idempotency-replayed');
    const third = await cancel(orderId, { key, body: { reason: 'other' } });
    expect(third).toMatchObject({ status: 200, text: first.text });
    expect(third.headers['idempotency-replayed']).toBe('true');
    expect((await get(orderId)).body.version).toBe(3);
  });

  test('answers 422 for the key of another cancellation', async () => {
    const { orderId } = await approved([line(await stocked(1))]);
    const key = world.fresh('key');
    await cancel(orderId, { key, body: { reason: 'one' } });
    expect(await cancel(orderId, { key, body: { reason: 'other' } })).toMatchObject({
      status: 422,
      body: { type: 'urn:orderly:problem:key-reused' },
    });
  });

  test("accepts the key of another order's cancellation, since keys belong to a path", async () => {
    const key = world.fresh('key');
    for (const { orderId } of [await placed([line(await stocked(1))]), await placed([line(await stocked(1))])]) {
      const { status, headers } = await cancel(orderId, { key });
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty('idempotency-replayed');
    }
  });

  test('answers 409 too-late for a rejected order, and a refusal uses up no key', async () => {
    const { orderId } = await placed([line(world.fresh('sku'))]);
    await becomes(orderId, 'REJECTED');
    const key = world.fresh('key');
    for (let time = 0; time < 2; time++) {
      const answer = await cancel(orderId, { key });
      expect(answer).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:too-late' } });
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    expect((await get(orderId)).body).toMatchObject({ status: 'REJECTED', version: 2 });
  });

  test('cancels once for two concurrent requests with one key, and both get that answer', async () => {
    const { orderId } = await approved([line(await stocked(1))]);
    const key = world.fresh('key');
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(orderId, { key })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
    expect((await get(orderId)).body.version).toBe(3);
  });

  test('cancels once for two concurrent requests with two keys, and answers both so', async () => {
    const sku = await stocked(1);
    const { orderId } = await approved([line(sku)]);
    const answers = await Promise.all([cancel(orderId), cancel(orderId), cancel(orderId)]);
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 3 } });
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 1 });
  });
});
