import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { type Caller, decodeCursor, encodeCursor, Problem, parseLimit } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { openOrders } from './caller-view.js';
import { toView } from './domain/order.js';
import { createOrdersList, OrderPosition, orderPosition, readOrders } from './order-list.js';
import { ReviewPosition, readOpenReviews } from './review-list.js';
import { listOrders } from './routes.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const ordersList = createOrdersList(orderStore);
const personalKeys = personalKeysFromEnvironment();

interface Query {
  readonly limit?: string;
  readonly cursor?: string;
  readonly customerId?: string;
}

/**
 * GET /orders: a customer's own orders, or for an operator those of `?customerId=`; newest first, eventually
 * consistent. For an operator `?underReview=true` lists the orders under review.
 */
export const handler = endpoint(listOrders, async ({ caller, query }) => {
  if (query.underReview) return listUnderReview(caller, query);
  const customerId = resolveCustomerId(caller, query.customerId);
  const list = `orders of ${customerId}`;
  const limit = parseLimit(query);
  const found = await readOrders(ordersList, customerId, decodeCursor(list, query.cursor, OrderPosition), limit);
  const items = await openOrders(personalKeys, caller, customerId, found.slice(0, limit));
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: encodeCursor(list, orderPosition(last)) } : {}) } };
});

function resolveCustomerId({ id, role }: Caller<Role>, customerId: string | undefined): string {
  if (role === 'customer') {
    if (customerId === undefined || customerId === id) return id;
    throw new Problem('forbidden', 'customers may list only their own orders; customerId is for operators');
  }
  if (customerId !== undefined) return customerId;
  const detail = 'required for operators: the customer whose orders to list; or underReview=true';
  throw new Problem('invalid-request', 'missing customerId', { errors: [{ parameter: 'customerId', detail }] });
}

/** Lists orders under review. The list is exact; an order whose review ended since it was read is left out of its page. */
async function listUnderReview({ role }: Caller<Role>, { customerId, cursor, ...query }: Query) {
  if (role === 'customer') throw new Problem('forbidden', 'underReview is for operators');
  const list = `orders under review of ${customerId ?? 'all customers'}`;
  const limit = parseLimit(query);
  const after = decodeCursor(list, cursor, ReviewPosition);
  const found = await readOpenReviews(table, { userId: customerId, after }, limit + 1);
  const page = found.slice(0, limit);
  const loaded = await Promise.all(page.map(({ orderId }) => orderStore.load(orderId)));
  const items = loaded.flatMap(({ state, version }) => toView(state, version) ?? []);
  const last = page.at(-1);
  return {
    status: 200 as const,
    body: {
      items: items.filter(({ status }) => status === 'UNDER_REVIEW'),
      ...(found.length > limit && last ? { nextCursor: encodeCursor(list, last.position) } : {}),
    },
  };
}
