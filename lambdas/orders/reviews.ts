import { logger, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { decideOn, type Loaded } from '@orderly/kit/event-store';
import type { Trace } from '@orderly/kit/messages';
import type { Projection } from '@orderly/kit/projection';
import type { OrderStore } from './aggregates.js';
import { hourOf, type OrderView, type ReviewReason, type ReviewRules } from './contract.js';
import type { Order } from './domain/order.js';
import { reviewReasons } from './domain/review.js';
import { REVIEWS } from './keys.js';
import { newestSince } from './order-list.js';
import { type AddressReader, addressesOf } from './user-address.js';
import { copyCheck, copyOf } from './user-status.js';

/** Stores and rules that the reviews of suspect users' orders use. */
export interface Reviews {
  readonly orderStore: OrderStore;
  /** Table of the service. */
  readonly table: Table;
  /** Reads a user's newest orders since a time (ISO 8601, UTC), at most `limit`. */
  readonly newestOf: (userId: string, time: string, limit: number) => Promise<readonly Pick<OrderView, 'placedAt'>[]>;
  readonly rules: ReviewRules;
  readonly people: AddressReader;
}

/** Binds reviews to the list of orders. */
export const reviewsOf = (
  orderStore: OrderStore,
  table: Table,
  list: Projection<Order>,
  rules: ReviewRules,
  people: AddressReader,
): Reviews => ({
  orderStore,
  table,
  rules,
  people,
  newestOf: (userId, time, limit) => newestSince(list, userId, time, limit),
});

/** Whether an order must wait for its review, and the writes that commit this decision. */
interface Asked {
  readonly isHeld: boolean;
  readonly writes: readonly TransactWriteItem[];
}

/**
 * Asks whether an order may be charged now. Its saga asks just before it sends the charge. So an order that is placed
 * while its user becomes suspect is found here, however late the list of orders shows it.
 *
 * The order of a suspect user comes under review. The writes check that nothing changes meanwhile:
 *
 *     saga                                      a review, or a change of the user's status
 *     order: PENDING, user: SUSPECT
 *                                               user: ACTIVE, all orders under review are released
 *     transact: order under review -> refused,
 *     since the status has changed; asks again,
 *     and charges
 */
export async function beforeCharge(reviews: Reviews, orderId: string, trace: Trace): Promise<Asked> {
  const { orderStore } = reviews;
  const order = await orderStore.load(orderId);
  const isUnchanged = orderStore.unchangedCheck(order);
  if (order.state.status === 'UNDER_REVIEW') return { isHeld: true, writes: [isUnchanged] };
  const writes = await reviewWrites(reviews, order, trace);
  return writes ? { isHeld: true, writes } : { isHeld: false, writes: [isUnchanged] };
}

/**
 * Returns the writes that put an order under review; none if its user is not suspect, or if it needs no review: it has
 * ended, costs nothing, or an operator has decided it.
 */
export async function reviewWrites(
  reviews: Reviews,
  { id, state }: Loaded<Order>,
  trace: Trace,
): Promise<readonly TransactWriteItem[] | undefined> {
  if (state.status !== 'PENDING' || state.review !== undefined || state.total.amount === 0) return undefined;
  const { orderStore, table } = reviews;
  const { customerId } = state;
  const copy = await copyOf(table, customerId);
  if (copy?.status !== 'SUSPECT') return undefined;
  const command = { type: 'StartReview', reasons: await reasonsFor(reviews, state) } as const;
  const { events, write } = await decideOn(orderStore, { id, command, trace });
  if (events.length === 0) return undefined;
  // Operators search the log for this line to find the orders that wait (see the runbook).
  logger.info('order needs a review', { orderId: id, reasons: command.reasons });
  const pointer = { Put: { TableName: table.name, Item: reviewKey(customerId, id) } };
  return [write, pointer, copyCheck(table, customerId, copy)];
}

/** Newest orders that are read to count those of one hour. No rule counts further (`lib/settings.ts`). */
const MOST_READ = 100;

async function reasonsFor(
  { newestOf, rules, people, table }: Reviews,
  order: Exclude<Order, { status: 'NONE' }>,
): Promise<readonly ReviewReason[]> {
  const [recent, addresses] = await Promise.all([
    newestOf(order.customerId, `${hourOf(order.placedAt)}:00:00.000Z`, MOST_READ),
    rules.otherAddress ? addressesOf(people, table, order) : {},
  ]);
  return reviewReasons(order, recent, addresses, rules);
}

/**
 * Key of the entry of an order under review, in the list of its user. The list is read strongly consistent, so a release
 * misses no order. A cancelled order's entry stays until its user is active again.
 */
export const reviewKey = (userId: string, orderId: string) => ({ pk: REVIEWS + userId, sk: orderId });

/** Returns the write that takes an order out of its user's list. */
export const endReviewWrite = (table: Table, userId: string, orderId: string): TransactWriteItem => ({
  Delete: { TableName: table.name, Key: reviewKey(userId, orderId) },
});
