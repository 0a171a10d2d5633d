import { safeText } from '@orderly/kit/aws';
import { vi } from 'vitest';
import { APP } from '../../../lambdas/app.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { Unsendable } from '../../../packages/kit/failures/failure-kinds.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { decodeMessage, on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { ownCommands } from '../../../packages/kit/messages/subscriptions.js';
import { type SagaEvent, timerIdOf } from '../../../packages/kit/saga/contract.js';
import { Orchestrator } from '../../../packages/kit/saga/orchestrator.js';
import { compensationIdOf, type SagaMessage, SagaRefused, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { type Trip, tripContract, tripSaga } from '../../kit/saga/trip.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

export const owner = { name: 'trips-saga', generation: 0 };
export const AT = '2026-03-01T00:00:00.000Z';
export const store = new DynamoDbEventStore<SagaState<Trip>, SagaEvent<Trip>>(
  { table: 'trips', aggregate: 'TripSaga', contract: tripContract, feedShards: [] },
  { initialState, evolve, stateSchema: 1 },
);
export const orchestrator = new Orchestrator<Trip>({
  saga: tripSaga,
  store,
  aggregate: 'TripSaga',
  table: 'trips',
  timers: new Timers({ app: APP.name, table: 'records', consumer: owner, contract: tripContract }),
});
export const consumer = {
  ...owner,
  events: [],
  takesCommands: false,
  dedupeWindowSeconds: 1,
  longestRedeliverySeconds: 1,
  projection: false,
  queueUrl: 'https://queue.test/trips-saga',
};
export const services: readonly Service[] = [
  {
    name: 'trips',
    table: 'trips',
    records: 'records',
    relay: '',
    feedShards: [],
    consumers: [{ ...consumer, saga: 'TripSaga' }],
  },
  {
    name: 'other',
    table: 'others',
    records: 'records',
    relay: '',
    feedShards: [],
    consumers: [{ ...consumer, name: 'other' }],
  },
];

/** Context of the commands. */
export const context = {
  app: APP.name,
  documents: documentClient,
  clock,
  services,
  command: commandFormatter('trips'),
  actor: async () => 'olga',
};

/** Empty tables, and a clock that stands at {@link AT}: before each test. */
export function emptyTrips(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(AT) });
  inProcessDynamoDb(
    { trips: ['pk', 'sk'], records: ['pk'], others: ['pk', 'sk'] },
    { records: { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] } },
  );
}

export const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);
export const at = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();
let messages = 0;
export async function receives(id: string, ...heard: readonly SagaMessage<Trip>[]) {
  for (const message of heard)
    await transact([...(await orchestrator.advance(id, message, buildTrace(`m${++messages}`))).writes]);
}
export const start = (id: string): SagaMessage<Trip> => ({ type: 'Start', data: { id, nights: 2 } });
export const reply = (stepId: string, outcome: 'DONE' | 'REFUSED', reason = 'NO'): SagaMessage<Trip> => ({
  type: 'Reply',
  stepId,
  outcome,
  ...(outcome === 'REFUSED' && { reason }),
});
export const begun = async (...ids: readonly string[]) => {
  for (const id of ids) await receives(id, start(id));
};
/** Its timeout can't be sent. */
export const clockFails = (id: string, number: number) =>
  new FailureRecords('records', owner).failPending(recordKey(owner, timerIdOf(id, number)), {
    error: new Unsendable(safeText`InvalidMessageContents`),
  });
/** It pauses before its hotel. */
export async function held(id: string): Promise<void> {
  await receives(id, start(id), reply(stepIdOf(id, 'check-passport'), 'DONE'), {
    ...(reply(stepIdOf(id, 'book-flight'), 'DONE') as Extract<SagaMessage<Trip>, { type: 'Reply' }>),
    holdBefore: 'book-hotel',
  });
}
/** Its hotel is refused, and the flight can't be cancelled. */
export async function stuck(id: string): Promise<void> {
  await receives(
    id,
    start(id),
    reply(stepIdOf(id, 'check-passport'), 'DONE'),
    reply(stepIdOf(id, 'book-flight'), 'DONE'),
    reply(stepIdOf(id, 'book-hotel'), 'REFUSED', 'FULL'),
    reply(compensationIdOf(id, 'book-flight'), 'REFUSED', 'TAKEN_OFF'),
  );
}

/** Delivers a message to the sagas' consumer. */
export async function deliver(body: string): Promise<void> {
  const envelope = readEnvelope(body);
  const advance = (message: SagaMessage<Trip>) => ({
    decide: async () =>
      (await orchestrator.advance(envelope.subject.slice('TripSaga/'.length), message, buildTrace(envelope.id))).writes,
  });
  const source = on(ownCommands(tripContract), {
    RingTimer: ({ event }) => advance({ type: 'Timeout', number: event.data.number }),
    RetrySaga: () => advance({ type: 'Retry' }),
    ResolveSaga: ({ event: { data } }) => advance({ type: 'Resolve', step: data.step, by: data.by, note: data.note }),
  });
  const { event, handle } = decodeMessage([source], envelope, []);
  const handling = handle({ envelope, event, trace: buildTrace(envelope.id) });
  if (!('decide' in handling)) throw new Error('no effect');
  try {
    await processOnce(envelope, handling.decide, new ProcessedRecords('records', owner, 35 * 86_400));
  } catch (error) {
    if (!(error instanceof SagaRefused)) throw error;
    await new FailureRecords('records', owner).put({ id: envelope.id, payload: body, error });
  }
}
