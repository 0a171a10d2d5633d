import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, orderOf, stocked } from './shop.js';
import { Stranger } from './strangers.js';

/**
 * Orders that are cancelled at any moment between their acknowledgement and long after their reservation; some of them also by a
 * stranger, who must not succeed.
 */
export const cancelRaces: Scenario = {
  name: 'cancel-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 4 });
    const random = world.random.fork('customers');
    const stranger = new Stranger(orderly);
    for (let number = 0; number < 6; number++) {
      orderly.begin(orderOf('alice', `order-${number}`, ['TEA-1']), ({ reply }) => {
        if (reply.status !== 201) return;
        const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
        world.after(random.between(0, 2_500), () => orderly.begin(cancel));
        world.after(random.between(0, 2_500), () => orderly.begin(cancel));
        if (number < 2) stranger.cancels(reply.body.orderId, 2_500);
      });
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

const CUSTOMERS = 16;
const PIECES = 7;

/** 16 customers at once for 7 pieces: 7 get one, 9 are refused, none is left. */
export const soldOut: Scenario = {
  name: 'sold-out',
  faultProbability: 0.005,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': PIECES });
    for (let number = 0; number < CUSTOMERS; number++) orderly.begin(orderOf(`customer-${number}`, 'one', ['TEA-1']));
    await orderly.rest();
    const facts = new Facts(orderly);
    const broken = [...brokenPromises(orderly)];
    const statuses = [...facts.orders.keys()].map((id) => facts.order(id)?.status);
    const count = (status: string): number => statuses.filter((one) => one === status).length;
    // The order's message waits for an operator: the order may have its piece, or not.
    const pending = count('PENDING');
    const told = `${count('APPROVED')} approved, ${count('REJECTED')} rejected, ${pending} pending`;
    if (count('APPROVED') > PIECES || count('APPROVED') + pending < PIECES) {
      broken.push({ invariant: 'as many orders are approved as there are pieces', detail: told });
    }
    return broken;
  },
};
