import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import { on } from '../../packages/kit/idempotent-consumer/listening.js';
import { releasing } from './reservation-effects.js';
import { cancellations } from './subscriptions.js';

/**
 * An order was cancelled after its approval: what was reserved is free again. While its saga is under way, that alone gives
 * back what it took.
 */
export const handler = consumer([
  on(cancellations, {
    OrderCancelled: ({ event: { data }, trace }) => ({
      decide: data.underWay ? async () => [] : releasing({ orderId: data.orderId }, trace),
    }),
  }),
]);
