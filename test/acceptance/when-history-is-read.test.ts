import { describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { approved, cancel, get, line, placed, stocked } from './orders.js';
import type { Caller } from './world.js';

interface List<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}
interface Entry {
  readonly id: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly onBehalfOf?: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly data: Record<string, unknown>;
}

const read = <Item>(path: string, as: Caller = 'alice') => world.call<List<Item>>({ method: 'GET', path, as });

/** Returns all pages of a list, with at most `limit` items each. */
async function pages<Item>(path: string, limit: number, as: Caller = 'alice'): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { status, body } = await read<Item>(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`, as);
    expect(status).toBe(200);
    all.push(body.items);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function cancelled() {
  const order = await approved([line(await stocked(1))]);
  await cancel(order.orderId, { body: { reason: 'enough' } });
  await world.settled(order.orderId);
  return order;
}

describe('when the history of an order is read', () => {
  test('shows every event, oldest first, with its actor and its cause', async () => {
    const { orderId } = await cancelled();
    const { status, body } = await read<Entry>(`/orders/${orderId}/history`);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('nextCursor');
    const [first, second, third, ...more] = body.items;
    expect(more).toEqual([]);
    expect(first).toMatchObject({ version: 1, type: 'OrderPlaced', actor: 'customer:alice', data: { orderId } });
    expect(second).toMatchObject({ version: 2, type: 'OrderApproved', actor: 'service:orders', data: { orderId } });
    // The approval passed through every service; the customer who placed the order started it.
    expect(second).toMatchObject({ onBehalfOf: 'customer:alice' });
    expect(third).toMatchObject({
      version: 3,
      type: 'OrderCancelled',
      actor: 'customer:alice',
      data: { reason: 'enough' },
    });
    expect(Object.keys(first!).toSorted()).toEqual(
      ['actor', 'at', 'causationId', 'correlationId', 'data', 'id', 'type', 'version'].toSorted(),
    );
    // The saga's last answer caused the approval, the step before caused that answer, and so on back to the order.
    const [answer] = await world.events({ aggregate: 'Payment', id: orderId, types: ['SagaReplyRequested'] });
    expect(second!.causationId).toBe(answer!.id);
    const [started] = await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['SagaStarted'] });
    expect(started!.causationid).toBe(first!.id);
    expect(answer!.correlationid).toBe(first!.correlationId);
    expect(second!.correlationId).toBe(first!.correlationId);
    expect([first!.at, second!.at, third!.at]).toEqual([first!.at, second!.at, third!.at].toSorted());
  });

  test('shows the same page by page', async () => {
    const { orderId } = await cancelled();
    const { body } = await read<Entry>(`/orders/${orderId}/history`);
    for (const limit of [1, 2, 3, 100]) {
      const found = await pages<Entry>(`/orders/${orderId}/history`, limit);
      expect(found.flat()).toEqual(body.items);
      expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(found.at(-1)).not.toEqual([]);
    }
  });

  test('shows an operator the same', async () => {
    const { orderId } = await placed([line('sku')]);
    const path = `/orders/${orderId}/history`;
    expect((await read(path, 'operator')).body.items[0]).toEqual((await read(path)).body.items[0]);
  });
});

describe('when an order is read as it was', () => {
  test('shows each of its versions, and 404 before the first and after the last', async () => {
    const { orderId } = await cancelled();
    const at = async (version: number | string) =>
      world.call<OrderView>({ method: 'GET', path: `/orders/${orderId}?version=${version}`, as: 'alice' });
    expect((await at(1)).body).toMatchObject({ status: 'PENDING', version: 1 });
    expect((await at(2)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect((await at(3)).body).toMatchObject({ status: 'CANCELLED', reason: 'enough', version: 3 });
    for (const version of [0, 4, 999_999_999, 99_999_999_999]) {
      expect(await at(version)).toMatchObject({ status: 404, body: { type: 'urn:orderly:problem:not-found' } });
    }
  });

  test('shows it at each time, and 404 before it was placed', async () => {
    const { orderId, placedAt } = await cancelled();
    const at = (time: string) =>
      world.call<OrderView>({ method: 'GET', path: `/orders/${orderId}?at=${encodeURIComponent(time)}`, as: 'alice' });
    const { body } = await read<Entry>(`/orders/${orderId}/history`);
    for (const { at: time, version } of body.items) {
      const shown = (await at(time)).body.version;
      // Two events in one millisecond are one moment.
      expect(shown).toBe(body.items.findLast((entry) => entry.at === time)!.version);
      expect(shown).toBeGreaterThanOrEqual(version);
    }
    const shifted = (ms: number) => new Date(Date.parse(placedAt) + ms).toISOString();
    expect((await at(shifted(-1))).status).toBe(404);
    expect((await at('1970-01-01T00:00:00Z')).status).toBe(404);
    expect((await at('2999-01-01T00:00:00Z')).body).toMatchObject({ status: 'CANCELLED', version: 3 });
  });

  test('accepts a time in any zone and with any precision', async () => {
    const { orderId, placedAt } = await cancelled();
    const hoursLater = new Date(Date.parse(placedAt) + 2 * 3_600_000).toISOString();
    const inTheEast = placedAt.replace('Z', '+00:00');
    for (const [time, version] of [
      [inTheEast, 1],
      [hoursLater.replace('Z', '+02:00'), 1],
      [`${hoursLater.slice(0, 19)}Z`, 3],
    ] as const) {
      const path = `/orders/${orderId}?at=${encodeURIComponent(time)}`;
      const { status, body } = await world.call<OrderView>({ method: 'GET', path, as: 'alice' });
      expect(status).toBe(200);
      expect(body.version).toBeGreaterThanOrEqual(version);
    }
  });
});

describe('when orders are listed', () => {
  test('lists them newest first, page by page, each once, and as GET shows them', async () => {
    const customer = { customer: world.fresh('customer') };
    const orders: OrderView[] = [];
    for (let count = 0; count < 5; count++) orders.push(await placed([line('sku')], { as: customer }));
    for (const { orderId } of orders) await world.settled(orderId);
    const newestFirst = orders.map(({ orderId }) => orderId).toReversed();

    const whole = await read<OrderView>('/orders', customer);
    expect(whole.body.items.map(({ orderId }) => orderId)).toEqual(newestFirst);
    expect(whole.body).not.toHaveProperty('nextCursor');
    for (const order of whole.body.items) expect(order).toEqual((await get(order.orderId)).body);
    for (const limit of [1, 2, 5, 100]) {
      const found = await pages<OrderView>('/orders', limit, customer);
      expect(found.flat()).toEqual(whole.body.items);
      expect(found).toHaveLength(Math.ceil(5 / limit));
    }
    const byOperator = await pages<OrderView>(`/orders?customerId=${customer.customer}`, 2, 'operator');
    expect(byOperator.flat()).toEqual(whole.body.items);
  });

  test('an order that is placed meanwhile does not shift the next page', async () => {
    const customer = { customer: world.fresh('customer') };
    for (let count = 0; count < 3; count++)
      await world.settled((await placed([line('sku')], { as: customer })).orderId);
    const { items } = (await read<OrderView>('/orders', customer)).body;
    const first = await read<OrderView>('/orders?limit=2', customer);
    await world.settled((await placed([line('sku')], { as: customer })).orderId);
    const second = await read<OrderView>(`/orders?limit=2&cursor=${first.body.nextCursor}`, customer);
    expect([...first.body.items, ...second.body.items]).toEqual(items);
  });

  test('the list of a customer without orders is empty', async () => {
    const { status, body } = await read('/orders', { customer: world.fresh('customer') });
    expect({ status, body }).toEqual({ status: 200, body: { items: [] } });
    const path = `/orders?customerId=${world.fresh('customer')}`;
    expect((await read(path, 'operator')).body).toEqual({ items: [] });
  });

  test('lets customers name themselves, and the cursor continues', async () => {
    const customer = world.fresh('customer');
    for (let count = 0; count < 2; count++) {
      await world.settled((await placed([line('sku')], { as: { customer } })).orderId);
    }
    const first = await read(`/orders?limit=1&customerId=${customer}`, { customer });
    expect(first.status).toBe(200);
    const second = await read(`/orders?limit=1&cursor=${first.body.nextCursor}`, { customer });
    expect(second).toMatchObject({ status: 200, body: { items: [expect.anything()] } });
  });
});
