import { CREATE_ORDER_SAGA } from '../orders/contract.js';
import { CUSTOMER_LISTS, ORDER } from '../orders/keys.js';

/** Aggregates of an order, and prefix of the rows of its customer's list: a trace reads them. */
export const TRACED = {
  aggregates: [ORDER, CREATE_ORDER_SAGA, 'PriceCheck', 'Account', 'Reservation', 'Payment', 'Checkout'],
  lists: [CUSTOMER_LISTS],
} as const;
