import { randomUUID } from 'node:crypto';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { APP } from '../../../lambdas/app.js';
import {
  documentClient,
  type Item,
  TransactionRefused,
  type TransactWriteItem,
  transact,
} from '../../../packages/kit/aws/dynamodb.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { PENDING } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { roundTripKey, type SagaEvent, stuckKey } from '../../../packages/kit/saga/contract.js';
import { Orchestrator } from '../../../packages/kit/saga/orchestrator.js';
import { compensationIdOf, type SagaMessage, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { metricLines } from '../../support/metric-lines.js';
import { buildTrace } from '../../support/tally.js';
import { type Trip, tripContract, tripSaga } from './trip.js';

const owner = { name: 'trips-saga', generation: 0 };
const processedRecords = new ProcessedRecords('records', owner, 35 * 86_400);
const store = new DynamoDbEventStore<SagaState<Trip>, SagaEvent<Trip>>(
  { table: 'trips', aggregate: 'TripSaga', contract: tripContract, feedShards: [] },
  { initialState, evolve, stateSchema: 1 },
);
const orchestrator = new Orchestrator<Trip>({
  saga: tripSaga,
  store,
  aggregate: 'TripSaga',
  table: 'trips',
  timers: new Timers({ app: APP.name, table: 'records', consumer: owner, contract: tripContract }),
});

let id: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') });
  inProcessDynamoDb({ trips: ['pk', 'sk'], records: ['pk'] });
  id = randomUUID();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);
const step = (name: string) => stepIdOf(id, name);
const undo = (name: string) => compensationIdOf(id, name);
const done = (stepId: string): SagaMessage<Trip> => ({ type: 'Reply', stepId, outcome: 'DONE' });
const start = (): SagaMessage<Trip> => ({ type: 'Start', data: { id, nights: 2 } });

/** One delivery of a message to the saga's consumer. */
const receives = (message: SagaMessage<Trip>, messageId: string = randomUUID()) => {
  const envelope = { id: messageId, source: 'app.trips', time: new Date().toISOString() } as Envelope;
  const decide = async () => (await orchestrator.advance(id, message, buildTrace(messageId))).writes;
  return processOnce(envelope, decide, processedRecords);
};
const hearsAll = async (...messages: readonly SagaMessage<Trip>[]) => {
  for (const message of messages) await receives(message);
};

const read = async (TableName: string, Key: Item): Promise<Item | undefined> =>
  (await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
const timeoutRecordOf = (number: number) => read('records', { pk: recordKey(owner, `${id}/timer-${number}`) });
const stuck = () => read('trips', { pk: stuckKey('TripSaga'), sk: id });
const saga = () => store.load(id);
const commandsSent = async () =>
  (await saga()).commits.flatMap(({ commands = [] }) => commands.map(({ to, type, data }) => ({ to, type, data })));

describe('an orchestrator', () => {
  test('commits the start, its first command and its clock together', async () => {
    await receives(start());
    const { commits, state } = await saga();
    expect(commits).toHaveLength(1);
    expect(commits[0]!.events.map(({ type }) => type)).toEqual(['SagaStarted', 'StepSent', 'TimerSet']);
    expect(await commandsSent()).toEqual([
      { to: 'travel', type: 'CheckPassport', data: JSON.stringify({ id, stepId: step('check-passport') }) },
    ]);
    expect(await timeoutRecordOf(1)).toMatchObject({ status: PENDING, executeAt: state.timerAt });
  });

  test('starts once, however often and under whichever message it is asked to', async () => {
    await Promise.all([receives(start()), receives(start()), receives(start(), 'again'), receives(start(), 'again')]);
    await receives(start());
    expect((await saga()).commits).toHaveLength(1);
  });

  test('accepts one of two answers to a step that come at once', async () => {
    await receives(start());
    const refusal: SagaMessage<Trip> = { ...done(step('check-passport')), outcome: 'REFUSED' } as never;
    await Promise.all([
      receives(done(step('check-passport'))),
      receives(refusal),
      receives(done(step('check-passport'))),
    ]);
    const types = (await saga()).commits.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types.filter((type) => type === 'StepDone' || type === 'SagaFailed')).toHaveLength(1);
  });

  test('an answer that changes nothing is not recorded beside a change that it has not seen', async () => {
    await receives(start());
    // It is early: nothing waits for it. Before that is recorded, the step comes that does.
    const early = await orchestrator.advance(id, done(step('book-flight')), buildTrace('early'));
    await receives(done(step('check-passport')));
    await expect(transact([...early.writes])).rejects.toThrow(TransactionRefused);
    await receives(done(step('book-flight')));
    expect((await saga()).state).toMatchObject({ waiting: { step: 'book-hotel' } });
  });

  test('nothing of the saga is written if a part of it is refused', async () => {
    const { writes } = await orchestrator.advance(id, start(), buildTrace('x'));
    const never: TransactWriteItem = {
      ConditionCheck: {
        TableName: 'trips',
        Key: { pk: 'none', sk: 'none' },
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    await expect(transact([...writes, never])).rejects.toThrow();
    expect((await saga()).version).toBe(0);
    expect(await timeoutRecordOf(1)).toBeUndefined();
  });

  test('clears its clock with its last step', async () => {
    await hearsAll(start(), ...tripSaga.steps.map(({ name }) => done(step(name))));
    expect((await saga()).state).toMatchObject({ status: 'COMPLETED' });
    expect(await timeoutRecordOf(1)).toBeUndefined();
  });

  test('schedules a new timeout after the old one has fired', async () => {
    await receives(start());
    pass(60);
    await receives({ type: 'Timeout', number: 1 });
    expect(await timeoutRecordOf(1)).toBeUndefined();
    expect(await timeoutRecordOf(2)).toMatchObject({ status: PENDING, executeAt: '2026-03-01T00:03:00.000Z' });
    expect((await commandsSent()).map(({ type }) => type)).toEqual(['CheckPassport', 'CheckPassport']);
  });

  test('lists a saga for as long as it is stuck, and counts each time that it gets so', async () => {
    const counted = vi.spyOn(Metrics.prototype, 'addMetric');
    await hearsAll(start(), done(step('check-passport')), done(step('book-flight')), { type: 'Cancel' });
    await receives({ type: 'Reply', stepId: undo('book-hotel'), outcome: 'REFUSED', reason: 'NEVER' });
    expect(await stuck()).toMatchObject({ step: 'book-hotel', reason: 'NEVER', since: '2026-03-01T00:00:00.000Z' });
    await receives({ type: 'Retry' });
    expect(await stuck()).toBeUndefined();
    await receives({ type: 'Reply', stepId: undo('book-hotel'), outcome: 'REFUSED', reason: 'NEVER' });
    expect(await stuck()).toBeDefined();
    await receives({ type: 'Resolve', step: 'book-hotel', by: 'operator:eve', note: 'called them' });
    expect(await stuck()).toBeUndefined();
    await receives(done(undo('book-flight')));
    expect((await saga()).state).toMatchObject({ status: 'COMPENSATED', ending: { cause: 'CANCELLED' } });
    expect(counted.mock.calls).toEqual([1, 2].map(() => ['SagasStuck', MetricUnit.Count, 1]));
  });

  describe('an orchestrator with a backlog', () => {
    const roundTrip = () => read('trips', { pk: roundTripKey('TripSaga'), sk: 'check-passport' });
    const late = async (seconds: number) => {
      id = randomUUID();
      await receives(start());
      pass(seconds);
      await receives(done(step('check-passport')));
    };
    beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

    test('stores the longest round trip of late answers of a minute', async () => {
      await late(30);
      expect(await roundTrip()).toBeUndefined();
      await late(50);
      expect(await roundTrip()).toMatchObject({ seconds: 50, at: '2026-03-01T00:01:20.000Z' });
      await late(40);
      expect(await roundTrip()).toMatchObject({ seconds: 50 });
      await late(31);
      expect(await roundTrip()).toMatchObject({ seconds: 31, at: '2026-03-01T00:02:31.000Z' });
    });

    test('stores one of four late answers', async () => {
      vi.spyOn(Math, 'random').mockReturnValue(0.25);
      await late(50);
      expect(await roundTrip()).toBeUndefined();
    });

    test('stores nothing of a step that was sent again, since the answered attempt is unknown', async () => {
      await receives(start());
      pass(60);
      await receives({ type: 'Timeout', number: 1 });
      await receives(done(step('check-passport')));
      expect(await roundTrip()).toBeUndefined();
    });

    test('sends nothing again while answers take as long, and as ever later than five minutes after the last one', async () => {
      await late(100);
      id = randomUUID();
      await receives(start());
      pass(60);
      await receives({ type: 'Timeout', number: 1 });
      expect(await commandsSent()).toHaveLength(1);
      expect(await timeoutRecordOf(2)).toMatchObject({ status: PENDING, executeAt: '2026-03-01T00:05:00.000Z' });
      id = randomUUID();
      await receives(start());
      pass(300);
      await receives({ type: 'Timeout', number: 1 });
      expect(await commandsSent()).toHaveLength(1);
      pass(301);
      await receives({ type: 'Timeout', number: 2 });
      expect(await commandsSent()).toHaveLength(2);
    });

    test('stores nothing of a saga that was stuck', async () => {
      await hearsAll(start(), done(step('check-passport')), { type: 'Cancel' });
      await receives({ type: 'Reply', stepId: undo('book-flight'), outcome: 'REFUSED' });
      pass(1_000);
      await receives(done(undo('book-flight')));
      expect(await read('trips', { pk: roundTripKey('TripSaga'), sk: 'book-flight' })).toBeUndefined();
    });

    test('sends again as ever if the round trips can be neither read nor stored', async () => {
      const send = documentClient.send.bind(documentClient);
      const fails = vi
        .spyOn(documentClient, 'send')
        .mockImplementation(((command: { input: object }) =>
          JSON.stringify(command.input).includes('ROUNDTRIP#')
            ? Promise.reject(new Error('throttled'))
            : send(command as never)) as never);
      await late(100);
      id = randomUUID();
      await receives(start());
      pass(60);
      await receives({ type: 'Timeout', number: 1 });
      expect(await commandsSent()).toHaveLength(2);
      expect(fails).toHaveBeenCalled();
    });
  });

  test('says that a saga is stuck before that is committed, since a crash would hide it', async () => {
    await hearsAll(start(), done(step('check-passport')), done(step('book-flight')), { type: 'Cancel' });
    const written = vi.fn();
    metricLines('SagasStuck', written);
    const refusal: SagaMessage<Trip> = { type: 'Reply', stepId: undo('book-hotel'), outcome: 'REFUSED' };
    const { writes } = await orchestrator.advance(id, refusal, buildTrace('x'));
    expect(written).toHaveBeenCalledTimes(1);
    await transact([...writes]);
    expect(await stuck()).toBeDefined();
  });
});
