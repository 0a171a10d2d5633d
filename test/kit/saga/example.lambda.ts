import { onTripMessage } from './example.handler.js';
import { bookTripContract, bookTripSaga, bookTrips } from './example.js';
import { trips } from './example.trip.js';

// The example of the pattern's README, word for word from here on.

import { Env, requireEnv, requireIntegerEnv } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { SagaRefused } from '@orderly/kit/saga';
import { Orchestrator } from '@orderly/kit/saga/orchestrator';
import { Timers } from '@orderly/kit/timers';

const store = eventStoreFromEnvironment(bookTrips);
const timers = new Timers({
  app: requireEnv(Env.APP),
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  contract: bookTripContract,
});
const { aggregate, table } = store;
const orchestrator = new Orchestrator({ saga: bookTripSaga, store, aggregate, table, timers });

export const handler = consumer(onTripMessage({ tripStore: eventStoreFromEnvironment(trips), orchestrator }), {
  // An operator's request that the saga's state does not allow.
  isRefusal: (error) => error instanceof SagaRefused,
});
