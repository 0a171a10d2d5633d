import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { itemsOfPages } from '../../support/simulation/readers.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { cancellationOf, MINUTE, orderOf, stocked } from './shop.js';

const SKUS = ['TEA-1', 'CUP-1', 'POT-1'];

/**
 * 20 orders of five customers within seconds; every fourth is sent twice, and every fifth is cancelled at some moment.
 * In the end, one of them reads the list of their orders, one order at a time.
 */
export const twentyOrders: Scenario = {
  name: 'twenty-orders',
  faultProbability: 0.02,
  // Pages of tables end early, as if their items were large.
  conditions: { pageItems: 2 },
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 12, 'CUP-1': 9, 'POT-1': 100 });
    const random = world.random.fork('customers');
    for (let number = 0; number < 20; number++) {
      const customer = `customer-${number % 5}`;
      const skus = random.shuffle(SKUS).slice(0, random.between(1, 2));
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
    // Longer than a list may lag behind.
    await world.pass(MINUTE);
    const unlisted = await everyOrderIsOnAPage(orderly, 'customer-1');
    await orderly.rest();
    return [...unlisted, ...brokenPromises(orderly)];
  },
};

/** The pages of a customer's list show each of its rows once, newest first. */
async function everyOrderIsOnAPage(orderly: Orderly, customer: string): Promise<readonly Violation[]> {
  const shown = (await itemsOfPages(orderly, '/orders?limit=1', customer)).map(({ orderId }) => orderId);
  const rows = new Facts(orderly).rows.filter(({ pk }) => pk.endsWith(`#${customer}`)).map(({ sk }) => sk);
  const listed = rows.toSorted().map((sk) => sk.slice(sk.lastIndexOf('#') + 1));
  const wanted = listed.toReversed().join(', ');
  return shown.join(', ') === wanted
    ? []
    : [violation('the pages of a list show all of its orders', `${shown.join(', ')}, not ${wanted}`, customer)];
}
