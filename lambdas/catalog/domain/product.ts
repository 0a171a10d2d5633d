import type { Decider } from '@orderly/kit/decider';
import type { Money } from '../../orders/contract.js';
import type { ProductEvent } from '../contract.js';

/** A product under one SKU; `undefined` until an operator adds it. */
export type Product =
  | {
      readonly name: string;
      readonly unitPrice: Money;
      /** Present if it is not sold any more. */
      readonly discontinued?: true;
    }
  | undefined;

/** The whole product: without `discontinued`, it is sold. */
export interface SetProduct {
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: Money;
  readonly discontinued?: boolean;
}

export const initialState: Product = undefined;

/**
 * Returns the events that follow; none if nothing changes. Each event contains the whole product after it, so events of
 * one command build on one another.
 */
function decide(product: Product, { sku, name, unitPrice, discontinued = false }: SetProduct): readonly ProductEvent[] {
  const before = product ?? { name, unitPrice };
  const events: ProductEvent[] = product ? [] : [{ type: 'ProductAdded', data: { sku, name, unitPrice } }];
  const was = before.discontinued ? { discontinued: before.discontinued } : {};
  const { name: oldName, unitPrice: oldUnitPrice } = before;
  if (name !== oldName) {
    events.push({ type: 'ProductRenamed', data: { sku, name, unitPrice: oldUnitPrice, ...was, oldName } });
  }
  if (!isSamePrice(unitPrice, oldUnitPrice)) {
    events.push({ type: 'ProductPriceChanged', data: { sku, name, unitPrice, ...was, oldUnitPrice } });
  }
  if (discontinued && !before.discontinued) {
    events.push({ type: 'ProductDiscontinued', data: { sku, name, unitPrice, discontinued } });
  }
  if (!discontinued && before.discontinued) {
    events.push({ type: 'ProductResumed', data: { sku, name, unitPrice } });
  }
  return events;
}

/** Folds an event into a state. It is total: it accepts any event in any state. */
export const evolve = (_: Product, { data: { name, unitPrice, discontinued } }: ProductEvent): Product => ({
  name,
  unitPrice,
  ...(discontinued ? { discontinued } : {}),
});

/** Rules of a product. */
export const productDecider: Decider<Product, SetProduct, ProductEvent> = {
  initialState,
  evolve,
  decide,
  stateSchema: 1,
};

/** Compares amount and currency: ten dollars are not ten euros. */
export const isSamePrice = (one: Money, other: Money): boolean =>
  one.amount === other.amount && one.currency === other.currency;
