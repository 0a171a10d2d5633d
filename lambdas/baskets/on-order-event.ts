import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Baskets } from './basket-store.js';
import { placedOrders } from './subscriptions.js';

/**
 * Removes the lines that have become an order from their basket. A placed order that was no basket, or whose lines were
 * all changed meanwhile, changes nothing. That can't become wrong later, because lines are marked before their order is
 * placed; so such a decision needs no check of the basket.
 */
export const onOrderEvent = (baskets: Baskets): Source =>
  on(placedOrders, {
    OrderPlaced: ({ event: { data }, trace }) => ({
      decide: () => baskets.emptyWrites(data.customerId, data.orderId, trace),
    }),
  });
