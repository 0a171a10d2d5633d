import type { Decider } from '@orderly/kit/decider';
import type { Money } from '../../orders/contract.js';
import type { ProductEvent } from '../contract.js';

/** A product that is sold under one SKU; `undefined` until an operator adds it. */
export type Product = { readonly name: string; readonly unitPrice: Money } | undefined;

export interface SetProduct {
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: Money;
}

export const initialState: Product = undefined;

/** Returns the events that follow; none if nothing changes. Each event contains the whole product after the change. */
function decide(product: Product, { sku, name, unitPrice }: SetProduct): readonly ProductEvent[] {
  if (!product) return [{ type: 'ProductAdded', data: { sku, name, unitPrice } }];
  const { name: oldName, unitPrice: oldUnitPrice } = product;
  const events: ProductEvent[] = [];
  if (name !== oldName) {
    events.push({ type: 'ProductRenamed', data: { sku, name, unitPrice: oldUnitPrice, oldName } });
  }
  if (!samePrice(unitPrice, oldUnitPrice)) {
    events.push({ type: 'ProductPriceChanged', data: { sku, name, unitPrice, oldUnitPrice } });
  }
  return events;
}

/** Folds an event into a state. It is total: it accepts any event in any state. */
export const evolve = (_: Product, { data: { name, unitPrice } }: ProductEvent): Product => ({ name, unitPrice });

/** Rules of a product. */
export const productDecider: Decider<Product, SetProduct, ProductEvent> = {
  initialState,
  evolve,
  decide,
  stateSchema: 1,
};

/** Compares amount and currency: ten dollars are not ten euros. */
export const samePrice = (one: Money, other: Money): boolean =>
  one.amount === other.amount && one.currency === other.currency;
