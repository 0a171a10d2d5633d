import type { CatalogCommand } from '../../../lambdas/catalog/contract.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { sender } from '../support/commands.js';
import { Orderly } from '../support/orderly.js';

const SKUS = ['TEA-1', 'CUP-1', 'POT-1'];
const ORDERS = 8;

const priceOf = (sku: string, amount: number) =>
  ({
    method: 'PUT',
    path: `/products/${sku}`,
    as: 'operator',
    body: { name: sku, unitPrice: { amount, currency: 'EUR' } },
  }) as const;

/**
 * Orders request their price checks, each up to three times, while operators change the prices; one product is added
 * late.
 */
export const priceRaces: Scenario = {
  name: 'price-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<CatalogCommand>(cloud, 'catalog');
    const random = world.random.fork('prices');
    const [late = '', ...known] = SKUS;
    for (const sku of known) await orderly.call(priceOf(sku, 100));
    for (let number = 0; number < ORDERS; number++) {
      const orderId = `order-${number}`;
      const lines = SKUS.slice(random.between(0, 1)).map((sku) => ({
        sku,
        unitPrice: { amount: random.pick([100, 100, 200]), currency: 'EUR' },
      }));
      const command: CatalogCommand = {
        type: 'ConfirmPrices',
        data: { orderId, stepId: `${orderId}/confirm-prices`, lines },
      };
      const begin = random.between(0, 3_000);
      for (const retry of [0, 500, 3_000]) if (random.chance(0.7)) world.after(begin + retry, () => send(command));
    }
    world.after(random.between(0, 3_000), () => orderly.begin(priceOf(late, 100)));
    for (const amount of [200, 100, 200, 100]) {
      world.after(random.between(0, 5_000), () => orderly.begin(priceOf(random.pick(known), amount)));
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
