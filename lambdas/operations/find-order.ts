import { parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { aggregateKey, type CommandContext, readCommits, type Service } from '@orderly/operator';
import { summarize } from '../orders/domain/order-summary.js';
import { ORDER, ORDER_ID } from '../orders/keys.js';
import { foldOrder } from './order-aggregates.js';
import type { OrdersPage } from './orders-page.js';
import { type OrdersRequest, WrongOrdersQuery } from './orders-request.js';
import type { PlacedOrder } from './placed-orders.js';

/**
 * Finds an order whose id is known: it is searched by its whole id, or its id follows from its customer's idempotency key. It is
 * read from its commits, strongly consistent, whenever it was placed.
 * @returns `undefined` if no id is known, or, without a key, if no order has it
 * @throws {WrongOrdersQuery} for a malformed key
 */
export async function findExact(
  { documents }: Pick<CommandContext, 'documents'>,
  service: Service,
  request: OrdersRequest,
): Promise<(Pick<OrdersPage, 'looked' | 'list'> & { readonly orders: readonly PlacedOrder[] }) | undefined> {
  const { key, customer = '', search = '' } = request;
  const orderId = key === undefined ? search : toOrderId(customer, key);
  if (!ORDER_ID.test(orderId)) return undefined;
  const commits = await readCommits(documents, service, aggregateKey(ORDER, orderId));
  const order = foldOrder([{ service: service.name, subject: `${ORDER}/${orderId}`, commits }]);
  // A correlation id of a client may look like an order's id.
  if (!order && key === undefined) return undefined;
  const found = order ? [order] : [];
  return {
    orders: found.map((one) => {
      const { orderId, customerId, placedAt } = one;
      return { orderId, customerId, placedAt, ...summarize(one, commits) };
    }),
    looked: found.length,
    list: { state: 'filled' },
  };
}

/**
 * Returns the id of the order that a customer has placed with a key, as `POST /orders` makes it (`createOnce`). The keys are not
 * stored.
 */
export function toOrderId(customer: string, key: string): string {
  if (key === 'auto')
    throw new WrongOrdersQuery('key', 'expected a key of the client: `auto` stands for the hash of a body');
  try {
    const request = { header: key, client: `customer:${customer}`, method: 'POST', path: '/orders' };
    return parseIdempotencyKey({ ...request, query: {}, body: undefined }).scope.slice(0, 32);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new WrongOrdersQuery('key', 'expected an Idempotency-Key: 1 to 255 visible ASCII characters');
  }
}
