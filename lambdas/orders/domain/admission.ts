import { hourOf, MAX_FREE_QUANTITY, type OrderLimit, type OrderLine, type OrderView } from '../contract.js';

/** How many orders of one customer may be under way at once, and be placed within a clock hour (UTC). */
export interface OrderLimits {
  readonly ordersUnderWay: number;
  readonly ordersPerHour: number;
}

/** Which limit refuses one order more, and when the next attempt may pass. */
export interface LimitReached {
  readonly limit: OrderLimit;
  readonly retryAfterSeconds: number;
}

const HOUR_MS = 3_600_000;
/** Most orders are through within seconds; the others wait for somebody who is down. */
const UNDER_WAY_RETRY_SECONDS = 60;

/** From when on a customer's orders are looked at: what is under way for longer than this is left to the account's limit. */
export const lookedAtSince = (now: string): string => new Date(Date.parse(now) - HOUR_MS).toISOString();

/** The refusal until the next clock hour. @param now ISO 8601, UTC */
export const hourIsFull = (now: string): LimitReached => ({
  limit: 'ORDERS_PER_HOUR',
  retryAfterSeconds: Math.ceil((HOUR_MS - (Date.parse(now) % HOUR_MS)) / 1000),
});

/**
 * Whether a customer is at a limit of their orders, as far as a list knows that may lag behind.
 * @param recent their orders since {@link lookedAtSince}
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

/** Places of the lines that cost nothing and have too many pieces. */
export const oversizedFreeLines = (lines: readonly Pick<OrderLine, 'quantity' | 'unitPrice'>[]): readonly number[] =>
  lines.flatMap(({ quantity, unitPrice }, at) => (unitPrice.amount === 0 && quantity > MAX_FREE_QUANTITY ? [at] : []));
