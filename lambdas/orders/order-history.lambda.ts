import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { historyPage } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openEvents, personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { ordersContract } from './contract.js';
import { ORDER } from './keys.js';
import { orderIdOf, visibleTo } from './order-store.js';
import { historyFor } from './reader.js';
import { orderHistory } from './routes.js';

const orderStore = eventStoreOfFunction(orders);
const people = personalKeysOfFunction();

/** GET /orders/{orderId}/history: all events of the order, oldest first. */
export const handler = endpoint(orderHistory, async ({ caller, query, parameter }) => {
  const id = orderIdOf(parameter('orderId'));
  visibleTo(caller, await orderStore.load(id));
  const page = await historyPage(orderStore, id, `history of ${id}`, query, caller);
  const entries = historyFor(caller, page.items);
  const items = await openEvents(people, ordersContract, aggregateKey(ORDER, id), entries);
  return { status: 200, body: { ...page, items } };
});
