import { DynamoDbEventStore } from '../../patterns/event-store/dynamodb-event-store.js';
import { Orchestrator } from '../../patterns/saga/orchestrator.js';
import { evolve, initialState, type SagaState } from '../../patterns/saga/state.js';
import { Timers } from '../../patterns/timers/timers.js';
import { Env } from '../../platform/environment.js';
import { feedShards, required, requiredInteger } from '../../platform/read-environment.js';
import { CREATE_ORDER_SAGA } from './contract.js';
import { createOrderSaga } from './domain/create-order.js';
import { type CreateOrder, type CreateOrderEvent, createOrderContract } from './saga-contract.js';

const table = required(Env.TABLE);

/** Sagas of orders, in the service's own table: so an order and its saga change in one transaction. */
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
    table: required(Env.RECORDS),
    consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
    contract: createOrderContract,
  }),
});
