/** Metrics that the orders' functions count, beside the kit's. */
export const OrdersMetric = { ORDERS_PLACED: 'OrdersPlaced' } as const;
