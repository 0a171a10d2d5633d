import { describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { customerWith, eur, getAccount } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { reservationOf } from './stock.js';
import type { Caller } from './world.js';

const dispatch = (orderId: string, { as = 'operator' as Caller, key = world.fresh('key') } = {}) =>
  world.call<OrderView>({ method: 'POST', path: `/orders/${orderId}/dispatch`, as, key });

/** An order that is approved and has had all of its effects. */
async function ready(sku: string, quantity: number): Promise<OrderView> {
  const order = await approved([line(sku, quantity)]);
  await world.settled(order.orderId);
  return order;
}

const countOf = (sku: string, onHand: number) =>
  world.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand } });

describe('when an order is dispatched', () => {
  test('answers with the order, and what was reserved leaves the stock', async () => {
    const sku = await stocked(10);
    const order = await ready(sku, 4);
    expect(await world.stock(sku)).toMatchObject({ onHand: 10, reserved: 4, available: 6 });
    const { status, body, headers } = await dispatch(order.orderId);
    expect({ status, body }).toEqual({ status: 200, body: { ...order, status: 'DISPATCHED', version: 3 } });
    expect(headers).not.toHaveProperty('idempotency-replayed');
    await world.settled(order.orderId);
    expect(await world.stock(sku)).toMatchObject({ onHand: 6, reserved: 0, available: 6 });
    expect((await get(order.orderId)).body).toEqual(body);
    expect(await reservationOf(order.orderId)).toEqual(['StockReserved', 'StockDispatched']);
    // What is physically there can be counted.
    expect(await countOf(sku, 6)).toMatchObject({ status: 200 });
    expect(await countOf(sku, 0)).toMatchObject({ status: 200, body: { onHand: 0, available: 0 } });
  });

  test('its customer sees the status in the list, and the history does not name who dispatched it', async () => {
    const customer = await customerWith(1_000);
    const { orderId } = await approved([line(await stocked(1))], { as: { customer } });
    await dispatch(orderId);
    await world.eventually('the list shows it', async () => {
      const { body } = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as: { customer } });
      expect(body.items[0]).toMatchObject({ orderId, status: 'DISPATCHED', version: 3 });
    });
    const { body } = await world.call<{ items: { type: string; actor: string }[] }>({
      method: 'GET',
      path: `/orders/${orderId}/history`,
      as: { customer },
    });
    expect(body.items.at(-1)).toMatchObject({ type: 'OrderDispatched', actor: 'operator' });
  });

  test('a repeat gets the first answer; another key finds it dispatched and changes nothing', async () => {
    const sku = await stocked(5);
    const { orderId } = await ready(sku, 2);
    const key = world.fresh('key');
    const first = await dispatch(orderId, { key });
    const second = await dispatch(orderId, { key });
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers['idempotency-replayed']).toBe('true');
    const other = await dispatch(orderId);
    expect(other).toMatchObject({ status: 200, text: first.text });
    expect(other.headers).not.toHaveProperty('idempotency-replayed');
    await world.redeliver({ aggregate: 'Order', id: orderId, types: ['OrderDispatched'] }, 3);
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ onHand: 3, reserved: 0, available: 3 });
    expect(await world.events({ aggregate: 'Order', id: orderId, types: ['OrderDispatched'] })).toHaveLength(1);
  });

  test('needs a key, and is for operators only', async () => {
    const { orderId } = await ready(await stocked(1), 1);
    const path = `/orders/${orderId}/dispatch`;
    const missing = await world.call({ method: 'POST', path, as: 'operator' });
    expect(missing).toMatchObject({ status: 400, body: { type: 'urn:orderly:problem:key-missing' } });
    for (const as of ['alice', 'bob'] as const) {
      expect(await dispatch(orderId, { as })).toMatchObject({ status: 403 });
    }
    expect(await dispatch('0'.repeat(32))).toMatchObject({ status: 404 });
    expect((await get(orderId)).body.status).toBe('APPROVED');
  });

  test('answers 409 not-approved for an order that was rejected or cancelled, or is in progress', async () => {
    const notApproved = { status: 409, body: { type: 'urn:orderly:problem:not-approved' } };
    const rejected = await placed([line(world.fresh('sku'))]);
    // Its saga has just begun, or has rejected it by now: neither can be dispatched.
    expect(await dispatch(rejected.orderId)).toMatchObject(notApproved);
    await becomes(rejected.orderId, 'REJECTED');
    expect(await dispatch(rejected.orderId)).toMatchObject(notApproved);
    const sku = await stocked(3);
    const cancelled = await ready(sku, 1);
    await cancel(cancelled.orderId);
    // While its payment is being given back, and afterwards.
    expect(await dispatch(cancelled.orderId)).toMatchObject(notApproved);
    await world.settled(cancelled.orderId);
    expect(await dispatch(cancelled.orderId)).toMatchObject(notApproved);
    expect(await world.stock(sku)).toMatchObject({ onHand: 3, reserved: 0, available: 3 });
  });

  test('answers 409 too-late for a cancellation from then on, and nothing is given back', async () => {
    const sku = await stocked(3);
    const { orderId } = await ready(sku, 1);
    await dispatch(orderId);
    expect(await cancel(orderId)).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:too-late' } });
    await world.settled(orderId);
    expect(await world.moved(orderId)).toMatchObject({ charges: 1, refunds: 0 });
    expect(await world.stock(sku)).toMatchObject({ onHand: 2, reserved: 0 });
  });

  test('goods that come back are refunded by an operator, once, and raise no credit', async () => {
    const customer = await customerWith(1_000);
    const { orderId } = await approved([line(await stocked(5), 2)], { as: { customer } });
    await world.settled(orderId);
    const refund = (as: Caller, key = world.fresh('key'), amount = 350) =>
      world.call({ method: 'POST', path: `/payments/${orderId}/refund`, as, key, body: { amount: eur(amount) } });
    const notRefundable = { status: 409, body: { type: 'urn:orderly:problem:not-refundable' } };
    // Before the dispatch an order is cancelled instead, and a customer can't take the money and keep the goods.
    expect(await refund('operator')).toMatchObject(notRefundable);
    await dispatch(orderId);
    await world.settled(orderId);
    expect(await refund({ customer })).toMatchObject(notRefundable);
    const key = world.fresh('key');
    expect(await refund('operator', key)).toMatchObject({ status: 201 });
    expect((await refund('operator', key)).headers['idempotency-replayed']).toBe('true');
    expect(await refund('operator', world.fresh('key'), 351)).toMatchObject(notRefundable);
    await world.settled(orderId);
    expect(await world.moved(orderId)).toEqual({ charges: 1, charged: 700, refunds: 1, refunded: 350 });
    await world.eventually('the account knows of the return', async () => {
      const { body } = await getAccount(customer);
      // The payment gave the money back; the credit is as it was.
      expect(body).toMatchObject({ available: eur(1_000), refunded: eur(350), settled: eur(350) });
    });
    expect((await get(orderId)).body.status).toBe('DISPATCHED');
  });

  test('exactly one of a dispatch and a cancellation at the same time succeeds', async () => {
    for (const isFirst of [true, false]) {
      const sku = await stocked(4);
      const { orderId } = await ready(sku, 1);
      const cancelling = isFirst ? undefined : cancel(orderId);
      const answers = await Promise.all([dispatch(orderId), cancelling ?? cancel(orderId)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      await world.settled(orderId);
      const [dispatched] = answers;
      const isDispatched = dispatched.status === 200;
      expect((await get(orderId)).body.status).toBe(isDispatched ? 'DISPATCHED' : 'CANCELLED');
      expect(await world.stock(sku)).toMatchObject({ onHand: isDispatched ? 3 : 4, reserved: 0 });
      expect((await world.moved(orderId)).refunds).toBe(isDispatched ? 0 : 1);
    }
  });

  test('five customers who paid and got their goods have their credit back', async () => {
    const sku = await stocked(10);
    const customers = await Promise.all(Array.from({ length: 5 }, () => customerWith(400)));
    for (const customer of customers) {
      const { orderId } = await approved([line(sku)], { as: { customer } });
      await dispatch(orderId);
      await world.settled(orderId);
      const { body } = await getAccount(customer);
      expect(body).toMatchObject({ available: { amount: 400 }, captured: { amount: 350 }, settled: { amount: 350 } });
    }
    expect(await world.stock(sku)).toMatchObject({ onHand: 5, reserved: 0, available: 5 });
  });
});
