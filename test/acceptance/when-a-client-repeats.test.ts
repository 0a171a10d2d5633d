import { describe, expect, test } from 'vitest';
import { isProblemOf, NoAnswer, type OrderView } from '../../packages/client/index.js';
import { world } from '../support/world.js';
import { becomes, line, placed, stocked } from './orders.js';
import { judged } from './users.js';
import type { Send } from './world.js';

/** Loses the answers of the first requests: each is carried out, and nobody receives of it. */
const losing =
  (answers: number, sent: Headers[] = []) =>
  (send: Send): Send =>
  async (url, init) => {
    sent.push(new Headers(init.headers));
    const answer = await send(url, init);
    if (sent.length <= answers) throw new TypeError('the connection is closed');
    return answer;
  };

const ordersOf = async (customer: string): Promise<readonly OrderView[]> => {
  const orders: OrderView[] = [];
  for await (const order of world.client({ customer }).items('listOrders', { query: { limit: 10 } }))
    orders.push(order);
  return orders;
};

/** Waits until the list, which is a second behind, has as many orders. */
const listed = (customer: string, count: number): Promise<readonly OrderView[]> =>
  world.eventually(`${customer} has ${count} orders`, async () => {
    const orders = await ordersOf(customer);
    expect(orders).toHaveLength(count);
    return orders;
  });

describe('when a client repeats', () => {
  test('it has placed one order after its answers were lost on their way', async () => {
    const customer = world.fresh('customer');
    const sent: Headers[] = [];
    const client = world.client({ customer }, losing(2, sent));
    const { body: order, replayed } = await client.send('placeOrder', { body: { lines: [line(await stocked(1))] } });
    expect(replayed).toBe(true);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((headers) => headers.get('Idempotency-Key'))).size).toBe(1);
    await becomes(order.orderId, 'APPROVED');
    expect(await listed(customer, 1)).toMatchObject([{ orderId: order.orderId }]);
  });

  test('it gives up, and a later call with the same key gets the answer', async () => {
    const customer = world.fresh('customer');
    const key = world.fresh('key');
    const request = { body: { lines: [line(await stocked(1))] }, key };
    const error = await world
      .client({ customer }, losing(5))
      .placeOrder(request)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoAnswer);
    expect(error).toMatchObject({ operation: 'placeOrder', key });
    const { body, replayed } = await world.client({ customer }).send('placeOrder', request);
    expect(replayed).toBe(true);
    expect(await listed(customer, 1)).toMatchObject([{ orderId: body.orderId }]);
  });

  test('a request with the number of a session is carried out once', async () => {
    const customer = world.fresh('customer');
    const order = await placed([line(await stocked(1))], { as: { customer } });
    const { sessionId: id } = await world.client({ customer }).openOrdersSession();
    const client = world.client({ customer }, losing(1));
    const { orderId } = order;
    const answer = await client.send('cancelOrder', { orderId, session: { id, number: 1 } });
    expect(answer).toMatchObject({ replayed: true, body: { status: 'CANCELLED' } });
    const events = await world.events({ aggregate: 'Order', id: orderId, types: ['OrderCancelled'] });
    expect(events).toHaveLength(1);
  });
});

describe('when a client reads', () => {
  test('it gets each order of a list of 25 once, the newest first', async () => {
    const customer = world.fresh('customer');
    const lines = [line(await stocked(25))];
    const ids: string[] = [];
    for (let order = 0; order < 25; order++) ids.unshift((await placed(lines, { as: { customer } })).orderId);
    expect((await listed(customer, 25)).map(({ orderId }) => orderId)).toEqual(ids);
  });

  test('it gets the code of a problem', async () => {
    const customer = world.fresh('customer');
    await judged(customer, 'BLOCKED');
    const error: unknown = await world
      .client({ customer })
      .placeOrder({ body: { lines: [line('TEA-1')] } })
      .catch((thrown: unknown) => thrown);
    if (!isProblemOf('placeOrder', error)) throw error;
    expect(error.code).toBe('user-blocked');
    expect(error).toMatchObject({ status: 403, correlationId: expect.stringMatching(/./), retryAfter: undefined });
  });

  test('it overwrites no stock at another version', async () => {
    const [operator, sku] = [world.client('operator'), await stocked(3)];
    const { version } = await operator.getStock({ sku });
    await operator.setStock({ sku, body: { onHand: 5 }, ifMatch: version });
    await expect(operator.setStock({ sku, body: { onHand: 4 }, ifMatch: version })).rejects.toMatchObject({
      code: 'conflict',
      problem: { expectedVersion: version, foundVersion: version + 1 },
    });
    expect(await operator.getStock({ sku })).toMatchObject({ onHand: 5 });
  });
});
