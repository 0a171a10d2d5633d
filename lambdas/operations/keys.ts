/** Aggregates of an order, and prefix of the rows of its customer's list: what a trace reads. */
export const TRACED = {
  aggregates: ['Order', 'CreateOrderSaga', 'PriceCheck', 'Account', 'Reservation', 'Payment', 'Checkout'],
  lists: ['CUSTOMER#'],
} as const;
