import { hourOf, MAX_FREE_QUANTITY, type OrderLimit, type OrderLine, type OrderView } from '../contract.js';
import type { Rejection } from './order.js';

/** Maximum number of one customer's orders in progress at once, and placed within a clock hour (UTC). */
export interface OrderLimits {
  readonly ordersUnderWay: number;
  readonly ordersPerHour: number;
}

/** Limit that refuses one more order, and the time after which the next attempt may pass. */
export interface LimitReached {
  readonly limit: OrderLimit;
  readonly retryAfterSeconds: number;
}

/** Whether an order counts as in progress. An order under review that was paid does, too: it is not at its end. */
const UNDER_WAY: Readonly<Record<OrderView['status'], boolean>> = {
  PENDING: true,
  UNDER_REVIEW: true,
  APPROVED: false,
  DISPATCHED: false,
  REJECTED: false,
  CANCELLED: false,
};

/** Tells whether an order counts as in progress. */
export const isUnderWay = ({ status }: Pick<OrderView, 'status'>): boolean => UNDER_WAY[status];

const HOUR_MS = 3_600_000;
/** Most orders end within seconds; the others wait for a participant that is down. */
const UNDER_WAY_RETRY_SECONDS = 60;

/**
 * Returns the start of the period in which a customer's orders are counted. The account's limit covers orders that are
 * in progress for longer.
 */
export const startOfLookback = (now: string): string => new Date(Date.parse(now) - HOUR_MS).toISOString();

/** Returns the refusal until the next clock hour. @param now ISO 8601, UTC */
export const hourlyLimitReached = (now: string): LimitReached => ({
  limit: 'ORDERS_PER_HOUR',
  retryAfterSeconds: Math.ceil((HOUR_MS - (Date.parse(now) % HOUR_MS)) / 1000),
});

/**
 * Checks whether a customer has reached a limit of orders, according to a list that may lag behind.
 * @param recent the customer's orders since {@link startOfLookback}
 * @param now ISO 8601, UTC
 */
export function findReachedLimit(
  recent: readonly Pick<OrderView, 'status' | 'placedAt'>[],
  { ordersUnderWay, ordersPerHour }: OrderLimits,
  now: string,
): LimitReached | undefined {
  if (recent.filter(({ placedAt }) => hourOf(placedAt) === hourOf(now)).length >= ordersPerHour) {
    return hourlyLimitReached(now);
  }
  if (recent.filter(isUnderWay).length >= ordersUnderWay) {
    return { limit: 'ORDERS_UNDER_WAY', retryAfterSeconds: UNDER_WAY_RETRY_SECONDS };
  }
  return undefined;
}

/** Returns the places of free lines with too many pieces. */
export const findOversizedFreeLines = (
  lines: readonly Pick<OrderLine, 'quantity' | 'unitPrice'>[],
): readonly number[] =>
  lines.flatMap(({ quantity, unitPrice }, at) => (unitPrice.amount === 0 && quantity > MAX_FREE_QUANTITY ? [at] : []));

/** Standing of a customer who wants to place an order. */
export interface Standing {
  readonly isBlocked: boolean;
  /** Limit of orders that the customer has reached. */
  readonly reached: LimitReached | undefined;
}

/**
 * Returns the rejection of an order that nobody waits for, by the rules by which `POST /orders` refuses one. Baskets
 * check the lines themselves, so a rejection for free lines means that a service before this one has a fault.
 */
export function findRejection(lines: readonly OrderLine[], { isBlocked, reached }: Standing): Rejection | undefined {
  if (isBlocked) return { reason: 'STEP_REFUSED', skus: [] };
  const free = findOversizedFreeLines(lines);
  const skus = lines.filter((_, at) => free.includes(at)).map(({ sku }) => sku);
  if (skus.length > 0) return { reason: 'STEP_REFUSED', skus };
  return reached && { reason: 'OVER_LIMIT', limit: reached.limit, skus: [] };
}
