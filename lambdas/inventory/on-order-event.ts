import { noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import type { ReservationStore } from './aggregates.js';
import { releasing } from './reservation-effects.js';
import { cancellations } from './subscriptions.js';

/** Releases an order's reserved stock when it is cancelled after its approval. */
export const onOrderEvent = (reservationStore: ReservationStore): Source =>
  on(cancellations, {
    OrderCancelled: ({ event: { data }, trace }) =>
      isLeftToSaga(data) ? noEffect : { decide: releasing(reservationStore, { orderId: data.orderId }, trace) },
  });
