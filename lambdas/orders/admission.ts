import { Problem, pointerFault } from '@orderly/kit/http';
import type { Projection } from '@orderly/kit/projection';
import { customerLimits } from '../customer-limits.js';
import { AppProblem } from '../problems.js';
import { hourOf, MAX_FREE_QUANTITY } from './contract.js';
import { hourIsFull, type LimitReached, limitReached, lookedAtSince } from './domain/admission.js';
import type { Order } from './domain/order.js';
import { newestSince } from './order-list.js';
import { OrdersProblem } from './problems.js';

const limits = customerLimits();

/**
 * Clock hour in which a customer reached `ORDERS_PER_HOUR`. The count of an hour never falls, so an entry is valid
 * until the hour ends. If the entry is lost, the list is read again.
 */
const fullHours = new Map<string, string>();
const MOST_REMEMBERED = 1_000;
const MOST_READ = Math.max(limits.ordersPerHour, limits.ordersUnderWay);

/**
 * Checks a customer's list for whether the customer may place one more order. It makes eventually consistent reads of
 * bounded size, so placing an order stays one write unit.
 *
 * The list may miss orders: a burst is faster than the list, and an hour may hold more orders than one page shows. The
 * account counts exactly and declines such orders afterwards (accounts, `domain/account.ts`).
 * @param list projection of customers' orders
 * @param now ISO 8601, UTC
 */
export async function limitOn(
  list: Projection<Order>,
  customerId: string,
  now: string,
): Promise<LimitReached | undefined> {
  if (fullHours.get(customerId) === hourOf(now)) return hourIsFull(now);
  const newest = await newestSince(list, customerId, lookedAtSince(now), { limit: MOST_READ, calls: 1 });
  const reached = limitReached(newest, limits, now);
  if (reached?.limit === 'ORDERS_PER_HOUR') {
    if (fullHours.size >= MOST_REMEMBERED) fullHours.clear();
    fullHours.set(customerId, hourOf(now));
  }
  return reached;
}

const WHY = {
  ORDERS_PER_HOUR: `you have placed about ${limits.ordersPerHour} orders in this hour: try again in the next one`,
  ORDERS_UNDER_WAY: `about ${limits.ordersUnderWay} of your orders are under way: try again when some are through`,
} as const;

/** @throws {Problem} 429, always */
export function refuseOverLimit({ limit, retryAfterSeconds }: LimitReached): never {
  throw new Problem(AppProblem['limit-reached'], WHY[limit], { retryAfterSeconds, limit });
}

/** @throws {Problem} 403, always */
export function refuseBlocked(): never {
  throw new Problem(OrdersProblem['user-blocked'], 'this user is blocked and cannot place orders: contact support');
}

/** @throws {Problem} 400, always. @param places of free lines with too many pieces */
export function refuseFreeLines(places: readonly number[]): never {
  const detail = `expected at most ${MAX_FREE_QUANTITY} pieces of a line with a unit price of 0`;
  const errors = places.map((at) => pointerFault(['lines', at, 'quantity'], detail));
  throw new Problem('invalid-request', 'too many pieces of a line with a unit price of 0', { errors });
}

/** @throws {Problem} 400, always. @param detail what would be right */
export function refuseUnchargeable(detail: string): never {
  throw new Problem('invalid-request', 'no payment of this total can be charged', {
    errors: [pointerFault(['lines'], detail)],
  });
}
