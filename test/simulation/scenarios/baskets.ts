import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { type Answered, type Call, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { productOf, stocked } from './shop.js';
import { statusOf } from './users.js';

interface ShownLine {
  readonly sku: string;
  readonly unitPrice: { readonly amount: number };
}

const putItem = (as: string, sku: string, quantity: number): Call => ({
  method: 'PUT',
  path: `/basket/items/${sku}`,
  as,
  body: { quantity },
});
const removeItem = (as: string, sku: string): Call => ({ method: 'DELETE', path: `/basket/items/${sku}`, as });
const look = (as: string): Call => ({ method: 'GET', path: '/basket', as });
const see = (as: string): Call => ({ method: 'PUT', path: '/basket/seen', as });
const checkOut = (as: string, key: string): Call => ({ method: 'POST', path: '/basket/checkout', as, key });

/**
 * Customers of baskets, which remember when they asked. Prices only rise in these scenarios, so an amount says how new a
 * price is.
 */
class Shoppers {
  private readonly asked: { readonly at: number; readonly answered: Answered }[] = [];

  constructor(
    private readonly cloud: Cloud,
    private readonly orderly: Orderly,
  ) {}

  begin(call: Call): void {
    const at = this.cloud.world.now;
    this.orderly.begin(call, (answered) => this.asked.push({ at, answered }));
  }

  async call(call: Call): Promise<Answered> {
    const at = this.cloud.world.now;
    const answered = await this.orderly.call(call);
    this.asked.push({ at, answered });
    return answered;
  }

  /** No answer shows a price that is older than what baskets knew when it was asked for. */
  olderPrices(): readonly Violation[] {
    const known = this.cloud.tableCalls.flatMap(({ at, effects }) =>
      effects.changes.flatMap(({ after }) => {
        const { pk, unitPrice } = (after ?? {}) as { pk?: { S: string }; unitPrice?: { M: { amount: { N: string } } } };
        if (!pk?.S?.startsWith('PRODUCT#') || !unitPrice) return [];
        return [{ at, sku: pk.S.slice('PRODUCT#'.length), amount: Number(unitPrice.M.amount.N) }];
      }),
    );
    return this.asked.flatMap(({ at, answered: { reply, as, method, path } }) =>
      ((reply.body.lines ?? []) as readonly ShownLine[]).flatMap(({ sku, unitPrice: { amount } }) => {
        const newest = Math.max(0, ...known.filter((one) => one.sku === sku && one.at < at).map((one) => one.amount));
        const told = `${as} ${method} ${path} ${sku}: ${amount}, known ${newest}`;
        return amount >= newest ? [] : [violation('no answer shows an older price of a basket', told, as)];
      }),
    );
  }
}

/** Payloads of the messages about prices that baskets have failed to process, or that did not reach them. */
const failedPrices = (orderly: Orderly): readonly string[] =>
  [...new Facts(orderly).records.values()]
    .filter(({ pk, status }) => pk.startsWith('baskets-products@') && status === 'FAILED')
    .map(({ payload = '' }) => payload);

/** Every line of these customers has the newest price, unless the failure of a price of its product is visible. */
async function pricesArrived(
  orderly: Orderly,
  customers: readonly string[],
  newest: ReadonlyMap<string, number>,
): Promise<readonly Violation[]> {
  const shown = await Promise.all(customers.map((as) => orderly.call(look(as))));
  const failed = failedPrices(orderly);
  return shown.flatMap(({ as, reply }) =>
    ((reply.body.lines ?? []) as readonly ShownLine[]).flatMap(({ sku, unitPrice: { amount } }) =>
      amount === newest.get(sku) || failed.some((payload) => payload.includes(sku))
        ? []
        : [violation('a changed price reaches every basket', `${as} ${sku}: ${amount}, not ${newest.get(sku)}`, as)],
    ),
  );
}

/**
 * Customers fill their baskets, look, see and check out, each checkout three times and two at once, while prices rise.
 * Then all messages come again, and a line is changed while it is being ordered.
 */
export const basketRaces: Scenario = {
  name: 'basket-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    const shoppers = new Shoppers(cloud, orderly);
    const random = world.random.fork('baskets');
    const skus = ['TEA-1', 'CUP-1'];
    const customers = ['alice', 'bob'];
    const newest = new Map(skus.map((sku) => [sku, 350]));
    await stocked(orderly, { 'TEA-1': 50, 'CUP-1': 50 });
    await orderly.rest();
    for (const as of customers) for (const sku of skus) await shoppers.call(putItem(as, sku, 1));
    const later = (call: Call) => world.after(random.between(0, 4_000), () => shoppers.begin(call));
    for (const as of customers) {
      for (let number = 0; number < 3; number++) {
        later(putItem(as, random.pick(skus), random.between(2, 9)));
        later(look(as));
      }
      later(see(as));
      later(removeItem(as, random.pick(skus)));
      for (const key of ['first', 'second']) {
        const begin = random.between(500, 3_500);
        for (const repeat of [0, 0, random.between(0, 1_000)]) {
          world.after(begin + repeat, () => shoppers.begin(checkOut(as, key)));
        }
      }
    }
    // One after the other, so that prices only rise; their events reach baskets in any order.
    for (let number = 1; number <= 4; number++) {
      const sku = random.pick(skus);
      const amount = 350 + number * 10;
      newest.set(sku, amount);
      await shoppers.call(productOf(sku, amount));
      await world.pass(random.between(0, 1_000));
    }
    await orderly.rest();
    for (const { bus, event } of [...events.accepted].toReversed()) {
      events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
    }
    await orderly.rest();
    // A line that is changed while it is being ordered, whatever has become of the others.
    await shoppers.call(putItem('alice', 'TEA-1', 10));
    await shoppers.call(checkOut('alice', 'third'));
    await shoppers.call(putItem('alice', 'TEA-1', 11));
    await orderly.rest();
    const late = await pricesArrived(orderly, customers, newest);
    await orderly.rest();
    return [...late, ...shoppers.olderPrices(), ...brokenPromises(orderly)];
  },
};

/**
 * A customer who is blocked by now checks out a basket, twice at once and again later: orders place and reject the order in
 * one commit, so no saga begins. Another customer's basket has two currencies: it is not checked out at all.
 */
export const checkoutRefused: Scenario = {
  name: 'checkout-refused',
  faultProbability: 0.02,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const shoppers = new Shoppers(cloud, orderly);
    await stocked(orderly, { 'TEA-1': 5 });
    await orderly.rest();
    await shoppers.call(putItem('alice', 'TEA-1', 2));
    await orderly.call(statusOf('alice', 'BLOCKED'));
    await orderly.rest();
    await Promise.all([1, 2].map(() => shoppers.call(checkOut('alice', 'once'))));
    await orderly.rest();
    await shoppers.call(checkOut('alice', 'once'));
    await orderly.call(productOf('CUP-1', 350, { unitPrice: { amount: 350, currency: 'USD' } }));
    await orderly.rest();
    const filled = await Promise.all(['TEA-1', 'CUP-1'].map((sku) => shoppers.call(putItem('bob', sku, 1))));
    // Baskets know no product whose event the bus could not deliver.
    const isMixed = filled.every(({ reply }) => reply.status === 200);
    const mixed = isMixed ? (await shoppers.call(checkOut('bob', 'mixed'))).reply.status : 409;
    await orderly.rest();
    const facts = new Facts(orderly);
    const rejected = [...facts.orders].map(([id, commits]) => {
      const events = commits.map(({ events }) => events.map(({ type }) => type).join('+'));
      return `${events.join(' ')}, saga ${facts.saga(id).state.status}`;
    });
    const wrong = rejected.filter((told) => told !== 'OrderPlaced+OrderRejected, saga NONE');
    return [
      ...wrong.map((told) => violation('what is refused is placed and rejected in one commit', told, 'alice')),
      ...(mixed === 409 ? [] : [violation('a basket with two currencies is not checked out', String(mixed), 'bob')]),
      ...(rejected.length > 1 ? [violation('a checkout is one order', rejected.join('; '), 'alice')] : []),
      ...brokenPromises(orderly),
    ];
  },
};

/** Prices rise twice while more baskets hold the product than a page has; a few are changed meanwhile. */
export const priceRollout: Scenario = {
  name: 'price-rollout',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const shoppers = new Shoppers(cloud, orderly);
    const random = world.random.fork('rollout');
    const customers = Array.from({ length: 24 }, (_, at) => `c${String(at).padStart(2, '0')}`);
    await orderly.call(productOf('TEA-1', 350));
    await orderly.rest();
    await Promise.all(customers.map((as) => shoppers.call(putItem(as, 'TEA-1', 1))));
    await shoppers.call(productOf('TEA-1', 400));
    const begunLate = new Set(['late']);
    for (const change of [putItem, removeItem, see]) {
      const as = random.pick(customers.slice(0, 20));
      if (change === putItem) begunLate.add(as);
      world.after(random.between(0, 500), () => shoppers.begin(change(as, 'TEA-1', 2)));
    }
    world.after(random.between(0, 500), () => shoppers.begin(putItem('late', 'TEA-1', 1)));
    // Of the second page: baskets know the price before it reaches these. Nobody looks at the first basket of the page.
    // The last one confirms prices that are older than those that baskets know.
    for (const [at, as] of customers.slice(21).entries()) {
      for (const moment of [100, 300, 500, 700]) {
        world.after(moment + random.between(0, 200), () => shoppers.begin((at === 2 ? see : look)(as)));
      }
    }
    await shoppers.call(productOf('TEA-1', 450));
    await orderly.rest();
    const stored = storedPrices(orderly, 450, begunLate);
    const late = await pricesArrived(orderly, [...customers, 'late'], new Map([['TEA-1', 450]]));
    await orderly.rest();
    return [...stored, ...late, ...shoppers.olderPrices(), ...brokenPromises(orderly)];
  },
};

/**
 * Every basket has the newest price before anybody looks, unless the failure of a price is visible. A line that was begun
 * late, or again after it was removed, may have missed the rollout: it has the price when somebody looks.
 */
const storedPrices = (orderly: Orderly, newest: number, begunLate: ReadonlySet<string>): readonly Violation[] => {
  if (failedPrices(orderly).length > 0) return [];
  const isBegunLate = (pk: string): boolean => begunLate.has(pk.slice('Basket#'.length));
  return orderly.services
    .flatMap(({ table }) => orderly.itemsOf(table))
    .filter(({ pk, sk }) => String(pk).startsWith('Basket#') && !isBegunLate(String(pk)) && sk === 'STATE')
    .flatMap(({ pk, lines }) =>
      (lines as readonly ShownLine[]).flatMap(({ unitPrice: { amount } }) =>
        amount === newest ? [] : [violation('a rollout reaches every basket', `${pk}: ${amount}`, String(pk))],
      ),
    );
};
