/** Variables of functions in more than one service; the others are in the service's own `environment.ts`. */
export const AppEnv = {
  /** Functions that limit a customer: the limits, as JSON (`customer-limits.ts`). */
  CUSTOMER_LIMITS: 'CUSTOMER_LIMITS',
  /** Functions that take orders: `refuse` if an order that could never be charged is refused. Absent otherwise. */
  UNCHARGEABLE_ORDERS: 'UNCHARGEABLE_ORDERS',
} as const;

/**
 * Variable of functions that leave out the synthetic orders: the customer who places them. Absent in an environment without them. It is
 * no member of `AppEnv`, since a bundle has all members or none.
 */
export const SYNTHETIC_CUSTOMER = 'SYNTHETIC_CUSTOMER';

/** Limits of one customer. Whole numbers above 0. */
export interface CustomerLimits {
  /** Orders that are under way at once. */
  readonly ordersUnderWay: number;
  /** Orders within a clock hour (UTC). */
  readonly ordersPerHour: number;
  /** Payments that are requested within a day (UTC), whatever becomes of them; those of orders don't count. */
  readonly paymentsPerDay: number;
  /** Refunds that are requested within a day (UTC); those of orders don't count. */
  readonly refundsPerDay: number;
  /** Sum of these refunds in each currency, in its smallest unit. */
  readonly refundedPerDay: number;
}
