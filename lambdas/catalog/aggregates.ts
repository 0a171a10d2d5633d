import type { StoreOf } from '@orderly/kit/event-store';
import { catalogContract } from './contract.js';
import { priceCheckDecider } from './domain/price-check.js';
import { PRICE_CHECK, PRODUCT } from './keys.js';

/** Products, state-stored; the id is the SKU. */
export const products = { aggregate: PRODUCT, contract: catalogContract };

/**
 * Answers to orders' price checks; the id is the order's. They are event-sourced and kept forever: an operator may
 * continue a saga weeks later, and its step has to get the same answer again.
 */
export const priceChecks = { aggregate: PRICE_CHECK, contract: catalogContract, decider: priceCheckDecider };
export type PriceCheckStore = StoreOf<typeof priceChecks>;
