// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Types of the aggregates, with which the partition keys of their items begin. */
export const WEBHOOK = 'Webhook';
/** One delivery of one event to one webhook: what is sent in any order, and what is sent again. */
export const WEBHOOK_DELIVERY = 'WebhookDelivery';
/** Events of one order for one webhook that asked for their order. */
export const WEBHOOK_FEED = 'WebhookFeed';

/** Form of the ids of webhooks. */
export const WEBHOOK_ID = /^[0-9a-f]{32}$/;

/** Beginning of the partition keys of lists: webhooks of all orders, and of one customer's. */
export const SUBSCRIBERS = 'SUBSCRIBERS#';

/** Beginning of the partition keys of a webhook's deliveries. */
export const DELIVERIES = 'DELIVERIES#';

/** Beginning of the partition keys of orders with their customers. */
export const ORDER_CUSTOMERS = 'ORDER#';

/** Beginning of the partition keys of customers who were forgotten. */
export const FORGOTTEN = 'FORGOTTEN#';
