import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { readHistoryPage } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openEvents, personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { ordersContract } from './contract.js';
import { ORDER } from './keys.js';
import { parseOrderId, requireVisible } from './order-store.js';
import { redactHistory } from './reader.js';
import { orderHistory } from './routes.js';

const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();

/** GET /orders/{orderId}/history: all events of the order, oldest first. */
export const handler = endpoint(orderHistory, async ({ caller, query, parameter }) => {
  const id = parseOrderId(parameter('orderId'));
  requireVisible(caller, await orderStore.load(id));
  const page = await readHistoryPage(orderStore, id, `history of ${id}`, query, caller);
  const entries = redactHistory(caller, page.items);
  const items = await openEvents(personalKeys, ordersContract, aggregateKey(ORDER, id), entries);
  return { status: 200, body: { ...page, items } };
});
