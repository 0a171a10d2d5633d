import type { Money } from '../../orders/contract.js';
import type { ProductEvent } from '../contract.js';

/** What is sold under one SKU; nothing as long as nobody has added it. */
export type Product = { readonly name: string; readonly unitPrice: Money } | undefined;

export interface SetProduct {
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: Money;
}

export const initialState: Product = undefined;

/** Which events follow; none where it is so already. Each says the whole product as it is after it. */
export function decide(product: Product, { sku, name, unitPrice }: SetProduct): readonly ProductEvent[] {
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

/** Total: any event in any state. */
export const evolve = (_: Product, { data: { name, unitPrice } }: ProductEvent): Product => ({ name, unitPrice });

/** Amount and currency: ten dollars are not ten euros. */
export const samePrice = (one: Money, other: Money): boolean =>
  one.amount === other.amount && one.currency === other.currency;
