import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { releasing } from './reservation-effects.js';
import { cancellations } from './subscriptions.js';

/**
 * Releases an order's reserved stock when it is cancelled after its approval. While the order's saga is in progress,
 * only the saga compensates.
 */
export const handler = consumer([
  on(cancellations, {
    OrderCancelled: ({ event: { data }, trace }) => ({
      decide: data.underWay ? async () => [] : releasing({ orderId: data.orderId }, trace),
    }),
  }),
]);
