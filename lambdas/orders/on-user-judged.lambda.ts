import { required, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { inbox } from '@orderly/kit/inbox';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { onUserJudged } from './on-user-judged.js';
import { ordersListOf } from './order-list.js';
import { reviewsOf } from './reviews.js';

const orderStore = eventStoreOfFunction(orders);
const list = ordersListOf(orderStore);
const rules = JSON.parse(required(OrdersEnv.REVIEW_RULES));
const people = personalKeysOfFunction();
const reviews = reviewsOf(orderStore, tableOfFunction(), list, rules, people);

/** Reviews the orders of suspect and blocked users, and releases those of users who are active again. */
export const handler = inbox([onUserJudged({ reviews, list })], {
  isRefusal: (error) => error instanceof OrderRefused,
  people,
});
