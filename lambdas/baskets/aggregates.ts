import type { StoreOf } from '@orderly/kit/event-store';
import { basketsContract } from './contract.js';
import { checkoutDecider } from './domain/checkout.js';
import { BASKET, CHECKOUT, PRICE_ROLLOUT } from './keys.js';

/** Baskets, state-stored; the id is the customer's. */
export const baskets = { aggregate: BASKET, contract: basketsContract };

/** Rollouts of prices to baskets. They have commits, which send the command for the next page, and no state. */
export const priceRollouts = { aggregate: PRICE_ROLLOUT, contract: basketsContract };

/**
 * Checkouts of baskets; the id is the order's, derived from the request's key. They are event-sourced and kept for ever,
 * so a repeat of a checkout is recognised for ever.
 */
export const checkouts = { aggregate: CHECKOUT, contract: basketsContract, decider: checkoutDecider };
export type CheckoutStore = StoreOf<typeof checkouts>;
