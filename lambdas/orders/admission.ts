import type { Table } from '@orderly/kit/aws';
import { Problem, pointerFault } from '@orderly/kit/http';
import type { Projection } from '@orderly/kit/projection';
import { findUnchargeable } from '../charge-limits.js';
import { customerLimitsFromEnvironment } from '../customer-limits.js';
import { AppProblem } from '../problems.js';
import type { UserStatus } from '../users/contract.js';
import { hourOf, MAX_FREE_QUANTITY, type OrderLine } from './contract.js';
import { type ListedCustomer, MAX_NEWEST, readListedCustomer } from './customer-reads.js';
import {
  findOversizedFreeLines,
  findReachedLimit,
  hourlyLimitReached,
  isUnderWay,
  type LimitReached,
  startOfLookback,
} from './domain/admission.js';
import type { Order } from './domain/order.js';
import { HourCounts } from './hour-counts.js';
import { readNewestSince } from './order-list.js';
import { OrdersProblem } from './problems.js';
import { readStatus } from './user-status.js';

const limits = customerLimitsFromEnvironment();

const hourCounts = new HourCounts();

/** Facts about a customer who wants to place an order. */
export interface Admission {
  readonly status: UserStatus;
  /** Limit of orders that the customer has reached. */
  readonly reached: LimitReached | undefined;
}

/**
 * Reads whether a customer may place one more order: their status, and whether they have reached a limit. One query, eventually consistent,
 * reads the status and at most {@link MAX_NEWEST} orders, however many the customer has placed. A second one, of one page, counts
 * the orders under way of a customer whose newest ones are all under way.
 *
 * The list may miss orders: a burst is faster than the list, and an hour has more orders than one request reads. The account counts
 * exactly and declines such orders afterwards (accounts, `domain/account.ts`).
 * @param list projection of customers' orders
 * @param now ISO 8601, UTC
 */
export async function readAdmission(
  list: Projection<Order>,
  table: Table,
  customerId: string,
  now: string,
): Promise<Admission> {
  const isFull = hourCounts.known(customerId, hourOf(now)) >= limits.ordersPerHour;
  const reading = readListedCustomer(table.name, customerId, isFull ? 0 : MAX_NEWEST);
  const [status, reached] = await Promise.all([
    readStatus(table, customerId, reading),
    isFull ? hourlyLimitReached(now) : reading.then((listed) => readReachedLimit(list, customerId, listed, now)),
  ]);
  return { status, reached };
}

/** Checks the newest orders for whether the customer may place one more. */
async function readReachedLimit(
  list: Projection<Order>,
  customerId: string,
  { newest, isCut }: ListedCustomer,
  now: string,
): Promise<LimitReached | undefined> {
  const inHour = hourCounts.count(customerId, newest, hourOf(now));
  if (inHour >= limits.ordersPerHour) return hourlyLimitReached(now);
  const since = startOfLookback(now);
  const recent = newest.filter(({ placedAt }) => placedAt >= since);
  const mayHaveMore = isCut && recent.length === newest.length && recent.every(isUnderWay);
  if (!mayHaveMore) return findReachedLimit(recent, limits, now);
  const part = { limit: limits.ordersUnderWay, calls: 1 };
  return findReachedLimit(await readNewestSince(list, customerId, since, part), limits, now);
}

const DETAILS = {
  ORDERS_PER_HOUR: `you have placed about ${limits.ordersPerHour} orders in this hour: try again in the next one`,
  ORDERS_UNDER_WAY: `about ${limits.ordersUnderWay} of your orders are under way: try again when some of them have ended`,
} as const;

/** Returns what refuses a new order of these lines; `undefined` if it may be placed. */
export function refusalOf(lines: readonly OrderLine[], { status, reached }: Admission): (() => never) | undefined {
  if (status === 'BLOCKED') return refuseBlocked;
  const freeLines = findOversizedFreeLines(lines);
  if (freeLines.length > 0) return () => refuseFreeLines(freeLines);
  const fault = findUnchargeable(lines);
  if (fault) return () => refuseUnchargeable(fault);
  return reached && (() => refuseOverLimit(reached));
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
