import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { type Caller, cursorOf, limitOf, Problem, positionOf } from '@orderly/kit/http';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { opened } from './customer-data-keys.js';
import { viewOf } from './domain/order.js';
import { OrderPosition, ordersListOf, ordersOf, positionOfOrder } from './order-list.js';
import { openReviews, ReviewPosition } from './review-list.js';
import { listOrders } from './routes.js';

const table = tableOfFunction();
const orderStore = eventStoreOfFunction(orders);
const ordersList = ordersListOf(orderStore);
const people = personalKeysOfFunction();

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
  if (query.underReview) return underReview(caller, query);
  const customerId = whoseOrders(caller, query.customerId);
  const list = `orders of ${customerId}`;
  const limit = limitOf(query);
  const found = await ordersOf(ordersList, customerId, positionOf(list, query.cursor, OrderPosition), limit);
  const items = await opened(people, caller, customerId, found.slice(0, limit));
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: cursorOf(list, positionOfOrder(last)) } : {}) } };
});

function whoseOrders({ id, role }: Caller<Role>, customerId: string | undefined): string {
  if (role === 'customer') {
    if (customerId === undefined || customerId === id) return id;
    throw new Problem('forbidden', 'customers may list only their own orders; customerId is for operators');
  }
  if (customerId !== undefined) return customerId;
  const detail = 'required for operators: the customer whose orders to list; or underReview=true';
  throw new Problem('invalid-request', 'missing customerId', { errors: [{ parameter: 'customerId', detail }] });
}

/** Lists orders under review. The list is exact; an order whose review ended since it was read is left out of its page. */
async function underReview({ role }: Caller<Role>, { customerId, cursor, ...query }: Query) {
  if (role === 'customer') throw new Problem('forbidden', 'underReview is for operators');
  const list = `orders under review of ${customerId ?? 'all customers'}`;
  const limit = limitOf(query);
  const after = positionOf(list, cursor, ReviewPosition);
  const found = await openReviews(table, { userId: customerId, after }, limit + 1);
  const page = found.slice(0, limit);
  const loaded = await Promise.all(page.map(({ orderId }) => orderStore.load(orderId)));
  const items = loaded.flatMap(({ state, version }) => viewOf(state, version) ?? []);
  const last = page.at(-1);
  return {
    status: 200 as const,
    body: {
      items: items.filter(({ status }) => status === 'UNDER_REVIEW'),
      ...(found.length > limit && last ? { nextCursor: cursorOf(list, last.position) } : {}),
    },
  };
}
