import { afterEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import type { UserStatus } from '../../lambdas/users/contract.js';
import { needsFaults, world } from '../support/world.js';
import { eur } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { ADDRESS, judged, patch, problem, putStatus } from './users.js';
import type { Caller } from './world.js';

afterEach(() => world.heal());

const review = (orderId: string, decision: 'approve' | 'reject', note?: string) =>
  world.call<OrderView>({
    method: 'PUT',
    path: `/orders/${orderId}/review`,
    as: 'operator',
    body: { decision, ...(note === undefined ? {} : { note }) },
  });

/** Sets a status, and waits until its event has gone through the user's orders. */
async function reviewedAs(userId: string, status: UserStatus): Promise<void> {
  const { version } = (await putStatus(userId, status)).body;
  const [event] = await world.eventually('the change is published', async () => {
    const events = await world.events({ aggregate: 'User', id: userId });
    const own = events.filter(({ sequence }) => sequence === version);
    expect(own).toHaveLength(1);
    return own;
  });
  await world.eventually(`the orders of ${userId} are handled`, async () => {
    for (const consumer of ['orders-users', 'orders-reviews'] as const) {
      expect(await world.recordOf(consumer, event!.id)).toMatchObject({ status: 'PROCESSED' });
    }
  });
}

const charges = async (orderId: string) => (await world.moved(orderId)).charges;

describe('when a user is suspect', () => {
  test('an order is held before its payment, with reasons, and charged once after an operator has approved it', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    await reviewedAs(userId, 'SUSPECT');
    const { orderId } = await placed([line(await stocked(1))], { as });
    expect(await becomes(orderId, 'UNDER_REVIEW')).toMatchObject({ reviewReasons: ['SUSPECT_USER'] });
    expect(await charges(orderId)).toBe(0);
    const note = world.fresh('note');
    const first = await review(orderId, 'approve', note);
    expect(first).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    expect(first.body).not.toHaveProperty('reviewReasons');
    // A repeat finds it done; another decision is too late.
    expect((await review(orderId, 'approve')).status).toBe(200);
    expect(await review(orderId, 'reject')).toMatchObject(problem(409, 'not-under-review'));
    await becomes(orderId, 'APPROVED');
    await world.settled(orderId);
    expect(await charges(orderId)).toBe(1);
    const types = (await world.commits('Order', orderId)).flatMap(({ events }) => events.map(({ type }) => type));
    expect(types).toEqual(['OrderPlaced', 'OrderReviewStarted', 'OrderReviewEnded', 'OrderApproved']);
    expect(await world.copiesOf(note)).toEqual([]);
  });

  test('an order to another address than the profile’s is marked, and customers read neither why nor the note', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    expect((await patch(userId, { address: ADDRESS })).status).toBe(200);
    await reviewedAs(userId, 'SUSPECT');
    await world.eventually('orders know the address', async () => {
      const [event] = await world.events({ aggregate: 'User', id: userId });
      expect(await world.recordOf('orders-users', event!.id)).toMatchObject({ status: 'PROCESSED' });
    });
    const street = world.fresh('street');
    const sku = await stocked(2);
    const [away, home] = [
      await placed([line(sku)], { as, deliverTo: { ...ADDRESS, name: 'Grandma', street } }),
      await placed([line(sku)], { as, deliverTo: { ...ADDRESS, name: 'Grandma' } }),
    ];
    expect(await becomes(away.orderId, 'UNDER_REVIEW')).toMatchObject({
      reviewReasons: ['SUSPECT_USER', 'OTHER_ADDRESS'],
    });
    expect(await becomes(home.orderId, 'UNDER_REVIEW')).toMatchObject({ reviewReasons: ['SUSPECT_USER'] });
    expect((await get(away.orderId, as)).body).not.toHaveProperty('reviewReasons');
    await world.eventually('the list shows the review', async () => {
      const { body } = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(body.items.map(({ status }) => status)).toEqual(['UNDER_REVIEW', 'UNDER_REVIEW']);
      for (const one of body.items) expect(one).not.toHaveProperty('reviewReasons');
    });
    const note = world.fresh('note');
    await review(away.orderId, 'approve', note);
    const history = async (reader: Caller) => {
      const path = `/orders/${away.orderId}/history`;
      const { body } = await world.call<{ items: { type: string; data: object }[] }>({
        method: 'GET',
        path,
        as: reader,
      });
      return body.items.slice(1, 3).map(({ data }) => data);
    };
    const ids = { orderId: away.orderId, customerId: userId };
    expect(await history('operator')).toEqual([
      { ...ids, reasons: ['SUSPECT_USER', 'OTHER_ADDRESS'] },
      { ...ids, outcome: 'APPROVED', note },
    ]);
    expect(await history(as)).toEqual([ids, { ...ids, outcome: 'APPROVED' }]);
    for (const secret of [street, note]) expect(await world.copiesOf(secret)).toEqual([]);
    await becomes(away.orderId, 'APPROVED');
  });

  test('a rejected order keeps neither stock nor credit, and is never charged', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const sku = await stocked(1);
    await reviewedAs(userId, 'SUSPECT');
    const { orderId } = await placed([line(sku)], { as });
    await becomes(orderId, 'UNDER_REVIEW');
    expect((await review(orderId, 'reject')).body).toMatchObject({ status: 'REJECTED', reason: 'STEP_REFUSED' });
    expect((await review(orderId, 'reject')).status).toBe(200);
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ available: 1 });
    expect(await charges(orderId)).toBe(0);
    const account = await world.call({ method: 'GET', path: `/accounts/${userId}`, as });
    expect(account.body).toMatchObject({ authorized: eur(0) });
  });

  test('their orders are released when they are active again; one that an operator approved is not held again', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const skus = [await stocked(1), await stocked(1), await stocked(1)];
    await reviewedAs(userId, 'SUSPECT');
    const orders: string[] = [];
    for (const sku of skus) orders.push((await placed([line(sku)], { as })).orderId);
    for (const orderId of orders) await becomes(orderId, 'UNDER_REVIEW');
    await reviewedAs(userId, 'BLOCKED');
    // A blocked user's orders stay where they are.
    expect((await get(orders[0]!)).body.status).toBe('UNDER_REVIEW');
    await reviewedAs(userId, 'ACTIVE');
    for (const orderId of orders) await becomes(orderId, 'APPROVED');
    for (const orderId of orders) expect(await charges(orderId)).toBe(1);
  });

  test('an order under review can be cancelled', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const sku = await stocked(1);
    await reviewedAs(userId, 'SUSPECT');
    const { orderId } = await placed([line(sku)], { as });
    await becomes(orderId, 'UNDER_REVIEW');
    expect((await cancel(orderId, { as: as as never })).body.status).toBe('CANCELLED');
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ available: 1 });
    expect(await review(orderId, 'approve')).toMatchObject(problem(409, 'not-under-review'));
    await judged(userId, 'ACTIVE');
    expect((await get(orderId)).body.status).toBe('CANCELLED');
  });

  test('an approved order stays approved', async () => {
    const userId = world.fresh('user');
    const { orderId } = await approved([line(await stocked(1))], { as: { customer: userId } });
    await reviewedAs(userId, 'SUSPECT');
    expect((await get(orderId)).body.status).toBe('APPROVED');
    expect(await review(orderId, 'reject')).toMatchObject(problem(409, 'not-under-review'));
  });

  test.skipIf(!world.makesFaults)(`an order whose charge was sent is not reviewed ${needsFaults}`, async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    await world.throttle('payments/on-command', 'TransactWriteItems', { including: userId, times: 40 });
    const { orderId } = await placed([line(await stocked(1))], { as });
    await world.faultsMet();
    await world.eventually('the list shows it', async () => {
      const list = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(list.body.items).toHaveLength(1);
    });
    await reviewedAs(userId, 'SUSPECT');
    expect((await get(orderId)).body.status).toBe('PENDING');
    await world.heal();
    await becomes(orderId, 'APPROVED');
    expect(await charges(orderId)).toBe(1);
  });

  test.skipIf(!world.makesFaults)(`orders that wait for a step come under review at once ${needsFaults}`, async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const sku = await stocked(5);
    await world.throttle('inventory/on-command', 'TransactWriteItems', { including: sku, times: 40 });
    const orders = [(await placed([line(sku)], { as })).orderId, (await placed([line(sku, 2, 350)], { as })).orderId];
    await world.faultsMet();
    await world.eventually('the list shows them', async () => {
      const list = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(list.body.items).toHaveLength(2);
    });
    await reviewedAs(userId, 'SUSPECT');
    for (const orderId of orders) expect((await get(orderId)).body.status).toBe('UNDER_REVIEW');
    await world.heal();
    await review(orders[0]!, 'approve');
    await becomes(orders[0]!, 'APPROVED');
    expect(await charges(orders[1]!)).toBe(0);
    await reviewedAs(userId, 'ACTIVE');
    await becomes(orders[1]!, 'APPROVED');
  });
});
