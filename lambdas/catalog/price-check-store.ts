import { Env } from '../../packages/kit/aws/environment.js';
import { feedShards, required } from '../../packages/kit/aws/read-environment.js';
import { DynamoDbEventStore } from '../../packages/kit/event-store/dynamodb-event-store.js';
import { catalogContract, type PriceCheckEvent } from './contract.js';
import { evolve, initialState, type PriceCheck } from './domain/price-check.js';

/**
 * What was answered to each order, in the service's own table. Event-sourced, so kept for ever: an operator may let a saga
 * go on weeks later, and its step has to get the answer that it got.
 */
export const priceCheckStore = new DynamoDbEventStore<PriceCheck, PriceCheckEvent>(
  { table: required(Env.TABLE), aggregate: 'PriceCheck', contract: catalogContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);
