import { CREATE_ORDER_SAGA, CUSTOMER_LISTS, ORDER, PLACED_INDEX } from '../orders/keys.js';

/** Types of the aggregates that have an order's id. */
export const OF_ORDER = [ORDER, CREATE_ORDER_SAGA, 'PriceCheck', 'Reservation', 'Payment', 'Checkout'] as const;

/** Aggregates of an order, which a trace and an audit read, and prefix of the rows of its customer's list. */
export const TRACED = {
  aggregates: [...OF_ORDER, 'Account'],
  lists: [CUSTOMER_LISTS],
} as const;

/** Source of the list of orders. */
export const LISTED = {
  indexes: [PLACED_INDEX],
  aggregates: [ORDER, CREATE_ORDER_SAGA],
  lists: [CUSTOMER_LISTS],
} as const;

/** Output of the stack of orders with the customer of the synthetic orders, if there are any. */
export const SYNTHETIC_OUTPUT = 'SyntheticCustomer';
