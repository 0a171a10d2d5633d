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
