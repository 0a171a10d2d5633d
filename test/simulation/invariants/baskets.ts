import { type BasketEvent, basketsContract } from '../../../lambdas/baskets/contract.js';
import { evolve, initialState, type Line } from '../../../lambdas/baskets/domain/basket.js';
import { catalogContract, type ProductEvent } from '../../../lambdas/catalog/contract.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Commit, type Facts, parseEvent, type Write } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Invariants of baskets and of checkouts, despite duplicates, delays and concurrency. */
export const baskets: Check = (facts) => {
  const written = writtenBaskets(facts);
  return [
    ...basketsAreTheirEvents(written),
    ...pricesAreTheCatalogues(facts, written),
    ...oldPricesWereSeen(written),
    ...holdersHaveTheLine(facts),
    ...checkoutsAreOrders(facts),
    ...ordersLeaveTheirBasket(facts),
  ];
};

/** A basket after one write. */
interface Written {
  readonly customer: string;
  readonly lines: readonly Line[];
  readonly version: number;
  readonly events: readonly BasketEvent[];
}

const eventsOf = <Event>(commit: unknown, contract: typeof basketsContract | typeof catalogContract) =>
  commit ? (commit as Commit).events.map((event) => parseEvent(contract, event) as Event) : [];

/** Returns the commit that a write puts beside the state of an aggregate. */
const commitBeside = (changes: Write['changes'], pk: unknown): Row | undefined =>
  changes.find(({ after }) => after?.pk === pk && String(after?.sk).startsWith('COMMIT#'))?.after;

/** Returns each write of a basket, in their order; commits of old changes may have expired. */
const writtenBaskets = ({ writes }: Facts): readonly Written[] =>
  writes.flatMap(({ changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('Basket#') || after?.sk !== 'STATE') return [];
      const { lines, version } = after as unknown as Pick<Written, 'lines' | 'version'>;
      const events = eventsOf<BasketEvent>(commitBeside(changes, after.pk), basketsContract);
      return [{ customer: String(after.pk).slice('Basket#'.length), lines, version, events }];
    }),
  );

/** Text that is the same for the same value, in whatever order a table returns the members of its maps. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

/** After each write a basket equals the fold of its events, and its version is their number. */
function basketsAreTheirEvents(written: readonly Written[]): readonly Violation[] {
  const known = new Map<string, { readonly basket: typeof initialState; readonly version: number }>();
  return written.flatMap(({ customer, lines, version, events }) => {
    const before = known.get(customer) ?? { basket: initialState, version: 0 };
    const after = { basket: events.reduce(evolve, before.basket), version: before.version + events.length };
    known.set(customer, after);
    const right = events.length > 0 && version === after.version && textOf(lines) === textOf(after.basket.lines);
    const told = `${customer}: ${version} ${textOf(lines)}, by events ${after.version} ${textOf(after.basket.lines)}`;
    return right ? [] : [violation('a basket equals the fold of its events', told, customer)];
  });
}

/**
 * A line has the price that the catalogue gave the product at the line's version of it, and the version of a line never
 * decreases.
 */
function pricesAreTheCatalogues({ writes }: Facts, written: readonly Written[]): readonly Violation[] {
  const priceOf = new Map<string, string>();
  for (const { changes } of writes) {
    for (const { after } of changes) {
      if (!String(after?.pk).startsWith('Product#') || !String(after?.sk).startsWith('COMMIT#')) continue;
      const first = Number(String(after?.sk).slice('COMMIT#'.length));
      for (const [at, { data }] of eventsOf<ProductEvent>(after, catalogContract).entries()) {
        priceOf.set(`${data.sku} ${first + at}`, textOf(data.unitPrice));
      }
    }
  }
  const versions = new Map<string, ReadonlyMap<string, number>>();
  return written.flatMap(({ customer, lines }) => {
    const before = versions.get(customer);
    versions.set(customer, new Map(lines.map(({ sku, productVersion }) => [sku, productVersion])));
    return lines.flatMap(({ sku, unitPrice, productVersion }) => {
      const told = `${customer} ${sku}: ${textOf(unitPrice)} of version ${productVersion}`;
      const isPrice = priceOf.get(`${sku} ${productVersion}`) === textOf(unitPrice);
      const isNewest = productVersion >= (before?.get(sku) ?? 0);
      return [
        ...(isPrice ? [] : [violation("a basket's price is the catalogue's at that version", told, customer)]),
        ...(isNewest ? [] : [violation('a basket never gets an older price', told, customer)]),
      ];
    });
  });
}

/** A line shows the price that its customer has seen exactly if that is not its price. */
function oldPricesWereSeen(written: readonly Written[]): readonly Violation[] {
  /** Prices that a customer has seen, by SKU: at first the price at which the line was added. */
  const seenBy = new Map<string, Map<string, string>>();
  const pricesOf = new Map<string, Map<string, string>>();
  const of = (all: Map<string, Map<string, string>>, customer: string) => {
    const found = all.get(customer) ?? new Map<string, string>();
    all.set(customer, found);
    return found;
  };
  return written.flatMap(({ customer, lines, events }) => {
    const [seen, prices] = [of(seenBy, customer), of(pricesOf, customer)];
    // A price that comes with the customer's own request was not shown to them yet.
    const shownBefore = [...prices];
    for (const { type, data } of events) {
      if (type === 'BasketItemSet' && !prices.has(data.sku)) seen.set(data.sku, textOf(data.unitPrice));
      if (type === 'BasketItemSet' || type === 'BasketPriceChanged') prices.set(data.sku, textOf(data.unitPrice));
      if (type === 'BasketItemRemoved') prices.delete(data.sku);
      if (type === 'BasketEmptied') for (const sku of data.skus) prices.delete(sku);
      if (type === 'BasketSeen') for (const [sku, price] of shownBefore) seen.set(sku, price);
    }
    return lines.flatMap(({ sku, unitPrice, oldUnitPrice }) => {
      const wanted = seen.get(sku) === textOf(unitPrice) ? undefined : seen.get(sku);
      const shown = oldUnitPrice && textOf(oldUnitPrice);
      const told = `${customer} ${sku}: ${textOf(unitPrice)}, old ${shown}, seen ${seen.get(sku)}`;
      return shown === wanted ? [] : [violation('a line keeps the price that its customer has seen', told, customer)];
    });
  });
}

/** The list of a product's holders names exactly the baskets that have a line of it. */
function holdersHaveTheLine({ baskets, holders }: Facts): readonly Violation[] {
  const lines = [...baskets].flatMap(([customer, { lines }]) => lines.map(({ sku }) => `${sku} ${customer}`));
  const found = holders.map(({ pk, sk }) => `${pk.slice('HOLDERS#'.length)} ${sk}`);
  const wrong = [...found.filter((one) => !lines.includes(one)), ...lines.filter((one) => !found.includes(one))];
  return wrong.map((one) => violation("a product's list names the baskets that hold it", one, one.split(' ')[1]));
}

/** G2: a checkout is one order with its lines, in the end; and an order that a service placed is a checkout. */
const checkoutsAreOrders: Check = (facts) => {
  const missing = [...facts.checkouts].flatMap(([orderId, commits]) => {
    const [event, ...others] = commits.flatMap(({ events }) => events);
    const command = commits.flatMap(({ commands = [] }) => commands)[0];
    const { lines, customerId } = JSON.parse(event?.data ?? '{}');
    const placed = (facts.orders.get(orderId) ?? [])
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === 'OrderPlaced')
      .map(({ data }) => JSON.parse(data));
    const told = `${orderId}: ${event?.data}, ${placed.length} orders`;
    if (others.length > 0 || !command) return [violation('a checkout happens once', told, orderId)];
    const delivery = facts.delivery(facts.listener('orders-commands'), command);
    if (placed.length === 0 && delivery !== 'processed' && delivery !== 'missing') return [];
    const [order] = placed;
    const right = placed.length === 1 && order.customerId === customerId && textOf(order.lines) === textOf(lines);
    return right ? [] : [violation('a checkout becomes one order with its lines', told, orderId)];
  });
  const unasked = [...facts.orders].flatMap(([orderId, [first]]) =>
    first?.actor === 'service:orders' && !facts.checkouts.has(orderId)
      ? [violation('an order that a service placed is a checkout', orderId, orderId)]
      : [],
  );
  const answered = facts.orderly.answered.flatMap(({ path, reply, as }) => {
    const orderId = String(reply.body.orderId);
    const isMissing = path === '/basket/checkout' && reply.status === 202 && !facts.checkouts.has(orderId);
    return isMissing ? [violation('an acknowledged checkout is committed', `${orderId} of ${as}`, orderId)] : [];
  });
  const marked = new Set(
    writtenBaskets(facts).flatMap(({ events }) =>
      events.flatMap(({ type, data }) => (type === 'BasketCheckedOut' ? [data.orderId] : [])),
    ),
  );
  const unmarked = [...facts.checkouts.keys()]
    .filter((orderId) => !marked.has(orderId))
    .map((orderId) => violation('a checkout marks the lines of its basket', orderId, orderId));
  return [...missing, ...unasked, ...answered, ...unmarked, ...linesAreOrderedOnce(facts)];
};

/** A line is ordered once, unless its customer sets it again. */
const linesAreOrderedOnce: Check = (facts) => {
  const ordering = new Map<string, string>();
  return writtenBaskets(facts).flatMap(({ customer, events }) =>
    events.flatMap(({ type, data }) => {
      if (type === 'BasketItemSet' || type === 'BasketItemRemoved') ordering.delete(`${customer} ${data.sku}`);
      if (type !== 'BasketCheckedOut') return [];
      return data.skus.flatMap((sku) => {
        const earlier = ordering.get(`${customer} ${sku}`);
        ordering.set(`${customer} ${sku}`, data.orderId);
        const told = `${customer} ${sku}: ${earlier} and ${data.orderId}`;
        return earlier === undefined ? [] : [violation('no line of a basket is ordered twice', told, data.orderId)];
      });
    }),
  );
};

/** The lines of an order leave the basket once the order is placed, and others stay. */
const ordersLeaveTheirBasket: Check = (facts) => {
  const listener = facts.listener('baskets-orders');
  const isDone = (orderId: string) =>
    (facts.orders.get(orderId) ?? [])
      .flatMap(({ events }) => events)
      .some((event) => event.type === 'OrderPlaced' && facts.delivery(listener, event) === 'processed');
  const left = [...facts.baskets].flatMap(([customer, { lines }]) =>
    lines.flatMap(({ sku, checkedOut }) =>
      checkedOut !== undefined && isDone(checkedOut)
        ? [violation('an ordered line leaves its basket', `${customer} ${sku} ${checkedOut}`, checkedOut)]
        : [],
    ),
  );
  const ordering = new Map<string, string>();
  const lost = writtenBaskets(facts).flatMap(({ customer, events }) =>
    events.flatMap(({ type, data }) => {
      if (type === 'BasketItemSet') ordering.delete(`${customer} ${data.sku}`);
      if (type === 'BasketCheckedOut') for (const sku of data.skus) ordering.set(`${customer} ${sku}`, data.orderId);
      if (type !== 'BasketEmptied') return [];
      return data.skus
        .filter((sku) => ordering.get(`${customer} ${sku}`) !== data.orderId)
        .map((sku) => violation('a line that was changed meanwhile stays', `${customer} ${sku}`, data.orderId));
    }),
  );
  return [...left, ...lost];
};
