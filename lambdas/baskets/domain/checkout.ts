import type { Decider } from '@orderly/kit/decider';
import { MAX_FREE_QUANTITY, type OrderLine } from '../../orders/contract.js';
import type { CheckoutEvent } from '../contract.js';
import { type Basket, type Facts, selectOrderable } from './basket.js';

/** A checkout, which makes an order of a basket's lines. It never changes. */
export type Checkout =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'REQUESTED';
      readonly orderId: string;
      readonly customerId: string;
      readonly lines: readonly OrderLine[];
    };

export interface RequestCheckout {
  readonly orderId: string;
  readonly customerId: string;
  readonly lines: readonly OrderLine[];
}

/** Rules of a checkout. */
export const checkoutDecider: Decider<Checkout, RequestCheckout, CheckoutEvent> = {
  initialState: { status: 'NONE' },
  evolve: (_, { data }) => ({ status: 'REQUESTED', ...data }),
  decide: (checkout, { lines, ...ids }) =>
    checkout.status === 'NONE' ? [{ type: 'CheckoutRequested', data: { ...ids, lines: [...lines] } }] : [],
  stateSchema: 1,
};

/** Reason why a basket can't be ordered, and the places of its lines that are about. */
export interface Obstacle {
  readonly code: 'BASKET_EMPTY' | 'PRODUCT_DISCONTINUED' | 'NOT_ORDERABLE';
  /** Describes the expected value of each line at fault. */
  readonly faults: readonly { readonly at: number; readonly detail: string }[];
}

/**
 * Returns why the basket can't be ordered, if so. An order with the lines of a basket that passes breaks no rule of
 * orders' `POST /orders` but the limits of its customer.
 */
export function findObstacle({ lines }: Basket, { products }: Facts): Obstacle | undefined {
  const ordered = selectOrderable(lines);
  const [first] = ordered;
  if (!first) return { code: 'BASKET_EMPTY', faults: [] };
  const findFaults = (detail: string, isWrong: (line: OrderLine) => boolean) =>
    ordered.filter(isWrong).map((line) => ({ at: lines.indexOf(line), detail }));
  const discontinued = findFaults(
    'expected a product that is sold',
    ({ sku }) => products.get(sku)?.discontinued === true,
  );
  if (discontinued.length > 0) return { code: 'PRODUCT_DISCONTINUED', faults: discontinued };
  const { currency } = first.unitPrice;
  const total = ordered.reduce((sum, line) => sum + BigInt(line.quantity) * BigInt(line.unitPrice.amount), 0n);
  const faults = [
    ...findFaults(
      `expected a price in ${currency}: an order has one currency`,
      (line) => line.unitPrice.currency !== currency,
    ),
    ...findFaults(
      `expected at most ${MAX_FREE_QUANTITY} for a line with unit price 0`,
      ({ unitPrice, quantity }) => unitPrice.amount === 0 && quantity > MAX_FREE_QUANTITY,
    ),
    ...(total > Number.MAX_SAFE_INTEGER
      ? findFaults('expected fewer pieces: the total is above 2^53-1', () => true)
      : []),
  ];
  return faults.length > 0 ? { code: 'NOT_ORDERABLE', faults } : undefined;
}

/** Returns the lines of the order that a checkout of this basket makes. */
export const toOrderLines = ({ lines }: Basket): readonly OrderLine[] =>
  selectOrderable(lines).map(({ sku, quantity, unitPrice: { amount, currency } }) => ({
    sku,
    quantity,
    unitPrice: { amount, currency },
  }));
