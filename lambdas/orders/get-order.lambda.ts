import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { loadAsOf } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { parseOrderId } from './order-store.js';
import { getOrder } from './routes.js';

const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();

/** GET /orders/{orderId}: the current order, or the order at an earlier time or version; strongly consistent. */
export const handler = endpoint(getOrder, async ({ caller, query, parameter }) => {
  const loaded = await loadAsOf(orderStore, parseOrderId(parameter('orderId')), query);
  return { status: 200, body: await viewForCaller(personalKeys, caller, loaded) };
});
