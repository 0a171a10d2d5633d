import { hourOf, MAX_FREE_QUANTITY, type OrderLimit, type OrderLine, type OrderView } from '../contract.js';

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

const HOUR_MS = 3_600_000;
/** Most orders end within seconds; the others wait for a participant that is down. */
const UNDER_WAY_RETRY_SECONDS = 60;

/**
 * Returns the start of the period in which a customer's orders are counted. The account's limit covers orders that are
 * in progress for longer.
 */
export const lookedAtSince = (now: string): string => new Date(Date.parse(now) - HOUR_MS).toISOString();

/** Returns the refusal until the next clock hour. @param now ISO 8601, UTC */
export const hourIsFull = (now: string): LimitReached => ({
  limit: 'ORDERS_PER_HOUR',
  retryAfterSeconds: Math.ceil((HOUR_MS - (Date.parse(now) % HOUR_MS)) / 1000),
});

/**
 * Checks whether a customer has reached a limit of orders, according to a list that may lag behind.
 * @param recent the customer's orders since {@link lookedAtSince}
 * @param now ISO 8601, UTC
 */
export function limitReached(
  recent: readonly Pick<OrderView, 'status' | 'placedAt'>[],
  { ordersUnderWay, ordersPerHour }: OrderLimits,
  now: string,
): LimitReached | undefined {
  if (recent.filter(({ placedAt }) => hourOf(placedAt) === hourOf(now)).length >= ordersPerHour) {
    return hourIsFull(now);
  }
  if (recent.filter(({ status }) => status === 'PENDING').length >= ordersUnderWay) {
    return { limit: 'ORDERS_UNDER_WAY', retryAfterSeconds: UNDER_WAY_RETRY_SECONDS };
  }
  return undefined;
}

/** Returns the places of free lines with too many pieces. */
export const oversizedFreeLines = (lines: readonly Pick<OrderLine, 'quantity' | 'unitPrice'>[]): readonly number[] =>
  lines.flatMap(({ quantity, unitPrice }, at) => (unitPrice.amount === 0 && quantity > MAX_FREE_QUANTITY ? [at] : []));
