import { TransactionRefused, type TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import { type InboxSource, on, unfinished, type Work } from '@orderly/kit/inbox';
import type { Envelope, Trace } from '@orderly/kit/messages';
import type { Projection } from '@orderly/kit/projection';
import type { OrderView } from './contract.js';
import type { Order } from './domain/order.js';
import { isDoubtful } from './domain/review.js';
import { orderPosition, readOrders } from './order-list.js';
import { endReviewWrite, readOpenReviews } from './review-list.js';
import { buildReviewWrites, type Reviews } from './reviews.js';
import { statusChanges } from './subscriptions.js';
import { copyCheck, readStatusCopy, statusEffect } from './user-status.js';

/** Milliseconds before the function's timeout in which no further order is begun. */
const RESERVE_MS = 10_000;
/** Orders of one page. */
const PAGE = 20;
/** Attempts for one order that others change meanwhile. */
const MAX_ATTEMPTS = 5;

/** Statuses of orders that are not active. They are final, so an old row of the list shows none of them too early. */
const IS_END: Readonly<Record<OrderView['status'], boolean>> = {
  PENDING: false,
  UNDER_REVIEW: false,
  APPROVED: false,
  REJECTED: true,
  CANCELLED: true,
  DISPATCHED: true,
};

export interface ReviewContext {
  readonly reviews: Reviews;
  readonly list: Projection<Order>;
}

/** Position in the user's list of orders, newest first. */
interface Progress {
  readonly after?: string;
}

/**
 * Reviews the active orders of a user who became suspect or blocked, paid ones too, and releases those of a user who is
 * active again. It goes through the orders one after the other; each order's writes commit with the place to continue
 * from.
 *
 * A newer status of the user ends the work: each write checks that the copy of the status is still this event's. The end
 * commits with a check that this status, or a newer one, is stored.
 */
export const onUserStatusChanged = (context: ReviewContext): InboxSource =>
  on(statusChanges, {
    UserStatusChanged: async ({ event: { data }, envelope, trace }, work) => {
      const { userId, newStatus } = data;
      const ordersOfUser = new OrdersOfUser(context, userId, envelope, trace, work);
      if (await ordersOfUser.isNewest(newStatus)) {
        const isDone = await (isDoubtful(newStatus) ? ordersOfUser.review() : ordersOfUser.release());
        if (!isDone) return unfinished;
      }
      return { decide: () => statusEffect(context.reviews.table, userId, newStatus, envelope) };
    },
  });

class OrdersOfUser {
  constructor(
    private readonly context: ReviewContext,
    private readonly userId: string,
    private readonly envelope: Envelope,
    private readonly trace: Trace,
    private readonly work: Work,
  ) {}

  /**
   * Stores the copy of the status before anything else: from then on, the sagas of the user's other orders read it before
   * they charge and before they approve, and so does whoever dispatches one. So no order is missed that the list shows
   * too late.
   * @returns `false` if a newer status is stored
   */
  async isNewest(status: Parameters<typeof statusEffect>[2]): Promise<boolean> {
    const { table } = this.context.reviews;
    if (!(await this.isCurrent())) {
      await this.trySave(this.progress, await statusEffect(table, this.userId, status, this.envelope));
    }
    return this.isCurrent();
  }

  /**
   * Puts the user's active orders under review. A row of the list may be older than its order, so each order is loaded
   * that may still be active.
   * @returns `false` if time is up, and another attempt continues
   */
  async review(): Promise<boolean> {
    const { list } = this.context;
    while (this.work.timeLeft() > RESERVE_MS) {
      const page = await readOrders(list, this.userId, this.progress.after, PAGE);
      for (const { view } of page.slice(0, PAGE)) {
        const after = { after: orderPosition(view) };
        if (IS_END[view.status]) continue;
        if (!(await this.change(after, () => this.buildReview(view.orderId)))) return true;
      }
      const last = page.slice(0, PAGE).at(-1);
      if (page.length <= PAGE || !last) return true;
      await this.work.save({ after: orderPosition(last.view) });
    }
    return false;
  }

  /**
   * Releases the user's orders that are under review. Each one leaves the list, so the first page is always the next.
   * @returns `false` if time is up, and another attempt continues
   */
  async release(): Promise<boolean> {
    const { table } = this.context.reviews;
    while (this.work.timeLeft() > RESERVE_MS) {
      const open = await readOpenReviews(table, { userId: this.userId }, PAGE);
      if (open.length === 0) return true;
      for (const { orderId } of open) if (!(await this.change({}, () => this.buildRelease(orderId)))) return true;
    }
    return false;
  }

  /**
   * Returns the writes for one order; none if it needs no review. Its saga may be anywhere: it commits the charge, and the
   * order's approval, with a check or a change of the order, so one of the two comes first and the other decides again.
   */
  private async buildReview(orderId: string): Promise<readonly TransactWriteItem[]> {
    const { reviews } = this.context;
    return (await buildReviewWrites(reviews, await reviews.orderStore.load(orderId), this.trace)) ?? [];
  }

  private async buildRelease(orderId: string): Promise<readonly TransactWriteItem[]> {
    const { orderStore, table } = this.context.reviews;
    const { write } = await decideOn(orderStore, { id: orderId, command: { type: 'Release' }, trace: this.trace });
    // This event's own status: a newer one, such as BLOCKED, may have been stored a moment ago.
    const copy = { version: this.envelope.sequence, epoch: this.envelope.epoch };
    return [write, endReviewWrite(table, this.userId, orderId), copyCheck(table, this.userId, copy)];
  }

  /**
   * Changes one order, and saves the place to continue from. It decides again if others change the order meanwhile.
   * @returns `false` if the user has a newer status by now
   */
  private async change(progress: Progress, buildWrites: () => Promise<readonly TransactWriteItem[]>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      if (!(await this.isCurrent())) return false;
      const writes = await buildWrites();
      if (writes.length === 0 || (await this.trySave(progress, writes))) return true;
      if (attempt === MAX_ATTEMPTS)
        throw new Error('others kept changing an order: the next attempt continues with it');
    }
  }

  /** @returns `false` if a condition of a write failed: nothing was written */
  private async trySave(progress: Progress, writes: readonly TransactWriteItem[]): Promise<boolean> {
    try {
      await this.work.save(progress, writes);
      return true;
    } catch (error) {
      if (error instanceof TransactionRefused) return false;
      throw error;
    }
  }

  private async isCurrent(): Promise<boolean> {
    const copy = await readStatusCopy(this.context.reviews.table, this.userId);
    return copy?.version === this.envelope.sequence && copy.epoch === this.envelope.epoch;
  }

  private get progress(): Progress {
    return (this.work.progress ?? {}) as Progress;
  }
}
