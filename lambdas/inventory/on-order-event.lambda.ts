import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import { ordersContract } from '../orders/contract.js';
import { releasing } from './reservation-effects.js';

/**
 * An order was cancelled after its approval: what was reserved is free again. While its saga is under way, that alone gives
 * back what it took.
 */
export const handler = consumer({
  contract: ordersContract,
  on: {
    OrderCancelled: ({ event: { data }, trace }) => ({
      decide: data.underWay ? async () => [] : releasing({ orderId: data.orderId }, trace),
    }),
  },
});
