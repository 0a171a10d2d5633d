import { Env, requireEnv, requireIntegerEnv, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { SagaRefused } from '@orderly/kit/saga';
import { Timers } from '@orderly/kit/timers';
import { orders } from './aggregates.js';
import { createOrderOrchestrator } from './create-order-orchestrator.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { onSagaMessage } from './on-saga-message.js';
import { createOrdersList } from './order-list.js';
import { createReviews } from './reviews.js';
import { createOrderSagas } from './saga-aggregate.js';
import { createOrderContract } from './saga-contract.js';

const timers = new Timers({
  app: requireEnv(Env.APP),
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  contract: createOrderContract,
});
const orderStore = eventStoreFromEnvironment(orders);
const rules = JSON.parse(requireEnv(OrdersEnv.REVIEW_RULES));
const personalKeys = personalKeysFromEnvironment();
const context = {
  orderStore,
  reviews: createReviews(orderStore, tableFromEnvironment(), createOrdersList(orderStore), rules, personalKeys),
  orchestrator: createOrderOrchestrator(eventStoreFromEnvironment(createOrderSagas), timers),
};

/** Handles every message to an order's saga. */
export const handler = consumer(onSagaMessage(context), {
  isRefusal: (error) => error instanceof SagaRefused || error instanceof OrderRefused,
  personalKeys,
});
