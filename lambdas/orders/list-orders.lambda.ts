import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { type Caller, cursorOf, limitOf, Problem, positionOf } from '@orderly/kit/http';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { opened } from './customer-data-keys.js';
import { OrderPosition, ordersListOf, ordersOf, positionOfOrder } from './order-list.js';
import { listOrders } from './routes.js';

const ordersList = ordersListOf(eventStoreOfFunction(orders));
const people = personalKeysOfFunction();

/**
 * GET /orders: a customer's own orders, or for an operator those of `?customerId=`; newest first, eventually
 * consistent.
 */
export const handler = endpoint(listOrders, async ({ caller, query }) => {
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
  const errors = [{ parameter: 'customerId', detail: 'required for operators: the customer whose orders to list' }];
  throw new Problem('invalid-request', 'missing customerId', { errors });
}
