import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { MINUTE, placed, stocked } from './shop.js';

/** Three orders are in progress when a flood of API requests takes all unreserved concurrency for ten minutes. */
export const apiFlood: Scenario = {
  name: 'api-flood',
  faultProbability: 0.02,
  async play(cloud) {
    const { world, unreserved, faults } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    for (const customer of ['alice', 'bob', 'carol']) await placed(orderly, customer, 'order');
    unreserved.running += unreserved.limit;
    await world.pass(10 * MINUTE);
    const approved = cloud.events.accepted.filter(({ event }) => event['detail-type'] === 'OrderApproved').length;
    unreserved.running -= unreserved.limit;
    await orderly.rest();
    return [...held(approved, faults.injected.length), ...brokenPromises(orderly)];
  },
};

/** A fault may delay an order for longer than the flood lasts. */
function held(approved: number, faults: number): readonly Violation[] {
  if (approved === 3 || faults > 0) return [];
  return [{ invariant: 'orders end during a flood of the API', detail: `${approved} of 3 did` }];
}
