import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { Orderly } from '../support/orderly.js';
import { cancellationOf, orderOf, stocked } from './shop.js';

const SKUS = ['TEA-1', 'CUP-1', 'POT-1'];

/**
 * 20 orders of five customers within seconds; every fourth is sent twice, and every fifth is cancelled at some moment.
 */
export const twentyOrders: Scenario = {
  name: 'twenty-orders',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 12, 'CUP-1': 9, 'POT-1': 100 });
    const random = world.random.fork('customers');
    for (let number = 0; number < 20; number++) {
      const customer = `customer-${number % 5}`;
      const skus = random.shuffled(SKUS).slice(0, random.between(1, 2));
      const order = orderOf(customer, `order-${number}`, skus, random.between(1, 2));
      const at = random.between(0, 4_000);
      world.after(at, () =>
        orderly.begin(order, ({ reply }) => {
          if (number % 5 !== 0 || reply.status !== 201) return;
          world.after(random.between(0, 4_000), () =>
            orderly.begin(cancellationOf(customer, reply.body.orderId, `cancel-${number}`)),
          );
        }),
      );
      if (number % 4 === 0) world.after(at + random.between(0, 2_000), () => orderly.begin(order));
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
