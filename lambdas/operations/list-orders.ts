import { type CommandContext, Exit, type Outcome, parseIdTime, type Service, secondsBetween } from '@orderly/operator';
import { ordersContract } from '../orders/contract.js';
import { findExact } from './find-order.js';
import { SYNTHETIC_OUTPUT } from './keys.js';
import { compareWithFeed, readList } from './list-fill.js';
import { requireService } from './order-aggregates.js';
import { readSteps } from './order-steps.js';
import type { ListedOrder, OrderCounts, OrdersPage } from './orders-page.js';
import { type OrdersQuery, type OrdersRequest, parseOrdersQuery, toCursor } from './orders-request.js';
import { renderOrders } from './orders-text.js';
import { type PlacedOrder, positionOf, readPlacedOrders } from './placed-orders.js';

/** Bounds of one answer. */
export interface ListBounds {
  /** Queries of the list, of {@link PAGE} orders each: 32 read units at most. */
  readonly calls: number;
}

/** Orders of a query: about 250 KB. */
const PAGE = 1_000;

/**
 * `orderly orders`: the orders of a time, newest first.
 * @throws {WrongOrdersQuery} for a mistake in what is asked
 * @throws {OperatorError} `not-found` if orders are not deployed
 */
export async function listOrders(context: CommandContext, query: OrdersQuery, bounds: ListBounds): Promise<Outcome> {
  const page = await readOrdersPage(context, query, bounds);
  return {
    exitCode: page.list.state === 'incomplete' ? Exit.PENDING : Exit.OK,
    text: renderOrders(page),
    json: { ...page },
  };
}

async function readOrdersPage(context: CommandContext, query: OrdersQuery, bounds: ListBounds): Promise<OrdersPage> {
  const request = narrow(parseOrdersQuery(query, context.clock.now()));
  const service = requireService(context.services, ordersContract.service);
  const exact: Found | undefined = await findExact(context, service, request);
  const { orders, ...found } = exact ?? (await searchOrders(context, service, request, bounds));
  const steps = await readSteps(context, orders);
  const { nextCursor } = found;
  return {
    from: request.from,
    to: request.to,
    orders: orders.map((order) => toListed(order, steps.get(order.orderId))),
    ...found,
    ...(nextCursor === undefined ? {} : { next: context.command('orders', ...toWords(query, request, nextCursor)) }),
  };
}

/**
 * Narrows the time to that of a correlation id which is searched alone: a UUIDv7 contains the time of its request. An order of a basket
 * comes some seconds later, and a client may have made the id before.
 */
function narrow(request: OrdersRequest): OrdersRequest {
  const { search, isTimed, cursor } = request;
  const made = search === undefined || isTimed || cursor !== undefined ? undefined : parseIdTime(search);
  if (made === undefined) return request;
  return { ...request, from: new Date(made - 300_000).toISOString(), to: new Date(made + 3_600_000).toISOString() };
}

type Found = Omit<OrdersPage, 'from' | 'to' | 'orders' | 'next'> & { readonly orders: readonly PlacedOrder[] };

async function searchOrders(
  context: CommandContext,
  service: Service,
  request: OrdersRequest,
  bounds: ListBounds,
): Promise<Found> {
  const { from, to, customer, cursor: before, limit } = request;
  const { version, isFilled } = await readList(context, service);
  const matches = matcher(request, context.stacks.Orders?.[SYNTHETIC_OUTPUT]);
  const span = { table: service.table, version, from, to, customer, before };
  const counts = new Counter();
  const ids = new Set<string>();
  const orders: PlacedOrder[] = [];
  let [looked, calls, reached] = [0, 0, ''];
  for await (const round of readPlacedOrders(context.documents, span, PAGE)) {
    looked += round.orders.length;
    calls += round.calls;
    reached = round.reached;
    for (const order of round.orders) {
      if (!isFilled) ids.add(order.orderId);
      if (!matches(order)) continue;
      counts.add(order);
      if (orders.length <= limit) orders.push(order);
    }
    // A first page also counts the orders behind it; a later one ends when it is full.
    if (calls >= bounds.calls || (before !== undefined && orders.length > limit)) break;
    reached = from;
  }
  const isWhole = reached <= from;
  const shown = orders.slice(0, limit);
  const last = shown.at(-1);
  const continues = orders.length > limit && last ? positionOf(last) : isWhole ? undefined : reached;
  const isComparable = !isFilled && customer === undefined && before === undefined && isWhole;
  return {
    orders: shown,
    ...(before === undefined ? { counts: counts.result } : {}),
    looked,
    ...(isWhole ? {} : { reached: reached.slice(0, from.length) }),
    ...(continues === undefined ? {} : { nextCursor: toCursor(continues) }),
    list:
      isFilled || customer !== undefined
        ? { state: 'filled' }
        : isComparable
          ? await compareWithFeed(context, service, request, ids)
          : { state: 'unknown' },
  };
}

/** Returns whether an order is asked for. @param synthetic customer of the synthetic orders */
export function matcher(
  { statuses, reasons, sku, search, synthetic: isSyntheticAsked, customer }: OrdersRequest,
  synthetic?: string,
): (order: PlacedOrder) => boolean {
  const begins = search?.toLowerCase() ?? '';
  const beginsSo = (text = ''): boolean => text.toLowerCase().startsWith(begins);
  return ({ orderId, customerId, status, reason, skus, correlationId }) =>
    (statuses.length === 0 || statuses.includes(status)) &&
    (reasons.length === 0 || (reason !== undefined && reasons.includes(reason))) &&
    (sku === undefined || skus.includes(sku)) &&
    (search === undefined || [orderId, customerId, correlationId, ...skus].some(beginsSo)) &&
    // Whoever names the customer asks for their orders.
    (isSyntheticAsked || customer === synthetic || customerId !== synthetic);
}

class Counter {
  private readonly statuses = new Map<string, number>();
  private readonly reasons = new Map<string, number>();
  private orders = 0;

  add({ status, reason }: PlacedOrder): void {
    this.orders++;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (reason !== undefined) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  get result(): OrderCounts {
    const sorted = (counts: ReadonlyMap<string, number>) =>
      [...counts].toSorted(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
    return {
      orders: this.orders,
      statuses: sorted(this.statuses).map(([status, orders]) => ({ status, orders })),
      reasons: sorted(this.reasons).map(([reason, orders]) => ({ reason, orders })),
    };
  }
}

function toListed(order: PlacedOrder, step: string | undefined): ListedOrder {
  const { decidedAt, placedAt } = order;
  return {
    ...order,
    ...(step === undefined ? {} : { step }),
    ...(decidedAt === undefined ? {} : { seconds: secondsBetween(placedAt, decidedAt) }),
  };
}

/** Returns the options that ask for the next page. Times are those of this page, since `now` has moved on by then. */
function toWords(query: OrdersQuery, { from, to }: OrdersRequest, nextCursor: string): readonly string[] {
  const { status, reason, customer, sku, search, limit } = query;
  const options = { from, to, status, reason, customer, sku, search, limit, cursor: nextCursor };
  const words = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return query.synthetic ? [...words, '--synthetic'] : words;
}
