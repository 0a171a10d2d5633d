import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { ReservationRefused } from './domain/reservation.js';
import { releasing, reserving } from './reservation-effects.js';
import { steps } from './subscriptions.js';

/** Handles steps of an order's saga, each once per order. A repeat gets the current outcome as its answer. */
export const handler = consumer(
  [
    on(steps, {
      ReserveStock: ({ event: { data }, trace }) => {
        const { lines, ...step } = data;
        return { decide: reserving(step, lines, trace) };
      },
      ReleaseStock: ({ event: { data }, trace }) => ({ decide: releasing(data, trace) }),
    }),
  ],
  { isRefusal: (error) => error instanceof ReservationRefused },
);
