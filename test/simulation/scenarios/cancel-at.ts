import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, orderAt, productOf, stocked } from './shop.js';

/** Event that races with the cancellation: an approval, a rejection because of missing stock, or a declined payment. */
export type Race = (typeof RACES)[number];
const RACES = ['approval', 'rejection', 'decline'] as const;

/** Trace line for a moment at which everything has come to rest: the last one that differs from earlier moments. */
export const AT_REST = 'nothing moves any more: the cancellation is late';

/** By then an order without faults has ended. */
const LONGEST_WAY = 60_000;
/** The sandbox declines this amount (`sandbox-amounts.ts`). */
const DECLINED = 40200;

const NAME = new RegExp(`^cancel-at-(\\d+)-of-(${RACES.join('|')})$`);

/**
 * Returns the scenario that begins a cancellation at one moment, `cancel-at-17-of-approval`; `undefined` for the name
 * of another one.
 */
export function cancelAtCalled(name: string): Scenario | undefined {
  const [, moment, called] = NAME.exec(name) ?? [];
  const race = RACES.find((one) => one === called);
  return race && cancelAt(Number(moment), race);
}

/**
 * A cancellation that begins at one moment of its order's progress: right before the n-th call, message, delivery or
 * invocation after the acknowledgement. Played at every moment, it meets each step, its answer and the list at every
 * point at which anything happens.
 * @param moment from 0; after the last one everything has come to rest
 */
export const cancelAt = (moment: number, race: Race): Scenario => ({
  name: `cancel-at-${moment}-of-${race}`,
  faultProbability: 0.02,
  async play(cloud) {
    const { world, faults } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': race === 'rejection' ? 0 : 1 });
    const amount = race === 'decline' ? DECLINED : 350;
    await orderly.call(productOf('TEA-1', amount));
    await orderly.rest();
    const { reply } = await orderly.call(orderAt('alice', 'order', 'TEA-1', amount));
    const begun = faults.points.length;
    const latest = world.now + LONGEST_WAY;
    await world.until(() => faults.points.length >= begun + moment || world.now >= latest);
    if (world.now >= latest) world.note(AT_REST);
    const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
    orderly.begin(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
});
