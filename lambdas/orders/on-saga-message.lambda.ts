import { Env, required, requiredInteger, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { SagaRefused } from '@orderly/kit/saga';
import { Timers } from '@orderly/kit/timers';
import { orders } from './aggregates.js';
import { createOrderOrchestrator } from './create-order-orchestrator.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { onSagaMessage } from './on-saga-message.js';
import { ordersListOf } from './order-list.js';
import { reviewsOf } from './reviews.js';
import { createOrderSagas } from './saga-aggregate.js';
import { createOrderContract } from './saga-contract.js';

const timers = new Timers({
  app: required(Env.APP),
  table: required(Env.RECORDS),
  consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
  contract: createOrderContract,
});
const orderStore = eventStoreOfFunction(orders);
const rules = JSON.parse(required(OrdersEnv.REVIEW_RULES));
const people = personalKeysOfFunction();
const context = {
  orderStore,
  reviews: reviewsOf(orderStore, tableOfFunction(), ordersListOf(orderStore), rules, people),
  orchestrator: createOrderOrchestrator(eventStoreOfFunction(createOrderSagas), timers),
};

/** Handles every message to an order's saga. */
export const handler = consumer(onSagaMessage(context), {
  isRefusal: (error) => error instanceof SagaRefused || error instanceof OrderRefused,
  people,
});
