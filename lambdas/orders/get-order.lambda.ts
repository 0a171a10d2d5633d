import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { loadAsOf } from '@orderly/kit/http';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { shownTo } from './customer-data-keys.js';
import { orderIdOf } from './order-store.js';
import { getOrder } from './routes.js';

const orderStore = eventStoreOfFunction(orders);
const people = personalKeysOfFunction();

/** GET /orders/{orderId}: the current order, or the order at an earlier time or version; strongly consistent. */
export const handler = endpoint(getOrder, async ({ caller, query, parameter }) => {
  const loaded = await loadAsOf(orderStore, orderIdOf(parameter('orderId')), query);
  return { status: 200, body: await shownTo(people, caller, loaded) };
});
