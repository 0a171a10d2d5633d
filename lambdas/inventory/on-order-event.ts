import { noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import type { ReservationStore } from './aggregates.js';
import { createDispatchDecision, createReleaseDecision } from './reservation-effects.js';
import { orderEnds } from './subscriptions.js';

/**
 * Releases an order's reserved stock when it is cancelled after its approval, and takes it out of the stock when it is
 * dispatched. An order has at most one of these ends.
 */
export const onOrderEvent = (reservationStore: ReservationStore): Source =>
  on(orderEnds, {
    OrderCancelled: ({ event: { data }, trace }) =>
      isLeftToSaga(data)
        ? noEffect
        : { decide: createReleaseDecision(reservationStore, { orderId: data.orderId }, trace) },
    OrderDispatched: ({ event: { data }, trace }) => ({
      decide: createDispatchDecision(reservationStore, data.orderId, trace),
    }),
  });
