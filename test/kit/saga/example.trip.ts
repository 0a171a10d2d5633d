import { Trip } from './example.js';

// The example of the pattern's README, word for word from here on.

import type { Decider } from '@orderly/kit/decider';
import { type EventOf, subscribe } from '@orderly/kit/messages';
import type { SagaEvent } from '@orderly/kit/saga';
import * as z from 'zod/mini';

/** Events of a trip for other services. The saga's own events stay inside of its service. */
export const travelContract = {
  service: 'travel',
  events: {
    TripRequested: { version: 1, data: Trip },
    TripBooked: { version: 1, data: z.object({ tripId: z.string() }) },
    TripRejected: { version: 1, data: z.object({ tripId: z.string(), reason: z.string() }) },
    TripCancelled: { version: 1, data: z.object({ tripId: z.string() }) },
  },
} as const;
export type TripEvent = EventOf<typeof travelContract>;
export const tripEvents = subscribe(travelContract, ['TripRequested', 'TripCancelled']);

export type TripState = { readonly status: 'NONE' | 'REQUESTED' | 'BOOKED' | 'REJECTED' | 'CANCELLED' };
export type TripCommand =
  | { readonly type: 'Request'; readonly trip: Trip }
  | { readonly type: 'Cancel'; readonly tripId: string }
  | { readonly type: 'Confirm'; readonly tripId: string }
  | { readonly type: 'Reject'; readonly tripId: string; readonly reason: string };

/** A command that a rule of trips forbids. */
export class TripRefused extends Error {
  constructor(readonly code: 'BOOKED' | 'UNKNOWN_TRIP') {
    super(code);
  }
}

const STATUS = {
  TripRequested: 'REQUESTED',
  TripBooked: 'BOOKED',
  TripRejected: 'REJECTED',
  TripCancelled: 'CANCELLED',
} as const;

export const tripDecider: Decider<TripState, TripCommand, TripEvent> = {
  initialState: { status: 'NONE' },
  evolve: (_, { type }) => ({ status: STATUS[type] }),
  decide: ({ status }, command) => {
    if (command.type === 'Request') return status === 'NONE' ? [{ type: 'TripRequested', data: command.trip }] : [];
    const { tripId } = command;
    if (command.type === 'Cancel') {
      if (status === 'NONE') throw new TripRefused('UNKNOWN_TRIP');
      // The saga has completed, and ignores a cancellation: nobody would cancel the flight.
      if (status === 'BOOKED') throw new TripRefused('BOOKED');
      return status === 'REQUESTED' ? [{ type: 'TripCancelled', data: { tripId } }] : [];
    }
    // The end of the saga. A trip that was cancelled meanwhile stays cancelled.
    if (status !== 'REQUESTED') return [];
    if (command.type === 'Confirm') return [{ type: 'TripBooked', data: { tripId } }];
    return [{ type: 'TripRejected', data: { tripId, reason: command.reason } }];
  },
  stateSchema: 1,
};
export const trips = { aggregate: 'Trip', contract: travelContract, decider: tripDecider };

/** Meaning of the saga's events for its trip. `SagaFailed` has the ending; `SagaCompensated`, which may be days later, has none. */
export function toTripCommand(tripId: string, events: readonly SagaEvent<Trip>[]): TripCommand | undefined {
  for (const { type, data } of events) {
    if (type === 'SagaCompleted') return { type: 'Confirm', tripId };
    if (type === 'SagaFailed') return { type: 'Reject', tripId, reason: data.ending.reason ?? data.ending.cause };
  }
  return undefined;
}
