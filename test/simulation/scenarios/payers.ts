import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { paymentOf } from './payments.js';
import { DAY, orderOf, stocked } from './shop.js';
import { statusOf } from './users.js';

/** Charges that are declined, as many as the rule of `prod` says. */
const DECLINED = ['one', 'two', 'three'] as const;

/**
 * A customer's charges are declined, all at once and each requested twice, while another one is made by another payment
 * method. Then the customer is suspect: the reasons of the next order's review say both.
 */
export const payerRaces: Scenario = {
  name: 'payer-races',
  faultProbability: 0.03,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    await orderly.call(paymentOf('alice', 1_000, 'first'));
    await orderly.rest();
    const meanwhile = [...DECLINED.map((key) => paymentOf('alice', 40_200, key)), paymentOf('alice', 30_200, 'other')];
    const since = world.now;
    for (const pay of [...meanwhile, ...meanwhile]) orderly.begin(pay);
    await orderly.rest();
    await orderly.call(statusOf('alice', 'SUSPECT'));
    await orderly.rest();
    const { reply } = await orderly.call(orderOf('alice', 'suspect', ['TEA-1']));
    // A late duplicate may keep everything from coming to rest for longer than the rules look back.
    const isLongAgo = world.now - since >= DAY;
    await orderly.rest();
    const path = `/orders/${String(reply.body.orderId)}`;
    const held = await orderly.call({ method: 'GET', path, as: 'operator' });
    const broken = isLongAgo ? [] : isMarked(orderly, held.reply.body.reviewReasons);
    await orderly.call(statusOf('alice', 'ACTIVE'));
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly)];
  },
};

/** Checks the reasons, unless a message failed: then a payment may not have ended, or orders may not have heard of it. */
function isMarked(orderly: Orderly, reasons: unknown): readonly Violation[] {
  const hasFailed = [...new Facts(orderly).records.values()].some(({ status }) => status === 'FAILED');
  const wanted = 'SUSPECT_USER,DECLINED_CHARGES,METHOD_CHANGED';
  if (hasFailed || String(reasons) === wanted) return [];
  return [{ invariant: 'a review says what payments know of its payer', detail: `${String(reasons)}, not ${wanted}` }];
}
