import type { Money } from '../../orders/contract.js';

/** A product of the catalogue, as the newest of its events that arrived here tells it. */
export interface Product {
  readonly sku: string;
  readonly unitPrice: Money;
  /** Present if it is not sold any more. */
  readonly discontinued?: true;
  /** Ordinal of that event (`toOrdinal` of the kit): after a restore of the catalogue, its versions repeat earlier ones. */
  readonly version: number;
}

/** Compares amount and currency: ten dollars are not ten euros. */
export const isSamePrice = (one: Money, other: Money): boolean =>
  one.amount === other.amount && one.currency === other.currency;
