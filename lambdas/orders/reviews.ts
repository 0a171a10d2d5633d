import { clock, logger, retryOnConflict, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import type { Loaded } from '@orderly/kit/event-store';
import type { Trace } from '@orderly/kit/messages';
import type { Projection } from '@orderly/kit/projection';
import type { OrderStore } from './aggregates.js';
import { hourOf, type OrderView, type ReviewReason, type ReviewRules } from './contract.js';
import { isOver, isReviewable, type Order, type OrderCommand } from './domain/order.js';
import { type DoubtfulStatus, findReviewReasons, isDoubtful } from './domain/review.js';
import { readNewestSince } from './order-list.js';
import { beginReviewWrite } from './review-list.js';
import { type AddressReader, readAddresses } from './user-address.js';
import { readPayer } from './user-payer.js';
import { copyCheck, readStatusCopy, type UserStatusCopy } from './user-status.js';

/** Stores and rules that the reviews of suspect and blocked users' orders use. */
export interface Reviews {
  readonly orderStore: OrderStore;
  /** Table of the service. */
  readonly table: Table;
  /** Reads a user's newest orders since a time (ISO 8601, UTC), at most `limit`. */
  readonly readNewest: (userId: string, time: string, limit: number) => Promise<readonly Pick<OrderView, 'placedAt'>[]>;
  readonly rules: ReviewRules;
  readonly personalKeys: AddressReader;
}

/** Binds reviews to the list of orders. */
export const createReviews = (
  orderStore: OrderStore,
  table: Table,
  list: Projection<Order>,
  rules: ReviewRules,
  personalKeys: AddressReader,
): Reviews => ({
  orderStore,
  table,
  rules,
  personalKeys,
  readNewest: (userId, time, limit) => readNewestSince(list, userId, time, { limit }),
});

/** Answer to a saga that is about to charge an order. */
interface ChargeCheck {
  /** `cancel`: the order was cancelled or rejected, and the message that says so is still on its way. */
  readonly next: 'charge' | 'hold' | 'cancel';
  /** Writes that commit the answer. */
  readonly writes: readonly TransactWriteItem[];
}

/**
 * Asks whether an order may be charged now. Its saga asks just before it sends the charge. So an order that is placed
 * while its user becomes suspect is found here, however late the list of orders shows it.
 *
 * The order of a suspect or blocked user comes under review. The writes check that nothing changes meanwhile:
 *
 *     saga                                      a review, or a change of the user's status
 *     order: PENDING, user: SUSPECT
 *                                               user: ACTIVE, all orders under review are released
 *     transact: order under review -> refused,
 *     since the status has changed; asks again,
 *     and charges
 */
export async function checkBeforeCharge(reviews: Reviews, orderId: string, trace: Trace): Promise<ChargeCheck> {
  const { orderStore } = reviews;
  const order = await orderStore.load(orderId);
  const isUnchanged = orderStore.unchangedCheck(order);
  if (order.state.status === 'UNDER_REVIEW') return { next: 'hold', writes: [isUnchanged] };
  if (isOver(order.state)) return { next: 'cancel', writes: [isUnchanged] };
  const writes = await buildReviewWrites(reviews, order, trace);
  return writes ? { next: 'hold', writes } : { next: 'charge', writes: [isUnchanged] };
}

/**
 * Returns the writes that put an order under review; none if its user is neither suspect nor blocked, or if it needs no
 * review: it has ended, was dispatched, or an operator has decided it.
 */
export async function buildReviewWrites(
  reviews: Reviews,
  order: Loaded<Order>,
  trace: Trace,
): Promise<readonly TransactWriteItem[] | undefined> {
  const doubt = await findDoubt(reviews, order.state);
  return doubt && buildDecisionWrites(reviews, order, { type: 'StartReview', reasons: doubt.reasons }, doubt, trace);
}

/**
 * Returns the writes that approve an order whose saga is through. If its user is suspect or blocked by now, it comes under
 * review in the same commit. So an order is found whose charge was sent before its user became suspect, and that the
 * list of orders did not show when the user's other orders were reviewed.
 * @param order an order that is pending or under review
 */
export async function buildApprovalWrites(
  reviews: Reviews,
  order: Loaded<Order>,
  trace: Trace,
): Promise<readonly TransactWriteItem[]> {
  const doubt = await findDoubt(reviews, order.state);
  return buildDecisionWrites(
    reviews,
    order,
    { type: 'Approve', ...(doubt && { reasons: doubt.reasons }) },
    doubt,
    trace,
  );
}

/** Error for the dispatch of an order that has to be reviewed first. */
export class NeedsReview extends Error {
  override readonly name = 'NeedsReview';
  constructor() {
    super('the user is suspect or blocked');
  }
}

/**
 * Returns the check that commits with a dispatch: the user's status is still the one that was read. So an order that the
 * list showed too late for its review isn't sent.
 * @returns `undefined` if the status doesn't matter: an operator has decided about the order, or it can't be dispatched
 * @throws {NeedsReview} if the user is suspect or blocked; then call {@link startReview}
 */
export async function checkBeforeDispatch(table: Table, order: Order): Promise<TransactWriteItem | undefined> {
  if (order.status !== 'APPROVED' || order.review !== undefined) return undefined;
  const copy = await readStatusCopy(table, order.customerId);
  if (copy && isDoubtful(copy.status)) throw new NeedsReview();
  return copyCheck(table, order.customerId, copy);
}

/** Puts one order under review, unless it needs none by now. */
export const startReview = (reviews: Reviews, orderId: string, trace: Trace): Promise<void> =>
  retryOnConflict(async () => {
    const writes = await buildReviewWrites(reviews, await reviews.orderStore.load(orderId), trace);
    if (writes) await reviews.table.transact(writes);
  });

/** Reasons to review an order, and the copy of its user's status that they follow from. */
interface Doubt {
  readonly customerId: string;
  readonly copy: UserStatusCopy;
  readonly reasons: readonly ReviewReason[];
}

async function findDoubt(reviews: Reviews, order: Order): Promise<Doubt | undefined> {
  if (!isReviewable(order)) return undefined;
  const { customerId } = order;
  const copy = await readStatusCopy(reviews.table, customerId);
  if (!copy || !isDoubtful(copy.status)) return undefined;
  return { customerId, copy, reasons: await findReasons(reviews, order, copy.status) };
}

/** Returns the writes of a decision. If it starts a review, they list the order, and check the copy of the status. */
function buildDecisionWrites(
  { orderStore, table }: Reviews,
  order: Loaded<Order>,
  command: OrderCommand,
  doubt: Doubt | undefined,
  trace: Trace,
): readonly TransactWriteItem[] {
  const { id, state } = order;
  const events = orderStore.decider.decide(state, command, { now: clock.now() });
  const write = orderStore.toWrite(order, events, trace);
  if (!doubt) return [write];
  const { customerId, copy, reasons } = doubt;
  // Operators find this line in the log, beside the list of open reviews (see the runbook).
  logger.info('order needs a review', { orderId: id, reasons });
  return [write, beginReviewWrite(table, customerId, id), copyCheck(table, customerId, copy)];
}

/** Newest orders that are read to count those of one hour. No rule counts further (`lib/settings.ts`). */
const MAX_ORDERS_READ = 100;

async function findReasons(
  { readNewest, rules, personalKeys, table }: Reviews,
  order: Exclude<Order, { status: 'NONE' }>,
  status: DoubtfulStatus,
): Promise<readonly ReviewReason[]> {
  const [recent, addresses, payer] = await Promise.all([
    readNewest(order.customerId, `${hourOf(order.placedAt)}:00:00.000Z`, MAX_ORDERS_READ),
    rules.otherAddress ? readAddresses(personalKeys, table, order) : {},
    readPayer(table, order.customerId),
  ]);
  return findReviewReasons(order, { status, recent, addresses, payer }, rules);
}
