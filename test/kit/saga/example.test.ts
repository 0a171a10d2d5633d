import { expect, test } from 'vitest';
import { decideOn, decideOnNew } from '../../../packages/kit/event-store/decide-on.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { Orchestrator } from '../../../packages/kit/saga/orchestrator.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { buildTrace } from '../../support/tally.js';
import { onTripMessage } from './example.handler.js';
import { bookTripContract, bookTripSaga, bookTrips } from './example.js';
import { type TripCommand, trips } from './example.trip.js';
import { flights, hotels } from './participants.js';

const tripId = 't1';
const trip = { tripId, seats: 2, nights: 3 };

/** The service of the pattern's README, in memory, and its participants' answers. */
function travel() {
  const service = new InMemoryService('travel');
  const tripStore = service.eventStore(trips);
  const store = service.eventStore(bookTrips);
  const orchestrator = new Orchestrator({
    saga: bookTripSaga,
    store,
    aggregate: store.aggregate,
    table: service.table.name,
    timers: new Timers({
      app: 'app',
      table: service.records.name,
      consumer: { name: 'travel-saga', generation: 0 },
      contract: bookTripContract,
    }),
  });
  const deliver = service.consumer(onTripMessage({ tripStore, orchestrator }));
  const published = (): readonly Envelope[] => service.drainPublished();
  return {
    published,
    change: async (command: TripCommand) => {
      const { write } =
        command.type === 'Request'
          ? decideOnNew(tripStore, { id: tripId, command, trace: buildTrace(command.type) })
          : await decideOn(tripStore, { id: tripId, command, trace: buildTrace(command.type) });
      await service.table.transact([write]);
    },
    /** Delivers the service's own events, as its saga's queue gets them. @returns types of commands that were sent then */
    hear: async (): Promise<readonly string[]> => {
      for (const message of published()) if (message.to === undefined) await deliver(message);
      return published().map(({ type }) => type);
    },
    answer: async (step: string, outcome: 'DONE' | 'REFUSED' = 'DONE') => {
      const data = {
        tripId,
        stepId: `${tripId}/${step}`,
        outcome,
        ...(outcome === 'REFUSED' ? { reason: 'FULL' } : {}),
      };
      await deliver(
        step.startsWith('book-flight')
          ? eventMessage(flights, { type: 'FlightAnswered', data })
          : eventMessage(hotels, { type: 'HotelAnswered', data }),
      );
    },
    statuses: async () => [(await tripStore.load(tripId)).state.status, (await store.load(tripId)).state.status],
  };
}

test('a trip is booked when all its steps are done', async () => {
  const app = travel();
  await app.change({ type: 'Request', trip });
  expect(await app.hear()).toEqual(['BookFlight']);
  await app.answer('book-flight');
  await app.answer('book-hotel');
  expect(app.published().map(({ type }) => type)).toEqual(['BookHotel', 'TripBooked']);
  expect(await app.statuses()).toEqual(['BOOKED', 'COMPLETED']);
  await expect(app.change({ type: 'Cancel', tripId })).rejects.toThrow('BOOKED');
});

test('a refused step rejects the trip at once, with its reason, before it is compensated', async () => {
  const app = travel();
  await app.change({ type: 'Request', trip });
  await app.hear();
  await app.answer('book-flight');
  app.published();
  await app.answer('book-hotel', 'REFUSED');
  const rejected = app.published();
  expect(rejected.map(({ type }) => type).toSorted()).toEqual(['CancelFlight', 'TripRejected']);
  expect(rejected.find(({ type }) => type === 'TripRejected')?.data).toEqual({ tripId, reason: 'FULL' });
  expect(await app.statuses()).toEqual(['REJECTED', 'COMPENSATING']);
  await app.answer('book-flight/undo');
  expect(await app.statuses()).toEqual(['REJECTED', 'COMPENSATED']);
});

test('a cancellation before the last answer compensates, also if its message comes after that answer', async () => {
  const app = travel();
  await app.change({ type: 'Request', trip });
  await app.hear();
  await app.answer('book-flight');
  app.published();
  await app.change({ type: 'Cancel', tripId });
  const late = app.published();
  await app.answer('book-hotel');
  expect(await app.statuses()).toEqual(['CANCELLED', 'COMPENSATING']);
  expect(app.published().map(({ type }) => type)).toEqual(['CancelHotel']);
  expect(late.map(({ type }) => type)).toEqual(['TripCancelled']);
  await app.answer('book-hotel/undo');
  await app.answer('book-flight/undo');
  expect(await app.statuses()).toEqual(['CANCELLED', 'COMPENSATED']);
});
