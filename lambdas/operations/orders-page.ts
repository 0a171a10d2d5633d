import type { ListState } from './list-fill.js';
import type { PlacedOrder } from './placed-orders.js';

/** An order, as a list shows it. */
export interface ListedOrder extends PlacedOrder {
  /** Step at which it stands, or was refused. */
  readonly step?: string;
  /** Seconds from placing it to the decision. */
  readonly seconds?: number;
}

/** How many orders have a status, or a reason; the most frequent ones first. */
export interface OrderCounts {
  readonly orders: number;
  readonly statuses: readonly { readonly status: string; readonly orders: number }[];
  readonly reasons: readonly { readonly reason: string; readonly orders: number }[];
}

/** Answer to a question about orders. */
export interface OrdersPage {
  readonly from: string;
  readonly to: string;
  readonly orders: readonly ListedOrder[];
  /** Of all orders of the time that match, not of this page only; absent on later pages. */
  readonly counts?: OrderCounts;
  /** Number of orders that were compared with what is asked. */
  readonly looked: number;
  /** Time down to which they were; absent if it is all of the time. */
  readonly reached?: string;
  readonly nextCursor?: string;
  /** Command that shows the next page. */
  readonly next?: string;
  readonly list: ListState;
}
