import { afterEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import type { UserStatus } from '../../lambdas/users/contract.js';
import { needsFaults, world } from '../support/world.js';
import { eur } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { chargedPayment, pay, shows } from './payments.js';
import { sagaHas } from './sagas.js';
import { ADDRESS, judged, patch, problem, putStatus, reviewedAs } from './users.js';
import type { Caller } from './world.js';

afterEach(() => world.heal());

const review = (orderId: string, decision: 'approve' | 'reject', note?: string) =>
  world.call<OrderView>({
    method: 'PUT',
    path: `/orders/${orderId}/review`,
    as: 'operator',
    body: { decision, ...(note === undefined ? {} : { note }) },
  });

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
    expect(await world.findCopies(note)).toEqual([]);
  });

  test('an order to another address than the profile’s is marked, and customers read neither why nor the note', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    expect((await patch(userId, { address: ADDRESS })).status).toBe(200);
    await reviewedAs(userId, 'SUSPECT');
    await world.eventually('orders know the address', async () => {
      const [event] = await world.events({ aggregate: 'User', id: userId });
      expect(await world.readRecord('orders-users', event!.id)).toMatchObject({ status: 'PROCESSED' });
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
    for (const secret of [street, note]) expect(await world.findCopies(secret)).toEqual([]);
    await becomes(away.orderId, 'APPROVED');
  });

  test('an order says that charges of its user were declined and that their payment method changed, each counted once', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    await chargedPayment(userId, 1_000);
    const declined: string[] = [];
    for (const key of ['one', 'two']) {
      const { paymentId } = (await pay(userId, 40_200, world.fresh(key))).body;
      await shows(paymentId, { status: 'DECLINED' });
      declined.push(paymentId);
    }
    const ordered = await placed([line(await stocked(1, 40_200), 1, 40_200)], { as });
    expect(await becomes(ordered.orderId, 'REJECTED')).toMatchObject({ reason: 'PAYMENT_DECLINED' });
    await chargedPayment(userId, 30_200);
    // Everything again, and the events of the payer newest first.
    const payer = { aggregate: 'Payer', id: userId } as const;
    for (const id of [...declined, ordered.orderId]) await world.redeliver({ aggregate: 'Payment', id }, 2);
    await world.redeliver(payer, 3);
    await world.eventually('orders know the payer', async () => {
      const events = await world.events(payer);
      expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
      expect(events.at(-1)?.data).toEqual({
        customerId: userId,
        declinedCharges: Array(3).fill(expect.any(String)),
        methodChangedAt: expect.any(String),
      });
      for (const { id } of events) {
        expect(await world.readRecord('orders-users', id)).toMatchObject({ status: 'PROCESSED' });
        expect((await world.deliveries('orders-users', id)).duplicate).toBe(3);
      }
    });
    await reviewedAs(userId, 'SUSPECT');
    const { orderId } = await placed([line(await stocked(1))], { as });
    expect(await becomes(orderId, 'UNDER_REVIEW')).toMatchObject({
      reviewReasons: ['SUSPECT_USER', 'DECLINED_CHARGES', 'METHOD_CHANGED'],
    });
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

const dispatch = (orderId: string) =>
  world.call({ method: 'POST', path: `/orders/${orderId}/dispatch`, as: 'operator', key: world.fresh('key') });
const refund = (orderId: string) =>
  world.call({
    method: 'POST',
    path: `/payments/${orderId}/refund`,
    as: 'operator',
    key: world.fresh('key'),
    body: {},
  });
const typesOf = async (orderId: string) =>
  (await world.commits('Order', orderId)).flatMap(({ events }) => events.map(({ type }) => type));

/** The money of an order, the credit that it holds, and the pieces that are left of its stock. */
async function givenBack(orderId: string, userId: string, sku: string, onHand: number): Promise<void> {
  await world.eventually('money, credit and stock are given back', async () => {
    expect(await world.moved(orderId)).toMatchObject({ charges: 1, refunds: 1 });
    expect(await world.stock(sku)).toMatchObject({ onHand, available: onHand });
    const account = await world.call({ method: 'GET', path: `/accounts/${userId}`, as: 'operator' });
    expect(account.body).toMatchObject({ authorized: eur(0) });
  });
}

describe("when a user becomes suspect, and has paid orders that weren't sent", () => {
  /** A user with paid orders. */
  async function withPaid(count: number) {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const sku = await stocked(count);
    const ids: string[] = [];
    for (let number = 0; number < count; number++) ids.push((await approved([line(sku)], { as })).orderId);
    await world.eventually('the list shows them', async () => {
      const list = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(list.body.items.map(({ status }) => status)).toEqual(Array(count).fill('APPROVED'));
    });
    return { userId, as, sku, ids };
  }
  /** The orders under review, as operators list them. */
  const listed = async (userId: string, query = '') =>
    world.call<{ items: OrderView[]; nextCursor?: string }>({
      method: 'GET',
      path: `/orders?underReview=true&customerId=${userId}${query}`,
      as: 'operator',
    });

  test.each<UserStatus>(['SUSPECT', 'BLOCKED'])(
    'they come under review, are not dispatched, and are APPROVED again without a second charge (%s)',
    async (status) => {
      const { userId, as, ids } = await withPaid(2);
      await reviewedAs(userId, status);
      const [first = '', second = ''] = ids;
      for (const orderId of ids) {
        expect((await get(orderId)).body).toMatchObject({ status: 'UNDER_REVIEW', reviewReasons: [`${status}_USER`] });
        expect(await dispatch(orderId)).toMatchObject(problem(409, 'not-approved'));
      }
      await world.eventually('both lists show the review', async () => {
        const own = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
        expect(own.body.items.map((one) => [one.status, one.reviewReasons])).toEqual(
          Array(2).fill(['UNDER_REVIEW', undefined]),
        );
        const path = `/orders?customerId=${userId}`;
        const all = await world.call<{ items: OrderView[] }>({ method: 'GET', path, as: 'operator' });
        for (const one of all.body.items) expect(one).toMatchObject({ reviewReasons: [`${status}_USER`] });
      });
      const page = await listed(userId, '&limit=1');
      const rest = await listed(userId, `&limit=1&cursor=${page.body.nextCursor}`);
      expect([...page.body.items, ...rest.body.items].map(({ orderId }) => orderId).sort()).toEqual([...ids].sort());
      expect(rest.body.nextCursor).toBeUndefined();

      for (const _ of ['first', 'repeat']) {
        expect(await review(first, 'approve')).toMatchObject({ status: 200, body: { status: 'APPROVED' } });
      }
      expect((await dispatch(first)).status).toBe(200);
      await reviewedAs(userId, 'ACTIVE');
      expect((await get(second)).body.status).toBe('APPROVED');
      expect((await listed(userId)).body.items).toEqual([]);
      expect((await dispatch(second)).status).toBe(200);
      for (const orderId of ids) {
        await world.settled(orderId);
        expect(await world.moved(orderId)).toMatchObject({ charges: 1, refunds: 0 });
      }
      expect(await typesOf(second)).toEqual([
        'OrderPlaced',
        'OrderApproved',
        'OrderReviewStarted',
        'OrderReviewEnded',
        'OrderDispatched',
      ]);
    },
  );

  test('a rejected one is cancelled: money, credit and stock are given back once', async () => {
    const { userId, sku, ids } = await withPaid(1);
    const [orderId = ''] = ids;
    await reviewedAs(userId, 'SUSPECT');
    // The advice of the refund's problem can be followed: the order can be cancelled, here by its review.
    expect(await refund(orderId)).toMatchObject(problem(409, 'not-refundable'));
    for (const _ of ['first', 'repeat']) {
      expect(await review(orderId, 'reject')).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    }
    expect(await review(orderId, 'approve')).toMatchObject(problem(409, 'not-under-review'));
    await givenBack(orderId, userId, sku, 1);
    expect((await listed(userId)).body.items).toEqual([]);
    await reviewedAs(userId, 'ACTIVE');
    expect((await get(orderId)).body.status).toBe('CANCELLED');
  });

  test('their customer or an operator may cancel one meanwhile', async () => {
    const { userId, as, sku, ids } = await withPaid(2);
    await reviewedAs(userId, 'SUSPECT');
    const [own = '', other = ''] = ids;
    expect((await cancel(own, { as })).body.status).toBe('CANCELLED');
    expect((await cancel(other, { as: 'operator' })).body.status).toBe('CANCELLED');
    expect((await listed(userId)).body.items).toEqual([]);
    for (const orderId of ids) await givenBack(orderId, userId, sku, 2);
  });

  test('a forgotten user’s are decided all the same', async () => {
    const { userId, as, ids } = await withPaid(2);
    await reviewedAs(userId, 'SUSPECT');
    const forget = await world.call({ method: 'DELETE', path: '/users/me', as, key: world.fresh('key') });
    expect(forget.status).toBe(204);
    const [first = '', second = ''] = ids;
    expect((await review(first, 'approve', 'a note that is not kept')).body.status).toBe('APPROVED');
    await reviewedAs(userId, 'ACTIVE');
    expect((await get(second)).body.status).toBe('APPROVED');
  });

  test.skipIf(!world.makesFaults)(
    `one that is being charged stays under review once it is paid ${needsFaults}`,
    async () => {
      const userId = world.fresh('user');
      const as = { customer: userId };
      const sku = await stocked(2);
      await world.throttle('payments/on-command', 'TransactWriteItems', { including: userId, times: 40 });
      const [kept, rejected] = [await placed([line(sku)], { as }), await placed([line(sku)], { as })];
      await world.faultsMet();
      // The user becomes suspect after both charges were sent: the saga looks before it sends one.
      for (const { orderId } of [kept, rejected]) await sagaHas(orderId, 'ChargePayment');
      await world.eventually('the list shows them', async () => {
        const list = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
        expect(list.body.items).toHaveLength(2);
      });
      await reviewedAs(userId, 'SUSPECT');
      for (const { orderId } of [kept, rejected]) expect((await get(orderId)).body.status).toBe('UNDER_REVIEW');
      // It is rejected while it is charged: its saga compensates.
      expect((await review(rejected.orderId, 'reject')).body.status).toBe('REJECTED');
      await world.heal();
      await world.settled(kept.orderId);
      await world.settled(rejected.orderId);
      expect((await get(kept.orderId)).body.status).toBe('UNDER_REVIEW');
      expect((await review(kept.orderId, 'approve')).body.status).toBe('APPROVED');
      expect(await world.moved(kept.orderId)).toMatchObject({ charges: 1, refunds: 0 });
      const { charges, refunds } = await world.moved(rejected.orderId);
      expect(charges).toBe(refunds);
      expect(await world.stock(sku)).toMatchObject({ available: 1 });
    },
  );

  test.skipIf(!world.makesFaults)(
    `one that no review has found comes under review by its dispatch ${needsFaults}`,
    async () => {
      const { userId, ids } = await withPaid(1);
      const [orderId = ''] = ids;
      // The inbox is behind, while orders know the status by their copy already.
      await world.throttle('orders/on-user-status-changed', 'TransactWriteItems', { including: userId, times: 40 });
      const { version } = (await putStatus(userId, 'SUSPECT')).body;
      await world.eventually('orders know the status', async () => {
        const events = await world.events({ aggregate: 'User', id: userId });
        const own = events.find(({ sequence }) => sequence === version);
        expect(await world.readRecord('orders-users', own!.id)).toMatchObject({ status: 'PROCESSED' });
      });
      await world.faultsMet();
      expect((await get(orderId)).body.status).toBe('APPROVED');
      expect(await dispatch(orderId)).toMatchObject(problem(409, 'not-approved'));
      expect((await get(orderId)).body).toMatchObject({ status: 'UNDER_REVIEW', reviewReasons: ['SUSPECT_USER'] });
      await world.heal();
      expect((await review(orderId, 'approve')).body.status).toBe('APPROVED');
      expect((await dispatch(orderId)).status).toBe(200);
    },
  );
});
