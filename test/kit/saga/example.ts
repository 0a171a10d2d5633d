const flights = { service: 'flights', events: {} };
const hotels = { service: 'hotels', events: {} };

// The example of the pattern's README, word for word from here on.
import { type RetryPolicy, type Saga, sagaCommands, sagaEvents } from '@orderly/kit/saga';
import * as z from 'zod/mini';

const Trip = z.object({ tripId: z.string(), seats: z.int(), nights: z.int() });
type Trip = z.infer<typeof Trip>;

/** State of the saga, and its messages from timeouts and from operators. */
export const bookTripContract = { service: 'travel', events: sagaEvents(Trip), commands: sagaCommands } as const;

const RETRY: RetryPolicy = { retryAfter: 60, timeout: 15 * 60 };

export const bookTripSaga: Saga<Trip> = {
  steps: [
    {
      name: 'book-flight',
      command: ({ tripId, seats }, stepId) => ({
        to: flights,
        command: { type: 'BookFlight', data: { tripId, stepId, seats } },
      }),
      compensatingCommand: ({ tripId }, stepId) => ({
        to: flights,
        command: { type: 'CancelFlight', data: { tripId, stepId } },
      }),
      retryPolicy: RETRY,
    },
    {
      name: 'book-hotel',
      command: ({ tripId, nights }, stepId) => ({
        to: hotels,
        command: { type: 'BookHotel', data: { tripId, stepId, nights } },
      }),
      compensatingCommand: ({ tripId }, stepId) => ({
        to: hotels,
        command: { type: 'CancelHotel', data: { tripId, stepId } },
      }),
      isNeeded: ({ nights }) => nights > 0,
      retryPolicy: RETRY,
    },
  ],
  compensationPolicy: { retryAfter: 60, timeout: 3 * 24 * 60 * 60 },
};
