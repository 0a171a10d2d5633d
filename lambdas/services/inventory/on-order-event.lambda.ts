import { consumer } from '../../patterns/idempotent-consumer/consumer.js';
import { ordersContract } from '../orders/contract.js';
import { releasing, reserving } from './reservation-effects.js';

/** An order was placed: all of its lines are reserved, or none. It was cancelled: what was reserved is free again. */
export const handler = consumer({
  contract: ordersContract,
  on: {
    OrderPlaced: ({ event: { data }, trace }) => ({ decide: reserving({ orderId: data.orderId }, data.lines, trace) }),
    OrderCancelled: ({ event: { data }, trace }) => ({ decide: releasing({ orderId: data.orderId }, trace) }),
  },
});
