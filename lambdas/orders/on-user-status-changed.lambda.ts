import { requireEnv, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { inbox } from '@orderly/kit/inbox';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { onUserStatusChanged } from './on-user-status-changed.js';
import { createOrdersList } from './order-list.js';
import { createReviews } from './reviews.js';

const orderStore = eventStoreFromEnvironment(orders);
const list = createOrdersList(orderStore);
const rules = JSON.parse(requireEnv(OrdersEnv.REVIEW_RULES));
const personalKeys = personalKeysFromEnvironment();
const reviews = createReviews(orderStore, tableFromEnvironment(), list, rules, personalKeys);

/** Reviews the orders of suspect and blocked users, and releases those of users who are active again. */
export const handler = inbox([onUserStatusChanged({ reviews, list })], {
  isRefusal: (error) => error instanceof OrderRefused,
  personalKeys,
});
