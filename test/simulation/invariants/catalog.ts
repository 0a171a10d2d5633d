import {
  type CatalogCommand,
  catalogContract,
  type PriceCheckEvent,
  type ProductEvent,
} from '../../../lambdas/catalog/contract.js';
import { evolve, initialState, type Product } from '../../../lambdas/catalog/domain/product.js';
import { type Commit, type Facts, parseEvent } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Invariants of products and of price checks, despite duplicates, delays and concurrency. */
export const catalog: Check = (facts) => [
  ...productsAreTheirEvents(facts),
  ...pricesAreSet(facts),
  ...answersAgree(facts),
  ...answersWereTrue(facts),
  ...approvedWhatWasSold(facts),
];

/** A product after one write. */
interface Written {
  readonly sku: string;
  readonly at: number;
  readonly state: {
    readonly version: number;
    readonly name: string;
    readonly unitPrice: { readonly amount: number };
    readonly discontinued?: true;
  };
  readonly events: readonly ProductEvent[];
}

/** Returns each write of a product, in their order; commits of old products may have expired. */
const writtenProducts = ({ writes }: Facts): readonly Written[] =>
  writes.flatMap(({ at, changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('Product#') || after?.sk !== 'STATE') return [];
      const commit = changes.find((change) => change.after?.pk === after.pk && change.after?.sk !== 'STATE')?.after;
      const state = after as unknown as Written['state'];
      const sku = String(after.pk).slice('Product#'.length);
      return [{ sku, at, state, events: commit ? eventsOf<ProductEvent>([commit as unknown as Commit]) : [] }];
    }),
  );

const eventsOf = <Event>(commits: readonly Commit[]): readonly Event[] =>
  commits.flatMap(({ events }) => events.map((event) => parseEvent(catalogContract, event) as Event));

/** After each write a product equals the fold of its events, and its version is their number. */
const productsAreTheirEvents: Check = (facts) => {
  const known = new Map<string, { readonly product: Product; readonly version: number }>();
  return writtenProducts(facts).flatMap(({ sku, state, events }) => {
    const before = known.get(sku) ?? { product: initialState, version: 0 };
    const product = events.reduce<Product>(evolve, before.product);
    const version = before.version + events.length;
    known.set(sku, { product, version });
    const right =
      events.length > 0 &&
      state.version === version &&
      state.name === product?.name &&
      state.discontinued === product.discontinued &&
      JSON.stringify(state.unitPrice) === JSON.stringify(product.unitPrice);
    const told = `${sku}: ${JSON.stringify(state)}, by events ${version} ${JSON.stringify(product)}`;
    return right ? [] : [violation('a product equals its events, folded', told, sku)];
  });
};

/** G1: an acknowledged price was written, and so was whether the product is sold. */
const pricesAreSet: Check = (facts) => {
  const written = writtenProducts(facts);
  return facts.orderly.answered.flatMap(({ method, path, body, reply }) => {
    if (method !== 'PUT' || !path.startsWith('/products/') || reply.status !== 200) return [];
    const sku = path.slice('/products/'.length);
    const { unitPrice, discontinued = false } = body as { unitPrice: { amount: number }; discontinued?: boolean };
    const isSet = written.some(
      ({ sku: one, state }) =>
        one === sku && state.unitPrice.amount === unitPrice.amount && (state.discontinued ?? false) === discontinued,
    );
    const told = `${sku} ${unitPrice.amount}${discontinued ? ', discontinued' : ''}`;
    return isSet ? [] : [violation('an acknowledged price is committed', told, sku)];
  });
};

interface Asked {
  readonly id: string;
  /** When it was written: a saga's clock may be fast. */
  readonly time: number;
  readonly data: CatalogCommand['data'];
}

function asked({ published, writes }: Facts): readonly Asked[] {
  const written = new Map<string, number>();
  for (const { at, changes } of writes) {
    for (const { after } of changes)
      for (const { id } of (after as Partial<Commit>)?.commands ?? []) written.set(id, at);
  }
  return [...published].flatMap(([id, { detail }]) => {
    const { to, data, time } = detail as { to?: string; data: CatalogCommand['data']; time: string };
    return to === 'catalog' ? [{ id, data, time: written.get(id) ?? Date.parse(time) }] : [];
  });
}

/** Returns the outcome of an answer, whichever event contains it. */
const outcomeOf = ({ type, data }: PriceCheckEvent): string => {
  if (type === 'PricesConfirmed' || (type === 'SagaReplyRequested' && data.outcome === 'DONE')) return 'DONE';
  return `REFUSED ${data.reason} ${data.skus?.join(' ')}`;
};

/** A step has only one answer, whatever happens to the prices; and the answer is published as a fact once. */
const answersAgree: Check = ({ priceChecks }) =>
  [...priceChecks].flatMap(([id, commits]) => {
    const events = eventsOf<PriceCheckEvent>(commits);
    const facts = events.filter(({ type }) => type !== 'SagaReplyRequested').length;
    const right = facts === 1 && new Set(events.map(outcomeOf)).size === 1;
    const told = `${id}: ${events.map((event) => `${event.type} ${outcomeOf(event)}`).join(', ')}`;
    return right ? [] : [violation('all answers about an order agree', told, id)];
  });

/** The first answer was true at some moment between the request and the answer. */
const answersWereTrue: Check = (facts) => {
  const products = writtenProducts(facts);
  const questions = asked(facts);
  return facts.writes.flatMap(({ at, changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('PriceCheck#') || after?.sk !== 'COMMIT#0000000001') return [];
      const commit = after as unknown as Commit;
      const [event] = eventsOf<PriceCheckEvent>([commit]);
      const question = questions.find(({ id }) => id === commit.trigger);
      if (!event || !question) return [violation('a price check answers a command', commit.pk, commit.pk)];
      const wrong = question.data.lines.filter(({ sku, unitPrice }) => {
        const found = statesBetween(products, sku, question.time, at);
        return !found.some((state) => isFoundBy(event, sku, state, unitPrice.amount));
      });
      const told = `${commit.pk} ${outcomeOf(event)}: ${JSON.stringify(wrong)}`;
      return wrong.length === 0
        ? []
        : [violation('a price check was true at a moment since it was asked', told, commit.pk)];
    }),
  );
};

/** Returns what a product was at any moment from one time to another; `undefined` for before it was added. */
function statesBetween(
  products: readonly Written[],
  sku: string,
  from: number,
  to: number,
): readonly (Written['state'] | undefined)[] {
  const own = products.filter((one) => one.sku === sku);
  const before = own.findLast(({ at }) => at < from);
  return [before, ...own.filter(({ at }) => at >= from && at <= to)].map((one) => one?.state);
}

/** Checks whether an answer fits a product in this state, or a missing product. */
function isFoundBy(event: PriceCheckEvent, sku: string, state: Written['state'] | undefined, wanted: number): boolean {
  const isAtPrice = state?.unitPrice.amount === wanted;
  const isSold = state !== undefined && !state.discontinued;
  if (event.type !== 'PricesRefused') return isSold && isAtPrice;
  const { reason, skus } = event.data;
  const isNamed = skus.includes(sku);
  switch (reason) {
    case 'UNKNOWN_PRODUCT':
      return isNamed === (state === undefined);
    case 'PRODUCT_DISCONTINUED':
      return state !== undefined && isNamed === !isSold;
    case 'PRICE_CHANGED':
      return isSold && isNamed === !isAtPrice;
  }
}

/**
 * No order is approved whose product was discontinued before the order was placed and until it was approved. A product
 * that is discontinued, or sold again, in between races with the order's price check, so either end is right.
 */
const approvedWhatWasSold: Check = (facts) => {
  const products = writtenProducts(facts);
  const placed = new Map<string, number>();
  return facts.writes.flatMap(({ at, changes }) =>
    changes.flatMap(({ after }) => {
      const [aggregate, id = ''] = String(after?.pk).split('#');
      if (aggregate !== 'Order') return [];
      const types = (after as unknown as Commit).events.map(({ type }) => type);
      if (types.includes('OrderPlaced')) placed.set(id, at);
      if (!types.includes('OrderApproved')) return [];
      const wrong = (facts.order(id)?.lines ?? []).filter(({ sku, unitPrice }) =>
        statesBetween(products, sku, placed.get(id) ?? at, at).every(
          (state) => state === undefined || state.discontinued || state.unitPrice.amount !== unitPrice.amount,
        ),
      );
      if (wrong.length === 0) return [];
      return [violation("an approved order's products were sold at its prices", `${id}: ${JSON.stringify(wrong)}`, id)];
    }),
  );
};
