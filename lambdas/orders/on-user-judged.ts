import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documents, TransactionRefused, type TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import { type InboxSource, on, unfinished, type Work } from '@orderly/kit/inbox';
import type { Envelope, Trace } from '@orderly/kit/messages';
import type { Projection } from '@orderly/kit/projection';
import { isBeforeCharge } from './domain/create-order.js';
import type { Order } from './domain/order.js';
import { ordersOf, positionOfOrder } from './order-list.js';
import { endReviewWrite, type Reviews, reviewKey, reviewWrites } from './reviews.js';
import type { CreateOrderStore } from './saga-aggregate.js';
import { statusChanges } from './subscriptions.js';
import { copyCheck, copyOf, statusEffect } from './user-status.js';

/** Milliseconds before the function's timeout in which no further order is begun. */
const RESERVE_MS = 10_000;
/** Orders of one page. */
const PAGE = 20;
/** Attempts for one order that others change meanwhile. */
const TRIES = 5;

export interface Judgements {
  readonly reviews: Reviews;
  readonly sagaStore: CreateOrderStore;
  readonly list: Projection<Order>;
}

/** Position in the user's list of orders, newest first. */
interface Progress {
  readonly after?: string;
}

/**
 * Reviews the orders of a user who became suspect, and releases those of a user who is active again. It goes through
 * the orders one after the other; each order's writes commit with the place to continue from.
 *
 * A newer status of the user ends the work: each write checks that the copy of the status is still this event's. The end
 * commits with a check that this status, or a newer one, is stored.
 */
export const onUserJudged = (judgements: Judgements): InboxSource =>
  on(statusChanges, {
    UserStatusChanged: async ({ event: { data }, envelope, trace }, work) => {
      const { userId, newStatus } = data;
      const fan = new FanOut(judgements, userId, envelope, trace, work);
      if (newStatus !== 'BLOCKED' && (await fan.isNewest(newStatus))) {
        const isDone = await (newStatus === 'SUSPECT' ? fan.review() : fan.release());
        if (!isDone) return unfinished;
      }
      return { decide: () => statusEffect(judgements.reviews.table, userId, newStatus, envelope) };
    },
  });

class FanOut {
  constructor(
    private readonly judgements: Judgements,
    private readonly userId: string,
    private readonly envelope: Envelope,
    private readonly trace: Trace,
    private readonly work: Work,
  ) {}

  /**
   * Stores the copy of the status before anything else: from then on, the sagas of the user's other orders read it before
   * they charge. So no order is missed between the list and the sagas.
   * @returns `false` if a newer status is stored
   */
  async isNewest(status: Parameters<typeof statusEffect>[2]): Promise<boolean> {
    const { table } = this.judgements.reviews;
    if (!(await this.isCurrent())) {
      await this.saved(this.progress, await statusEffect(table, this.userId, status, this.envelope));
    }
    return this.isCurrent();
  }

  /**
   * Puts the user's orders under review whose charge was not sent yet.
   * @returns `false` if time is up, and another attempt continues
   */
  async review(): Promise<boolean> {
    const { list } = this.judgements;
    while (this.work.timeLeft() > RESERVE_MS) {
      const page = await ordersOf(list, this.userId, this.progress.after, PAGE);
      for (const { view } of page.slice(0, PAGE)) {
        const after = { after: positionOfOrder(view) };
        if (view.status !== 'PENDING') continue;
        if (!(await this.change(after, () => this.reviewOf(view.orderId)))) return true;
      }
      const last = page.slice(0, PAGE).at(-1);
      if (page.length <= PAGE || !last) return true;
      await this.work.save({ after: positionOfOrder(last.view) });
    }
    return false;
  }

  /**
   * Releases the user's orders that are under review. Each one leaves the list, so the first page is always the next.
   * @returns `false` if time is up, and another attempt continues
   */
  async release(): Promise<boolean> {
    const { table } = this.judgements.reviews;
    while (this.work.timeLeft() > RESERVE_MS) {
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: 'pk = :list',
          ExpressionAttributeValues: { ':list': reviewKey(this.userId, '').pk },
          ConsistentRead: true,
          Limit: PAGE,
        }),
      );
      if (Items.length === 0) return true;
      for (const { sk } of Items) if (!(await this.change({}, () => this.releaseOf(String(sk))))) return true;
    }
    return false;
  }

  /**
   * Returns the writes for one order; none if it needs no review, or its saga has sent the charge. The saga must not send
   * it meanwhile, so the writes check the saga, too.
   */
  private async reviewOf(orderId: string): Promise<readonly TransactWriteItem[]> {
    const { reviews, sagaStore } = this.judgements;
    const [order, saga] = await Promise.all([reviews.orderStore.load(orderId), sagaStore.load(orderId)]);
    if (!isBeforeCharge(saga.state)) return [];
    const writes = await reviewWrites(reviews, order, this.trace);
    // The writes check the copy already.
    return writes ? [...writes, sagaStore.unchangedCheck(saga)] : [];
  }

  private async releaseOf(orderId: string): Promise<readonly TransactWriteItem[]> {
    const { orderStore, table } = this.judgements.reviews;
    const { write } = await decideOn(orderStore, { id: orderId, command: { type: 'Release' }, trace: this.trace });
    // This event's own status: a newer one, such as BLOCKED, may have been stored a moment ago.
    const copy = { version: this.envelope.sequence, epoch: this.envelope.epoch };
    return [write, endReviewWrite(table, this.userId, orderId), copyCheck(table, this.userId, copy)];
  }

  /**
   * Changes one order, and saves the place to continue from. It decides again if others change the order meanwhile.
   * @returns `false` if the user has a newer status by now
   */
  private async change(progress: Progress, writesOf: () => Promise<readonly TransactWriteItem[]>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      if (!(await this.isCurrent())) return false;
      const writes = await writesOf();
      if (writes.length === 0 || (await this.saved(progress, writes))) return true;
      if (attempt === TRIES) throw new Error('others kept changing an order: the next attempt continues with it');
    }
  }

  /** @returns `false` if a condition of a write failed: nothing was written */
  private async saved(progress: Progress, writes: readonly TransactWriteItem[]): Promise<boolean> {
    try {
      await this.work.save(progress, writes);
      return true;
    } catch (error) {
      if (error instanceof TransactionRefused) return false;
      throw error;
    }
  }

  private async isCurrent(): Promise<boolean> {
    const copy = await copyOf(this.judgements.reviews.table, this.userId);
    return copy?.version === this.envelope.sequence && copy.epoch === this.envelope.epoch;
  }

  private get progress(): Progress {
    return (this.work.progress ?? {}) as Progress;
  }
}
