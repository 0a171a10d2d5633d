import { Env, requireEnv } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { loadAsOf, waitWhilePending } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { isWorthWaiting, retryHeaders } from './decision-wait.js';
import { parseOrderId, requireVisible } from './order-store.js';
import { getOrder } from './routes.js';

const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();
const table = requireEnv(Env.RECORDS);

/**
 * GET /orders/{orderId}: the current order, or the order at an earlier time or version; strongly consistent. It may wait for the decision
 * on the current order, and the caller's right to see it is checked before the wait.
 */
export const handler = endpoint(getOrder, async (request) => {
  const { caller, query, parameter } = request;
  const orderId = parseOrderId(parameter('orderId'));
  const read = () => loadAsOf(orderStore, orderId, query);
  const first = await read();
  if (query.at !== undefined || query.version !== undefined)
    return { status: 200, body: await viewForCaller(personalKeys, caller, first) };
  requireVisible(caller, first);
  const { value, headers } = await waitWhilePending(request, {
    table,
    first,
    read,
    isPending: (loaded) => isWorthWaiting(requireVisible(caller, loaded)),
  });
  const body = await viewForCaller(personalKeys, caller, value);
  return { status: 200, body, headers: { ...retryHeaders(body), ...headers } };
});
