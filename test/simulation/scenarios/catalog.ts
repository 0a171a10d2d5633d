import type { CatalogCommand } from '../../../lambdas/catalog/contract.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { endedAs } from './sagas.js';
import { orderOf, productOf, stocked } from './shop.js';

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
    // Several prices of one product at once: their events reach baskets in any order.
    const atOnce = random.between(0, 5_000);
    for (const amount of [300, 400, 500, 600]) {
      world.after(atOnce, () => orderly.begin(priceOf(known[0] ?? '', amount)));
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * Orders are placed while operators discontinue their products and sell them again, each request twice. One product is
 * discontinued all the time, and changes its price meanwhile. One was sold again before its order, and is discontinued after the order was approved; then
 * the step about its prices comes again.
 */
export const discontinuedRaces: Scenario = {
  name: 'discontinued-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<CatalogCommand>(cloud, 'catalog');
    const random = world.random.fork('products');
    const discontinued = { discontinued: true };
    const racing = ['TEA-1', 'CUP-1'];
    await stocked(orderly, { 'TEA-1': 9, 'CUP-1': 9, 'POT-1': 9, 'OLD-1': 9 });
    for (const sku of ['OLD-1', 'POT-1']) await orderly.call(productOf(sku, 350, discontinued));
    await orderly.call(productOf('POT-1'));
    await orderly.call(productOf('OLD-1', 400, discontinued));
    const before = orderOf('alice', 'before', ['POT-1']);
    const { reply } = await orderly.call(before);
    await orderly.rest();
    await orderly.call(productOf('POT-1', 350, discontinued));
    orderly.begin(before);
    const orderId = String(reply.body.orderId);
    const lines = before.body.lines.map(({ sku, unitPrice }) => ({ sku, unitPrice }));
    send({ type: 'ConfirmPrices', data: { orderId, stepId: `${orderId}/confirm-prices`, lines } });
    orderly.begin(orderOf('alice', 'never', ['TEA-1', 'OLD-1']));
    for (let number = 0; number < 4; number++) {
      const skus = racing.slice(random.between(0, 1));
      world.after(random.between(0, 4_000), () => orderly.begin(orderOf('alice', `order-${number}`, skus)));
    }
    for (let number = 0; number < 5; number++) {
      const product = productOf(random.pick(racing), 350, random.chance(0.5) ? discontinued : {});
      const begin = random.between(0, 4_000);
      for (const repeat of [0, random.between(0, 1_000)]) world.after(begin + repeat, () => orderly.begin(product));
    }
    await orderly.rest();
    const ends = { before: 'APPROVED', never: 'REJECTED PRODUCT_DISCONTINUED' };
    return [...brokenPromises(orderly), ...endedAs(orderly, ends)];
  },
};
