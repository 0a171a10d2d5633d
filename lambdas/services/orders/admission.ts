import { customerLimits } from '../../platform/customer-limits.js';
import { Problem } from '../../platform/errors.js';
import { type LimitReached, limitReached, lookedAtSince } from './domain/admission.js';
import { ordersSince } from './order-list.js';

const limits = customerLimits();

/**
 * Whether a customer may place one order more, by their list: an eventually consistent read, so that placing an order
 * stays one write unit. A burst that is faster than the list passes here, and the account's exact count declines its
 * orders afterwards (accounts, `domain/account.ts`).
 * @param now ISO 8601, UTC
 */
export async function limitOn(customerId: string, now: string): Promise<LimitReached | undefined> {
  return limitReached(await ordersSince(customerId, lookedAtSince(now)), limits, now);
}

const WHY = {
  ORDERS_PER_HOUR: `you have placed about ${limits.ordersPerHour} orders in this hour: try again in the next one`,
  ORDERS_UNDER_WAY: `about ${limits.ordersUnderWay} of your orders are under way: try again when some are through`,
} as const;

/** @throws {Problem} 429, always */
export function refuseOverLimit({ limit, retryAfterSeconds }: LimitReached): never {
  throw new Problem('limit-reached', WHY[limit], { retryAfterSeconds, limit });
}
