// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Type of the aggregate, with which the partition keys of its items begin. */
export const ORDER = 'Order';

/** Beginning of the partition keys of customers' lists. */
export const CUSTOMER_LISTS = 'CUSTOMER#';

/** Beginning of the partition keys of the users' statuses (`user-status.ts`). */
export const USER_STATUSES = 'USER#';

/** Name of the projection of customers' lists, and of its consumer. It never changes. */
export const ORDERS_LIST = 'orders-list';
