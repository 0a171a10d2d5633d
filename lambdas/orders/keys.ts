// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Type of the aggregate, with which the partition keys of its items begin. */
export const ORDER = 'Order';

/** Type of the saga (process manager) that leads an order; its keys begin with this. */
export const CREATE_ORDER_SAGA = 'CreateOrderSaga';

/** Form of this service's ids. */
export const ORDER_ID = /^[0-9a-f]{32}$/;

/** Beginning of the partition keys of customers' lists. */
export const CUSTOMER_LISTS = 'CUSTOMER#';

/** First word of the sort keys of orders in a customer's list. */
export const LISTED_ORDER = 'ORDER';

/** Sort key of the copy of a customer's status in the partition of their list: behind all orders, so that newest orders come after it. */
export const LISTED_STATUS = 'STATUS';

/** Beginning of the partition keys of what this service knows of users (`user-status.ts`, `user-address.ts`, `user-payer.ts`). */
export const USER_COPIES = 'USER#';

/** Partition of the orders under review (`reviews.ts`). */
export const REVIEWS = 'REVIEWS';

/** Name of the projection of customers' lists, and of its consumer. It never changes. */
export const ORDERS_LIST = 'orders-list';

/**
 * Index of the rows of customers' lists by the time of their orders: `placedPk`, `sk`. Operators find orders by it. It has a partition
 * for each shard of each day.
 */
export const PLACED_INDEX = 'placed';

/** Beginning of the index's partition keys. */
const PLACED = 'PLACED#';

/** Shape of the list's rows: from 2 on, they have the index's key and a summary. */
export const LIST_SHAPE = 2;

/**
 * Shards of a day. An order writes its row two or three times, one write unit each, and a partition takes 1,000 units a second (AWS,
 * "Best practices for designing and using partition keys effectively in DynamoDB"). So four of them take over 1,300 orders a second;
 * the eight shards of the feed, with about nine commits for each order, take fewer. Another number is another shape of the rows.
 */
const SHARDS = [0, 1, 2, 3] as const;

/** Returns the shard of an order. The digits of its id are those of a hash. */
const shardOf = (orderId: string): number => (Number.parseInt(orderId.slice(-1), 16) || 0) % SHARDS.length;

/** Returns the day of a time. @param time ISO 8601, UTC */
export const dayOf = (time: string): string => time.slice(0, '2026-11-22'.length);

/** Returns the key of an order's partition in the index, in version 1 of the list. */
export const placedPartition = ({
  placedAt,
  orderId,
}: {
  readonly placedAt: string;
  readonly orderId: string;
}): string => `${PLACED}${dayOf(placedAt)}#${shardOf(orderId)}`;

/** Returns the keys of a day's partitions in the index, in version 1 of the list. */
export const placedPartitions = (day: string): readonly string[] => SHARDS.map((shard) => `${PLACED}${day}#${shard}`);
