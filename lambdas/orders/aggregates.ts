import { sagaEvolution } from '@orderly/kit/saga';
import { CREATE_ORDER_SAGA, ordersContract } from './contract.js';
import { orderDecider } from './domain/order.js';
import { ORDER } from './keys.js';
import { type CreateOrder, createOrderContract } from './saga-contract.js';

export const orders = { aggregate: ORDER, contract: ordersContract, decider: orderDecider };

/** Sagas of orders; the id is the order's. */
export const createOrderSagas = {
  aggregate: CREATE_ORDER_SAGA,
  contract: createOrderContract,
  decider: sagaEvolution<CreateOrder>(),
};
