import { Orchestrator } from '@orderly/kit/saga/orchestrator';
import type { Timers } from '@orderly/kit/timers';
import { createOrderSaga } from './domain/create-order.js';
import type { CreateOrderStore } from './saga-aggregate.js';
import type { CreateOrder, createOrderContract } from './saga-contract.js';

/** Returns the orchestrator of the orders' sagas, over the store and the timers that an entry point binds. */
export const createOrderOrchestrator = (
  store: CreateOrderStore,
  timers: Timers<typeof createOrderContract>,
): Orchestrator<CreateOrder> =>
  new Orchestrator<CreateOrder>({
    saga: createOrderSaga,
    store,
    aggregate: store.aggregate,
    table: store.table,
    timers,
  });
