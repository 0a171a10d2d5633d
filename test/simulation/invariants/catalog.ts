import type { CatalogCommand, PriceCheckEvent, ProductEvent } from '../../../lambdas/catalog/contract.js';
import { evolve, initialState, type Product } from '../../../lambdas/catalog/domain/product.js';
import type { Commit, Facts } from '../support/facts.js';
import { type Check, violation } from './violation.js';

/** Invariants of products and of price checks, despite duplicates, delays and concurrency. */
export const catalog: Check = (facts) => [
  ...productsAreTheirEvents(facts),
  ...pricesAreSet(facts),
  ...answersAgree(facts),
  ...answersWereTrue(facts),
];

/** A product after one write. */
interface Written {
  readonly sku: string;
  readonly at: number;
  readonly state: { readonly version: number; readonly name: string; readonly unitPrice: { readonly amount: number } };
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
  commits.flatMap(({ events }) => events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as Event));

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
      JSON.stringify(state.unitPrice) === JSON.stringify(product.unitPrice);
    const told = `${sku}: ${JSON.stringify(state)}, by events ${version} ${JSON.stringify(product)}`;
    return right ? [] : [violation('a product is what its events tell', told, sku)];
  });
};

/** G1: an acknowledged price was written. */
const pricesAreSet: Check = (facts) => {
  const written = writtenProducts(facts);
  return facts.orderly.answered.flatMap(({ method, path, body, reply }) => {
    if (method !== 'PUT' || !path.startsWith('/products/') || reply.status !== 200) return [];
    const sku = path.slice('/products/'.length);
    const { amount } = (body as { unitPrice: { amount: number } }).unitPrice;
    const isSet = written.some((one) => one.sku === sku && one.state.unitPrice.amount === amount);
    return isSet ? [] : [violation('an acknowledged price is committed', `${sku} ${amount}`, sku)];
  });
};

interface Asked {
  readonly id: string;
  readonly time: number;
  readonly data: CatalogCommand['data'];
}

const asked = ({ published }: Facts): readonly Asked[] =>
  [...published].flatMap(([id, { detail }]) => {
    const { to, data, time } = detail as { to?: string; data: CatalogCommand['data']; time: string };
    return to === 'catalog' ? [{ id, data, time: Date.parse(time) }] : [];
  });

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
  const prices = writtenProducts(facts);
  return facts.writes.flatMap(({ at, changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('PriceCheck#') || after?.sk !== 'COMMIT#0000000001') return [];
      const commit = after as unknown as Commit;
      const [event] = eventsOf<PriceCheckEvent>([commit]);
      const question = asked(facts).find(({ id }) => id === commit.trigger);
      if (!event || !question) return [violation('a price check has a question', commit.pk, commit.pk)];
      const wrong = question.data.lines.filter(({ sku, unitPrice }) => {
        const before = prices.filter((one) => one.sku === sku && one.at < question.time).at(-1);
        const meanwhile = prices.filter((one) => one.sku === sku && one.at >= question.time && one.at <= at);
        const amounts = [before, ...meanwhile].map((one) => one?.state.unitPrice.amount);
        return !amounts.some((amount) => isFoundBy(event, sku, amount, unitPrice.amount));
      });
      const told = `${commit.pk} ${outcomeOf(event)}: ${JSON.stringify(wrong)}`;
      return wrong.length === 0 ? [] : [violation('what is said of a price was so', told, commit.pk)];
    }),
  );
};

/** Checks whether an answer fits a product with this price, or a missing product. */
function isFoundBy(event: PriceCheckEvent, sku: string, amount: number | undefined, wanted: number): boolean {
  if (event.type !== 'PricesRefused') return amount === wanted;
  const { reason, skus } = event.data;
  if (reason === 'UNKNOWN_PRODUCT') return skus.includes(sku) === (amount === undefined);
  return amount !== undefined && skus.includes(sku) === (amount !== wanted);
}
