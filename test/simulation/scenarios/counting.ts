import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, orderOf, stocked } from './shop.js';

/** Operators count one SKU again and again, some at once, while orders reserve and release pieces. */
export const counting: Scenario = {
  name: 'counting',
  faultProbability: 0.02,
  // Runs in many environments with different clocks, whatever the seed is.
  conditions: { clockSkew: 2_000, coldness: 0.3 },
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 3 });
    const random = world.random.fork('customers');
    for (let number = 0; number < 5; number++) {
      world.after(random.between(0, 2_000), () =>
        orderly.begin(orderOf('alice', `order-${number}`, ['TEA-1']), ({ reply }) => {
          if (number % 2 === 0) orderly.begin(cancellationOf('alice', reply.body.orderId, 'cancel'));
        }),
      );
      const onHand = random.between(1, 6);
      const count = { method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand } } as const;
      const at = random.between(0, 2_000);
      for (const pause of [0, random.between(0, 50)]) world.after(at + pause, () => orderly.begin(count));
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
