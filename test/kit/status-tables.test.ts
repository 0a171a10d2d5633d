import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { clock } from '../../packages/kit/aws/clock.js';
import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import type { Recorded } from '../../packages/kit/failures/delivery.js';
import { FailureRecords, recordKey } from '../../packages/kit/failures/failure-records.js';
import { ProcessedRecords, processOnce } from '../../packages/kit/idempotent-consumer/process-once.js';
import { StoredMessages } from '../../packages/kit/inbox/stored-messages.js';
import { messageIdOf } from '../../packages/kit/messages/envelope.js';
import {
  compensationIdOf,
  decide,
  findDueStep,
  measureLateReply,
  type SagaMessage,
  stepIdOf,
} from '../../packages/kit/saga/saga.js';
import type { SagaState } from '../../packages/kit/saga/state.js';
import { eventMessage } from '../../packages/kit/testing/messages.js';
import { listListeners } from '../../packages/operator/deployment/services.js';
import { discardFailure } from '../../packages/operator/failures/discard.js';
import { describeStatus } from '../../packages/operator/failures/failures.js';
import { ConsumerRecord, isRedrivable } from '../../packages/operator/records/consumer-records.js';
import { LOCATION_RULES, locateRecord } from '../../packages/operator/records/message-locations.js';
import { describeSaga, isHeld, isStuck, isWaiting } from '../../packages/operator/sagas/saga-text.js';
import type { Saga } from '../../packages/operator/sagas/sagas.js';
import { consumer, heardBy } from '../operator/bookings.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';
import { declareTableTests } from '../support/status-table.js';
import { countedEvent, tallyContract } from '../support/tally.js';
import { type Trip, tripSaga } from './saga/trip.js';

/** As the tables of the services' aggregates: a status that is new has no column here, and is red until it has one. */

const sentAt = '2026-03-01T10:00:00.000Z';
const now = '2026-03-01T10:00:50.000Z';
const due = '2026-03-01T10:01:00.000Z';
const waiting = { step: 'book-flight', attempt: 1, since: sentAt, sentAt, again: due, backlog: 0 };
const going = { timers: 1, timerAt: due, data: { id: 't1', nights: 2 }, toUndo: ['book-flight'], waiting };
const ending = { cause: 'CANCELLED' } as const;
const SAGAS = {
  NONE: { status: 'NONE', timers: 1 },
  RUNNING: { ...going, status: 'RUNNING' },
  'RUNNING, held': { ...going, status: 'RUNNING', held: 'book-hotel' },
  COMPENSATING: { ...going, status: 'COMPENSATING', ending },
  STUCK: { ...going, status: 'STUCK', ending, reason: 'NO' },
  COMPLETED: { status: 'COMPLETED', timers: 1 },
  COMPENSATED: { status: 'COMPENSATED', timers: 1, ending },
} as const satisfies Readonly<Record<string, SagaState<Trip>>>;

describe('a saga', () => {
  const answer = (stepId: string, outcome: 'DONE' | 'REFUSED') => ({ type: 'Reply', stepId, outcome }) as const;
  const [step, undo] = [stepIdOf('t1', 'book-flight'), compensationIdOf('t1', 'book-flight')];
  const timeout = { type: 'Timeout', number: 1 } as const;
  const MESSAGES: Readonly<Record<string, SagaMessage<Trip>>> = {
    Start: { type: 'Start', data: { id: 't1', nights: 2 } },
    Done: answer(step, 'DONE'),
    'Done, held next': { ...answer(step, 'DONE'), holdBefore: 'book-hotel' },
    Refused: answer(step, 'REFUSED'),
    Undone: answer(undo, 'DONE'),
    'Undo refused': answer(undo, 'REFUSED'),
    Release: { type: 'Release' },
    Cancel: { type: 'Cancel' },
    Timeout: timeout,
    'Timeout of before': { type: 'Timeout', number: 0 },
    Retry: { type: 'Retry' },
    Resolve: { type: 'Resolve', step: 'book-flight', by: 'olga', note: 'by hand' },
    'Resolve another': { type: 'Resolve', step: 'pay', by: 'olga', note: 'by hand' },
  };
  const timeOf = ({ type }: SagaMessage<Trip>): string => (type === 'Timeout' ? due : now);
  declareTableTests(
    'createOrderSagas',
    `
                  | NONE                              | RUNNING                       | RUNNING, held                            | COMPENSATING                       | STUCK                              | COMPLETED    | COMPENSATED
Start             | SagaStarted + StepSent + TimerSet | -                             | -                                        | -                                  | -                                  | -            | -
Done              | -                                 | StepDone + StepSent           | -                                        | -                                  | -                                  | -            | -
Done, held next   | -                                 | StepDone + StepHeld           | -                                        | -                                  | -                                  | -            | -
Refused           | -                                 | SagaFailed + SagaCompensated  | -                                        | -                                  | -                                  | -            | -
Undone            | -                                 | -                             | -                                        | CompensationDone + SagaCompensated | CompensationDone + SagaCompensated | -            | -
Undo refused      | -                                 | -                             | -                                        | SagaStuck                          | -                                  | -            | -
Release           | -                                 | -                             | StepSent + TimerSet                      | -                                  | -                                  | -            | -
Cancel            | SagaFailed + SagaCompensated      | SagaFailed + CompensationSent | SagaFailed + CompensationSent + TimerSet | -                                  | -                                  | -            | -
Timeout           | -                                 | StepSent + TimerSet           | -                                        | CompensationSent + TimerSet        | -                                  | -            | -
Timeout of before | -                                 | TimerSet                      | -                                        | TimerSet                           | -                                  | -            | -
Retry             | !NOT_WAITING                      | StepSent + TimerSet           | !NOT_WAITING                             | CompensationSent + TimerSet        | CompensationSent + TimerSet        | !NOT_WAITING | !NOT_WAITING
Resolve           | !NOT_STUCK                        | !NOT_STUCK                    | !NOT_STUCK                               | !NOT_STUCK                         | CompensationDone + SagaCompensated | !NOT_STUCK   | !NOT_STUCK
Resolve another   | !NOT_STUCK                        | !NOT_STUCK                    | !NOT_STUCK                               | !NOT_STUCK                         | !STUCK_ELSEWHERE                   | !NOT_STUCK   | !NOT_STUCK
`,
    SAGAS,
    MESSAGES,
    (state: SagaState<Trip>, message) => decide(tripSaga, 't1', state, message, timeOf(message)).events,
  );

  /** Other readers of a saga's status. */
  const SEEN: Readonly<Record<keyof typeof SAGAS, readonly string[]>> = {
    NONE: ['not'],
    RUNNING: ['waits', 'is waiting', 'is due', 'is answered late'],
    'RUNNING, held': ['held', 'is waiting', 'is held'],
    COMPENSATING: ['waits', 'is waiting', 'is due', 'is undone late'],
    STUCK: ['stuck', 'is waiting', 'is stuck'],
    COMPLETED: ['completed'],
    COMPENSATED: ['compensated'],
  };
  test.each(Object.entries(SEEN))('%s', (name, expected) => {
    const state: SagaState<Trip> = SAGAS[name as keyof typeof SAGAS];
    const saga = { id: 't1', state, events: [] } as unknown as Saga;
    const late = (stepId: string) => measureLateReply(tripSaga, 't1', state, answer(stepId, 'DONE'), now);
    const seen = [
      describeSaga(saga).split(' ')[0],
      ...(isWaiting(state) ? ['is waiting'] : []),
      ...(isHeld(state) ? ['is held'] : []),
      ...(isStuck(saga) ? ['is stuck'] : []),
      ...(findDueStep(state, timeout, due) ? ['is due'] : []),
      ...(late(step) ? ['is answered late'] : []),
      ...(late(undo) ? ['is undone late'] : []),
    ];
    expect(seen).toEqual(expected);
  });
});

describe('a record of a message', () => {
  const INBOX = consumer('inbox', { inbox: { mode: 'single', queueUrl: 'https://queue/runner' } });
  const services = heardBy(consumer('plain'), INBOX);
  const [plain, inbox, relay] = ['plain', 'inbox', 'relay'].map((name) =>
    listListeners(services).find((listener) => listener.name === name),
  );

  /** Place for a consumer without an inbox, with one, in a window and for a relay; what is said of it, and what may be done. */
  const SEEN: Readonly<Record<ConsumerRecord['status'], readonly string[]>> = {
    PENDING: ['timer', 'inbox', 'window', 'timer', 'pending', 'stored,'],
    PROCESSED: ['processed', 'processed', 'processed', 'processed', 'processed', 'processed'],
    FAILED: ['failure', 'failure', 'failure', 'publication', 'failed', 'failed', 'redrive', 'discard'],
    DISCARDED: ['discarded', 'discarded', 'discarded', 'discarded', 'discarded', 'discarded'],
    REPEATED: ['repeated', 'repeated', 'repeated', 'repeated', 'failed', 'failed'],
  };

  test('a record has a row for each status', () =>
    expect(Object.keys(SEEN).toSorted()).toEqual(ConsumerRecord.shape.status.options.toSorted()));

  test.each(Object.entries(SEEN))('%s', async (name, expected) => {
    if (!plain || !inbox || !relay) throw new Error('a listener is missing');
    const status = name as ConsumerRecord['status'];
    const record: ConsumerRecord = { pk: 'plain@0#m', status, payload: '{"id":"m"}' };
    const found = { listener: plain, record, messageId: 'm' };
    const discarded = discardFailure({ documents: documentClient, clock, actor: async () => 'olga' }, found, {
      reason: 'a test',
      dryRun: true,
    });
    expect([
      locateRecord(record, plain),
      locateRecord(record, inbox),
      locateRecord({ ...record, window: '2026-03-01' }, inbox),
      locateRecord(record, relay),
      LOCATION_RULES[locateRecord(record, plain)].state,
      describeStatus(record).split(' ')[0],
      ...(isRedrivable(found) ? ['redrive'] : []),
      ...(await discarded.then(
        () => ['discard'],
        () => [],
      )),
    ]).toEqual(expected);
  });
});

/** Actions of a delivery, a runner and an operator on a record of each status; `-` is none. */
const DONE_TO: Readonly<Record<ConsumerRecord['status'], Readonly<Record<string, string>>>> = {
  PENDING: { stored: 'PROCESSED', taken: 'taken', ended: 'FAILED' },
  PROCESSED: {},
  FAILED: { redriven: 'PROCESSED', retried: 'PENDING' },
  DISCARDED: {},
  REPEATED: {},
};

describe('a stored record', () => {
  const owner = { name: 'plain', generation: 0 };
  const message = eventMessage(tallyContract, countedEvent(1), { id: 'm' });
  const pk = recordKey(owner, messageIdOf(message));
  const records = new ProcessedRecords('records', owner, 35 * 86_400);
  const messages = new StoredMessages({ table: 'records', consumer: owner });
  const process = (recorded?: Recorded) => processOnce(message, async () => [], records, recorded);

  /** Actions that are tried, each at a record of its own; a delivery from the bus and a second copy are known whatever the status is. */
  const TRIED: Readonly<Record<string, () => Promise<unknown>>> = {
    delivered: () => process(),
    'stored again': () => messages.store(message, '{}'),
    stored: () => process({ kind: 'stored', record: pk }),
    redriven: () => process({ kind: 'redrive', confirmedNotDone: false }),
    retried: () => messages.retry(message, '{}', { confirmedNotDone: false }),
    taken: () => messages.claim({ record: pk }, { leaseSeconds: 60 }),
    ended: () => new FailureRecords('records', owner).failPending(pk, { error: new Error('a test'), attempts: 1 }),
  };

  test.each(ConsumerRecord.shape.status.options)('%s', async (status) => {
    const done: Record<string, string> = {};
    for (const [name, attempt] of Object.entries(TRIED)) {
      inProcessDynamoDb({ records: ['pk'] });
      const before = { pk, status, attempts: 0, fence: 0, payload: '{}' };
      await documentClient.send(new PutCommand({ TableName: 'records', Item: before }));
      await attempt().catch(() => undefined);
      const { Item } = await documentClient.send(new GetCommand({ TableName: 'records', Key: { pk } }));
      if (Item?.status !== status) done[name] = String(Item?.status);
      else if (Item.runner) done[name] = 'taken';
      else expect(Item).toEqual(before);
    }
    expect(done).toEqual(DONE_TO[status]);
  });
});
