import { flights, hotels } from './participants.js';

// The example of the pattern's README, word for word from here on.

import { buildCommand } from '@orderly/kit/messages';
import { type RetryPolicy, type Saga, sagaCommands, sagaEvents, sagaEvolution } from '@orderly/kit/saga';
import * as z from 'zod/mini';

/** Facts that the steps need. */
export const Trip = z.object({ tripId: z.string(), seats: z.int(), nights: z.int() });
export type Trip = z.infer<typeof Trip>;

/** State of the saga, and its messages from timeouts and from operators. */
export const bookTripContract = { service: 'travel', events: sagaEvents(Trip), commands: sagaCommands } as const;
export const bookTrips = { aggregate: 'BookTrip', contract: bookTripContract, decider: sagaEvolution<Trip>() };

const RETRY: RetryPolicy = { retryAfter: 60, timeout: 15 * 60 };

export const bookTripSaga: Saga<Trip> = {
  steps: [
    {
      name: 'book-flight',
      command: ({ tripId, seats }, stepId) => buildCommand(flights, 'BookFlight', { tripId, stepId, seats }),
      compensatingCommand: ({ tripId }, stepId) => buildCommand(flights, 'CancelFlight', { tripId, stepId }),
      retryPolicy: RETRY,
    },
    {
      name: 'book-hotel',
      command: ({ tripId, nights }, stepId) => buildCommand(hotels, 'BookHotel', { tripId, stepId, nights }),
      compensatingCommand: ({ tripId }, stepId) => buildCommand(hotels, 'CancelHotel', { tripId, stepId }),
      isNeeded: ({ nights }) => nights > 0,
      retryPolicy: RETRY,
    },
  ],
  compensationPolicy: { retryAfter: 60, timeout: 3 * 24 * 60 * 60 },
};
