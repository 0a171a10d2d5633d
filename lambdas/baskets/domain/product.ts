import type { Money } from '../../orders/contract.js';

/** A product of the catalogue, as the newest of its events that arrived here tells it. */
export interface Product {
  readonly sku: string;
  readonly unitPrice: Money;
  /** Present if it is not sold any more. */
  readonly discontinued?: true;
  /** As {@link productVersionOf} computes it. */
  readonly version: number;
}

/** Above every version of an aggregate, which has at most ten digits. */
const EPOCH = 10_000_000_000;

/**
 * Returns the position of a product's event among all of its events, as one number. After the catalogue was restored
 * from a backup, its versions may repeat earlier ones; its epoch is higher then.
 */
export const productVersionOf = ({ epoch, sequence }: { readonly epoch: number; readonly sequence: number }): number =>
  epoch * EPOCH + sequence;

/** Compares amount and currency: ten dollars are not ten euros. */
export const samePrice = (one: Money, other: Money): boolean =>
  one.amount === other.amount && one.currency === other.currency;
