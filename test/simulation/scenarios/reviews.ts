import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { findMapping } from '../../support/simulation/reading.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, dispatchOf, orderOf, returnOf, stocked } from './shop.js';
import { statusOf } from './users.js';

const ORDERS = 4;
/** Milliseconds in which orders are placed, judged, decided, cancelled and dispatched. */
const WHILE = 9_000;

const reviewOf = (orderId: unknown, decision: 'approve' | 'reject') =>
  ({ method: 'PUT', path: `/orders/${String(orderId)}/review`, as: 'operator', body: { decision } }) as const;

/**
 * Orders of one user, of which one costs nothing, while the user becomes suspect, blocked and active again: while they are
 * placed, charged, approved and dispatched. Operators decide reviews, dispatch, cancel and refund at any moment, and the
 * customer cancels, each of them twice. At the end every order that is left is reviewed, and decided in one of three ways.
 */
export const reviewRaces: Scenario = {
  name: 'review-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 50 });
    await orderly.call({
      method: 'PUT',
      path: '/products/GIFT-1',
      as: 'operator',
      body: { name: 'Gift', unitPrice: { amount: 0, currency: 'EUR' } },
    });
    await orderly.call({ method: 'PUT', path: '/stock/GIFT-1', as: 'operator', body: { onHand: 50 } });
    const random = world.random.fork('reviews');
    const at = (begin: number, call: Parameters<Orderly['begin']>[0]): void => {
      for (const repeat of [0, random.between(0, 1_000)]) world.after(begin + repeat, () => orderly.begin(call));
    };
    const whenever = (call: Parameters<Orderly['begin']>[0]): void => at(random.between(500, WHILE), call);

    const ids: unknown[] = [];
    for (let number = 0; number < ORDERS; number++) {
      const order = number === 0 ? giftOf('eve', 'order-0') : orderOf('eve', `order-${number}`, ['TEA-1']);
      world.after(random.between(0, 4_000), () =>
        orderly.begin(order, ({ reply }) => {
          if (reply.status !== 201) return;
          const { orderId } = reply.body;
          ids.push(orderId);
          whenever(dispatchOf(orderId, 'dispatch'));
          whenever(reviewOf(orderId, random.chance(0.5) ? 'approve' : 'reject'));
          if (random.chance(0.3)) whenever(cancellationOf('eve', orderId, 'cancel'));
          if (random.chance(0.3)) whenever(cancellationOf('operator', orderId, 'stop'));
          if (random.chance(0.3)) whenever(returnOf(orderId, 'return', 350));
        }),
      );
    }
    for (const status of ['SUSPECT', 'BLOCKED', 'ACTIVE', 'SUSPECT']) whenever(statusOf('eve', status));
    await orderly.rest();

    await orderly.call(statusOf('eve', 'ACTIVE'));
    await orderly.rest();
    const early = await orderly.call(orderOf('eve', 'early', ['TEA-1']));
    const late = await orderly.call(orderOf('eve', 'late', ['TEA-1']));
    await orderly.rest();
    // An operator dispatches one of them before the inbox has heard of the new status.
    const inbox = findMapping(cloud, 'Orders/OnJudgements');
    inbox.enabled = false;
    await orderly.call(statusOf('eve', 'BLOCKED'));
    await world.pass(30_000);
    await orderly.call(dispatchOf(early.reply.body.orderId, 'too-early'));
    inbox.enabled = true;
    await orderly.rest();
    const broken = reviewed(orderly, late.reply.body.orderId);
    // One decision for each that is left: approve and dispatch, reject, cancel; the rest is released.
    const open = [early.reply.body.orderId, late.reply.body.orderId, ...ids].filter(
      (id) => new Facts(orderly).order(String(id))?.status === 'UNDER_REVIEW',
    );
    const [first, second, third] = open;
    if (first !== undefined) for (const _ of [1, 2]) orderly.begin(reviewOf(first, 'approve'));
    if (second !== undefined) for (const _ of [1, 2]) orderly.begin(reviewOf(second, 'reject'));
    if (third !== undefined) orderly.begin(cancellationOf('operator', third, 'last'));
    await orderly.rest();
    for (const id of open) orderly.begin(dispatchOf(id, 'last'));
    await orderly.rest();
    await orderly.call(statusOf('eve', 'ACTIVE'));
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly)];
  },
};

const giftOf = (as: string, key: string) =>
  ({
    method: 'POST',
    path: '/orders',
    as,
    key,
    body: { lines: [{ sku: 'GIFT-1', quantity: 1, unitPrice: { amount: 0, currency: 'EUR' } }] },
  }) as const;

/**
 * Checks that a paid order that the list showed came under review with its user's status, unless a message about them
 * has failed.
 */
function reviewed(orderly: Orderly, orderId: unknown): readonly Violation[] {
  const facts = new Facts(orderly);
  const failed = [...facts.records.values()].some(({ status }) => status === 'FAILED');
  const order = facts.order(String(orderId));
  if (failed || order === undefined || order.status === 'UNDER_REVIEW' || order.status === 'REJECTED') return [];
  const detail = `${String(orderId)} is ${order.status}`;
  return [{ invariant: 'an active order of a blocked user is reviewed', detail, about: String(orderId) }];
}
