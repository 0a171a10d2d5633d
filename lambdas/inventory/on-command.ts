import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { ReservationStore } from './aggregates.js';
import { releasing, reserving } from './reservation-effects.js';
import { steps } from './subscriptions.js';

/** Handles steps of an order's saga, each once per order. A repeat gets the current outcome as its answer. */
export const onCommand = (reservationStore: ReservationStore): Source =>
  on(steps, {
    ReserveStock: ({ event: { data }, trace }) => {
      const { lines, ...step } = data;
      return { decide: reserving(reservationStore, step, lines, trace) };
    },
    ReleaseStock: ({ event: { data }, trace }) => ({ decide: releasing(reservationStore, data, trace) }),
  });
