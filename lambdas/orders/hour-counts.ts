import { hourOf, type OrderView } from './contract.js';
import { orderPosition } from './order-list.js';

/** Orders of one customer that this execution environment has seen in a clock hour. */
interface HourCount {
  readonly hour: string;
  readonly orders: number;
  /** Position of the newest of them. */
  readonly upTo: string;
}

const MAX_CUSTOMERS = 1_000;

/**
 * Counts customers' orders of a clock hour from request to request, so that each request needs to read only the newest ones. The count is
 * never above that of the list. It may be below: an execution environment counts from the first request that it sees, and misses some
 * if more orders are placed between two requests than one request reads.
 */
export class HourCounts {
  private readonly counts = new Map<string, HourCount>();

  /**
   * Returns the number of a customer's orders in an hour, as far as it is known.
   * @param newest the customer's newest orders, newest first
   */
  count(customerId: string, newest: readonly OrderView[], hour: string): number {
    const inHour = newest.filter(({ placedAt }) => hourOf(placedAt) === hour);
    const known = this.known(customerId, hour);
    const [first] = inHour;
    if (!first) return known;
    const before = this.counts.get(customerId);
    const since = before && known > 0 ? inHour.filter((one) => orderPosition(one) > before.upTo).length : 0;
    const orders = Math.max(inHour.length, known + since);
    const upTo = before && known > 0 && since === 0 ? before.upTo : orderPosition(first);
    // The customer comes to the end of the line: the first one is who has not ordered for longest.
    this.counts.delete(customerId);
    this.counts.set(customerId, { hour, orders, upTo });
    if (this.counts.size > MAX_CUSTOMERS) this.counts.delete(String(this.counts.keys().next().value));
    return orders;
  }

  /** Returns the count so far, without orders that were placed since; 0 if nothing is known. */
  known(customerId: string, hour: string): number {
    const count = this.counts.get(customerId);
    return count?.hour === hour ? count.orders : 0;
  }
}
