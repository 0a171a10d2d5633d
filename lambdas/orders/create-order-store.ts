import { Env, feedShards, required, requiredInteger } from '@orderly/kit/aws';
import { DynamoDbEventStore } from '@orderly/kit/event-store';
import { evolve, initialState, type SagaState } from '@orderly/kit/saga';
import { Orchestrator } from '@orderly/kit/saga/orchestrator';
import { Timers } from '@orderly/kit/timers';
import { CREATE_ORDER_SAGA } from './contract.js';
import { createOrderSaga } from './domain/create-order.js';
import { type CreateOrder, type CreateOrderEvent, createOrderContract } from './saga-contract.js';

const table = required(Env.TABLE);

/**
 * Event store of the orders' sagas. It shares the service's table with the orders, so an order and its saga change in
 * one transaction.
 */
export const createOrderStore = new DynamoDbEventStore<SagaState<CreateOrder>, CreateOrderEvent>(
  { table, aggregate: CREATE_ORDER_SAGA, contract: createOrderContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 1 },
);

export const createOrderOrchestrator = new Orchestrator<CreateOrder>({
  saga: createOrderSaga,
  store: createOrderStore,
  aggregate: CREATE_ORDER_SAGA,
  table,
  timers: new Timers({
    app: required(Env.APP),
    table: required(Env.RECORDS),
    consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
    contract: createOrderContract,
  }),
});
