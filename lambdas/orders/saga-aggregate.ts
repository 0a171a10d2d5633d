import type { StoreOf } from '@orderly/kit/event-store';
import { sagaEvolution } from '@orderly/kit/saga';
import { CREATE_ORDER_SAGA } from './keys.js';
import { type CreateOrder, createOrderContract } from './saga-contract.js';

/** Sagas of orders; the id is the order's. They have a file of their own, so that routes don't bundle the saga. */
export const createOrderSagas = {
  aggregate: CREATE_ORDER_SAGA,
  contract: createOrderContract,
  decider: sagaEvolution<CreateOrder>(),
};

/**
 * Event store of the orders' sagas. It shares the service's table with the orders, so an order and its saga change in
 * one transaction.
 */
export type CreateOrderStore = StoreOf<typeof createOrderSagas>;
