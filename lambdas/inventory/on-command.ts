import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { ReservationStore } from './aggregates.js';
import { createReleaseDecision, createReserveDecision } from './reservation-effects.js';
import { stepCommands } from './subscriptions.js';

/** Handles steps of an order's saga, each once per order. A repeat gets the current outcome as its answer. */
export const onCommand = (reservationStore: ReservationStore): Source =>
  on(stepCommands, {
    ReserveStock: ({ event: { data }, trace }) => {
      const { lines, ...step } = data;
      return { decide: createReserveDecision(reservationStore, step, lines, trace) };
    },
    ReleaseStock: ({ event: { data }, trace }) => ({ decide: createReleaseDecision(reservationStore, data, trace) }),
  });
