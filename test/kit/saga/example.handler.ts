import { bookTripContract, type Trip } from './example.js';
import { type TripCommand, type TripEvent, type TripState, toTripCommand, tripEvents } from './example.trip.js';
import { flightAnswers, hotelAnswers } from './participants.js';

// The example of the pattern's README, word for word from here on.

import { type DeciderStore, decideOn } from '@orderly/kit/event-store';
import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import { ownCommands, type Trace } from '@orderly/kit/messages';
import type { SagaMessage } from '@orderly/kit/saga';
import type { Orchestrator } from '@orderly/kit/saga/orchestrator';

export interface TripContext {
  readonly tripStore: DeciderStore<TripState, TripCommand, TripEvent>;
  readonly orchestrator: Orchestrator<Trip>;
}

/** Handles every message to a trip's saga. The saga's id is the trip's. */
export function onTripMessage({ tripStore, orchestrator }: TripContext): readonly Source[] {
  const advance = (id: string, message: SagaMessage<Trip>, trace: Trace): Handling => ({
    decide: async () => {
      const { events, writes } = await orchestrator.advance(id, message, trace);
      const command = toTripCommand(id, events);
      if (!command) return writes;
      // The saga and its trip change in one transaction, which is repeated if either has changed meanwhile.
      const { events: changes, write } = await decideOn(tripStore, { id, command, trace });
      if (command.type !== 'Confirm' || changes.length > 0) return [...writes, write];
      // The trip was cancelled, and the message about it is still under way: compensate in place of completing.
      return [...(await orchestrator.advance(id, { type: 'Cancel' }, trace)).writes, write];
    },
  });
  const reply = ({ event: { data }, trace }: Message<{ readonly data: Answer }>): Handling => {
    const { tripId, ...answer } = data;
    return advance(tripId, { type: 'Reply', ...answer }, trace);
  };
  return [
    on(tripEvents, {
      TripRequested: ({ event: { data }, trace }) => advance(data.tripId, { type: 'Start', data }, trace),
      TripCancelled: ({ event: { data }, trace }) => advance(data.tripId, { type: 'Cancel' }, trace),
    }),
    on(flightAnswers, { FlightAnswered: reply }),
    on(hotelAnswers, { HotelAnswered: reply }),
    on(ownCommands(bookTripContract), {
      RingTimer: ({ event: { data }, trace }) => advance(data.sagaId, { type: 'Timeout', number: data.number }, trace),
      RetrySaga: ({ event: { data }, trace }) => advance(data.sagaId, { type: 'Retry' }, trace),
      ResolveSaga: ({ event: { data }, trace }) => advance(data.sagaId, { type: 'Resolve', ...data }, trace),
    }),
  ];
}

/** Answer of a participant: to a step, or to its compensation. */
interface Answer {
  readonly tripId: string;
  readonly stepId: string;
  readonly outcome: 'DONE' | 'REFUSED';
  readonly reason?: string;
}
