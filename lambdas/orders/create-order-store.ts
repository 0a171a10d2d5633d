import { Env, required, requiredInteger } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { Orchestrator } from '@orderly/kit/saga/orchestrator';
import { Timers } from '@orderly/kit/timers';
import { createOrderSaga } from './domain/create-order.js';
import { createOrderSagas } from './saga-aggregate.js';
import { type CreateOrder, createOrderContract } from './saga-contract.js';

/**
 * Event store of the orders' sagas. It shares the service's table with the orders, so an order and its saga change in
 * one transaction.
 */
export const createOrderStore = eventStoreOfFunction(createOrderSagas);

export const createOrderOrchestrator = new Orchestrator<CreateOrder>({
  saga: createOrderSaga,
  store: createOrderStore,
  aggregate: createOrderStore.aggregate,
  table: createOrderStore.table,
  timers: new Timers({
    app: required(Env.APP),
    table: required(Env.RECORDS),
    consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
    contract: createOrderContract,
  }),
});
