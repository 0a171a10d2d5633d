import { Problem, pointerFault } from '@orderly/kit/http';
import type { Projection } from '@orderly/kit/projection';
import { findUnchargeable } from '../charge-limits.js';
import { customerLimitsFromEnvironment } from '../customer-limits.js';
import { AppProblem } from '../problems.js';
import type { UserStatus } from '../users/contract.js';
import { hourOf, MAX_FREE_QUANTITY, type OrderLine } from './contract.js';
import {
  findOversizedFreeLines,
  findReachedLimit,
  hourlyLimitReached,
  type LimitReached,
  startOfLookback,
} from './domain/admission.js';
import type { Order } from './domain/order.js';
import { readNewestSince } from './order-list.js';
import { OrdersProblem } from './problems.js';

const limits = customerLimitsFromEnvironment();

/**
 * Clock hour in which a customer reached `ORDERS_PER_HOUR`. The count of an hour never falls, so an entry is valid
 * until the hour ends. If the entry is lost, the list is read again.
 */
const fullHours = new Map<string, string>();
const MAX_REMEMBERED = 1_000;
const MAX_ORDERS_READ = Math.max(limits.ordersPerHour, limits.ordersUnderWay);

/**
 * Checks a customer's list for whether the customer may place one more order. It makes eventually consistent reads of
 * bounded size, so placing an order stays one write unit.
 *
 * The list may miss orders: a burst is faster than the list, and an hour may hold more orders than one page shows. The
 * account counts exactly and declines such orders afterwards (accounts, `domain/account.ts`).
 * @param list projection of customers' orders
 * @param now ISO 8601, UTC
 */
export async function readReachedLimit(
  list: Projection<Order>,
  customerId: string,
  now: string,
): Promise<LimitReached | undefined> {
  if (fullHours.get(customerId) === hourOf(now)) return hourlyLimitReached(now);
  const newest = await readNewestSince(list, customerId, startOfLookback(now), { limit: MAX_ORDERS_READ, calls: 1 });
  const reached = findReachedLimit(newest, limits, now);
  if (reached?.limit === 'ORDERS_PER_HOUR') {
    if (fullHours.size >= MAX_REMEMBERED) fullHours.clear();
    fullHours.set(customerId, hourOf(now));
  }
  return reached;
}

const DETAILS = {
  ORDERS_PER_HOUR: `you have placed about ${limits.ordersPerHour} orders in this hour: try again in the next one`,
  ORDERS_UNDER_WAY: `about ${limits.ordersUnderWay} of your orders are under way: try again when some of them have ended`,
} as const;

/** Returns what refuses a new order of these lines; `undefined` if it may be placed. */
export function refusalOf(
  lines: readonly OrderLine[],
  status: UserStatus,
  limit: LimitReached | undefined,
): (() => never) | undefined {
  if (status === 'BLOCKED') return refuseBlocked;
  const freeLines = findOversizedFreeLines(lines);
  if (freeLines.length > 0) return () => refuseFreeLines(freeLines);
  const fault = findUnchargeable(lines);
  if (fault) return () => refuseUnchargeable(fault);
  return limit && (() => refuseOverLimit(limit));
}

/** @throws {Problem} 429, always */
function refuseOverLimit({ limit, retryAfterSeconds }: LimitReached): never {
  throw new Problem(AppProblem['limit-reached'], DETAILS[limit], { retryAfterSeconds, limit });
}

/** @throws {Problem} 403, always */
function refuseBlocked(): never {
  throw new Problem(OrdersProblem['user-blocked'], 'this user is blocked and cannot place orders: contact support');
}

/** @throws {Problem} 400, always. @param places of free lines with too many pieces */
function refuseFreeLines(places: readonly number[]): never {
  const detail = `expected at most ${MAX_FREE_QUANTITY} for a line with unit price 0`;
  const errors = places.map((at) => pointerFault(['lines', at, 'quantity'], detail));
  const most = `Quantity too high for a line with unit price 0: at most ${MAX_FREE_QUANTITY}.`;
  throw new Problem('invalid-request', most, { errors });
}

/** @throws {Problem} 400, always. @param detail what would be right */
function refuseUnchargeable(detail: string): never {
  throw new Problem('invalid-request', 'no payment of this total can be charged', {
    errors: [pointerFault(['lines'], detail)],
  });
}
