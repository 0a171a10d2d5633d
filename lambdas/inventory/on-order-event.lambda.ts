import { consumer, noEffect, on } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import { releasing } from './reservation-effects.js';
import { cancellations } from './subscriptions.js';

/** Releases an order's reserved stock when it is cancelled after its approval. */
export const handler = consumer([
  on(cancellations, {
    OrderCancelled: ({ event: { data }, trace }) =>
      isLeftToSaga(data) ? noEffect : { decide: releasing({ orderId: data.orderId }, trace) },
  }),
]);
