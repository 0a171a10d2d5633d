import { Env, feedShards, required } from '@orderly/kit/aws';
import { DynamoDbEventStore } from '@orderly/kit/event-store';
import { catalogContract, type PriceCheckEvent } from './contract.js';
import { evolve, initialState, type PriceCheck } from './domain/price-check.js';
import { PRICE_CHECK } from './keys.js';

/**
 * Event store of the answers to orders' price checks, in the service's own table. It is event-sourced and keeps them
 * forever: an operator may continue a saga weeks later, and its step has to get the same answer again.
 */
export const priceCheckStore = new DynamoDbEventStore<PriceCheck, PriceCheckEvent>(
  { table: required(Env.TABLE), aggregate: PRICE_CHECK, contract: catalogContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);
