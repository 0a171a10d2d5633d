/** Metrics that the orders' functions count, beside the kit's. */
export const OrdersMetric = {
  ORDERS_PLACED: 'OrdersPlaced',
  /** Orders that a saga approved or rejected. */
  ORDERS_DECIDED: 'OrdersDecided',
  /** Number of decided orders that took longer than the objective allows. */
  ORDERS_DECIDED_LATE: 'OrdersDecidedLate',
} as const;

/** The objective: 99.9 % of orders are decided within so many seconds after they were placed. */
export const DECISION_LIMIT_SECONDS = 30;
