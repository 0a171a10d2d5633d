import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { clock } from '../../packages/kit/aws/clock.js';
import { documentClient, type Item, transact } from '../../packages/kit/aws/dynamodb.js';
import { DynamoDbEventStore } from '../../packages/kit/event-store/dynamodb-event-store.js';
import { recordKey } from '../../packages/kit/failures/failure-records.js';
import { Commit } from '../../packages/kit/messages/commit.js';
import type { EventOf } from '../../packages/kit/messages/contract.js';
import { toBusEntries } from '../../packages/kit/messages/envelope.js';
import { Sealed } from '../../packages/kit/messages/sealed.js';
import { personKey } from '../../packages/kit/personal-data/person-key.js';
import { PersonalKeys } from '../../packages/kit/personal-data/personal-keys.js';
import { PROJECTIONS } from '../../packages/kit/projection/contract.js';
import { roundTripKey, type SagaEvent, stuckKey, timerIdOf } from '../../packages/kit/saga/contract.js';
import { Orchestrator } from '../../packages/kit/saga/orchestrator.js';
import { RoundTrips } from '../../packages/kit/saga/round-trips.js';
import { compensationIdOf, type SagaMessage } from '../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../packages/kit/saga/state.js';
import type { StateStore, Stored } from '../../packages/kit/state-store/state-store.js';
import { stateStoreFromEnvironment } from '../../packages/kit/state-store/state-store-from-environment.js';
import { Timers } from '../../packages/kit/timers/timers.js';
import { appendAuditEntry, recordResult } from '../../packages/operator/audit-log/audit-log.js';
import {
  beginRestore,
  RESTORE_PARTITION,
  recordProgress,
  storeLostCommits,
} from '../../packages/operator/restore/restore-record.js';
import { Tallies } from '../kit/projection/tallies.js';
import { done, type Trip, tripContract, tripSaga } from '../kit/saga/trip.js';
import { inProcessKms, KMS_KEY } from './in-process-kms.js';
import { countedEvent, tallyContract, tallyDecider, buildTrace as traceOfTally } from './tally.js';
import { waiterContract } from './waiter/contract.js';

/** Items by the name of their format. */
export type StoredItems = Readonly<Record<string, Item>>;

export const APP = 'shop';
export const CLIENT = 'customer:alice';
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
export const clientTrace = (trigger: string) => ({ ...traceOfTally(trigger), onBehalfOf: CLIENT });

/** Stores one item of each format of a service's own table and of the people's keys, by the kit's own code. */
export const storedItems = async (): Promise<StoredItems> => ({
  ...(await commits()),
  ...(await states()),
  ...(await personalData()),
  ...(await projections()),
  ...(await sagas()),
  'entry of the audit log': await auditLogEntry(),
  ...(await restores()),
});

async function auditLogEntry(): Promise<Item> {
  const action = {
    actor: 'olga',
    action: 'discard',
    target: 'fails m1',
    reason: 'a test',
    group: 'g',
    run: 'r',
  } as const;
  const { table, pk, sk } = await appendAuditEntry({ documents: documentClient, clock }, { table: 'table' }, action);
  await recordResult(documentClient, { table, pk, sk }, 'discarded');
  return read('table', { pk, sk });
}

/** A restore that is done, as an operator's command has noted it. */
async function restores(): Promise<StoredItems> {
  const at = '2026-02-01T00:00:00.000Z';
  const time = '2026-03-01T00:00:00.000Z';
  const own = { at, run: 'r' };
  const service = { table: 'table' };
  await beginRestore(documentClient, service, {
    sk: at,
    run: own.run,
    epoch: 0,
    commitsHaveEpochs: true,
    begunAt: time,
    begunBy: 'olga',
    functions: [{ name: 'book' }, { name: 'on', reserved: 10 }],
    mappings: ['m1'],
  });
  await recordProgress(documentClient, service, own, { stoppedAt: time });
  const forgotten = {
    commits: 1,
    first: time,
    last: time,
    types: [{ type: 'TripBooked', count: 1 }],
    subjects: ['Trip/1'],
    heardBy: [{ service: 'points', consumer: 'points', count: 1, inbox: 'sequential' as const }],
  };
  await storeLostCommits(documentClient, service, own, { forgotten, publishedAt: time });
  await recordProgress(documentClient, service, own, { copyingSince: time, copiedAt: time });
  await recordProgress(documentClient, service, own, { startingSince: time, resumedAt: time, endedAt: time });
  return {
    restore: await read('table', { pk: RESTORE_PARTITION, sk: at }),
    'aggregates that a restore has forgotten': await read('table', { pk: RESTORE_PARTITION, sk: `${at}#000000` }),
  };
}

/** Reads an item that must be there. */
export const read = async (TableName: string, Key: Item): Promise<Item> => {
  const { Item } = await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  if (!Item) throw new Error(`nothing is stored in ${TableName} at ${JSON.stringify(Key)}`);
  return Item;
};
export const readCommit = (pk: string, version = 1) =>
  read('table', { pk, sk: `COMMIT#${String(version).padStart(10, '0')}` });

const createTallies = (epoch: number) =>
  new DynamoDbEventStore(
    { table: 'table', aggregate: 'Tally', contract: tallyContract, feedShards, epoch },
    tallyDecider,
  );
export const tallies = createTallies(0);
const count = async (id: string, times: number, store = tallies): Promise<void> => {
  const events = Array.from({ length: times }, () => countedEvent(1));
  await store.append(store.buildCommit(await store.load(id), events, clientTrace('request-1')));
};
/** Message as the relay puts it on the bus and the archive keeps it. */
export const sent = (commit: Item) => toBusEntries(Commit.parse(commit), { app: APP, service: 'tallies' });

async function commits(): Promise<StoredItems> {
  await count('plain', 2);
  await count('snapshot', 19);
  await count('snapshot', 1);
  await count('restored', 1);
  await count('restored', 1, createTallies(1));
  const restored = await readCommit('Tally#restored', 2);
  const commit = await readCommit('Tally#plain');
  return {
    commit,
    'commit with a snapshot': await readCommit('Tally#snapshot', 20),
    'first commit of an epoch': restored,
    'event in the archive of the bus': { ...sent(commit)[0] },
    'first event of an epoch in the archive': { ...sent(restored)[0] },
  };
}

async function states(): Promise<StoredItems> {
  const SeatsSet = { version: 1, data: z.object({ seats: z.int() }) };
  const contract = { service: 'courses', events: { SeatsSet } } as const;
  const courses: StateStore<Stored & { readonly seats: number }, EventOf<typeof contract>> = stateStoreFromEnvironment({
    aggregate: 'Course',
    contract,
  });
  const commit = courses.buildCommit(
    'c1',
    undefined,
    [{ type: 'SeatsSet', data: { seats: 20 } }],
    clientTrace('request-2'),
  );
  const state = { seats: 20, version: commit.lastVersion, at: commit.at };
  await transact([courses.appendWrite(commit), courses.stateWrite('c1', undefined, state)]);
  return {
    'commit of a state-stored aggregate': await readCommit('Course#c1'),
    'state of a state-stored aggregate': await read('table', { pk: 'Course#c1', sk: 'STATE' }),
  };
}

async function personalData(): Promise<StoredItems> {
  const NoteTaken = {
    version: 1,
    data: z.object({ person: z.string(), text: Sealed }),
    personal: { text: 'person' },
  };
  const contract = { service: 'notes', events: { NoteTaken } } as const;
  const notes = new DynamoDbEventStore<null, EventOf<typeof contract>>(
    { table: 'table', aggregate: 'Note', contract, feedShards },
    { initialState: null, evolve: () => null, stateSchema: 1 },
  );
  const keys = new PersonalKeys({
    table: 'people',
    kmsKey: KMS_KEY,
    documents: documentClient,
    kms: inProcessKms().kms,
  });
  const text = await keys.createUnsealed('alice', 'Hello');
  if (!text) throw new Error('alice is forgotten');
  const command = { type: 'Begin', data: { name: 'alice', until: '2026-03-02T00:00:00.000Z' } };
  const event = { type: 'NoteTaken', data: { person: 'alice', text } } as const;
  const commands = [{ to: waiterContract, command }];
  await notes.append(notes.buildCommit(await notes.load('n1'), [event], clientTrace('request-3'), { commands }));
  const commit = await readCommit('Note#n1');
  return {
    'commit with a command and personal data': commit,
    'command in the archive of the bus': { ...sent(commit)[1] },
    'key of a person': await read('people', personKey('alice')),
  };
}

async function projections(): Promise<StoredItems> {
  const shown = new Tallies('table');
  await count('shown', 2);
  await shown.consume('shown');
  await shown.ask({ action: 'begin', purpose: 'switch' });
  await shown.consume('shown');
  return {
    'row of a projection': await read('table', { pk: 'SHOWN#shown', sk: 'ROW' }),
    'row in a version that is built': await read('table', { pk: 'SHOWN#shown', sk: 'ROW@2' }),
    'pointer of a projection': await read('table', { pk: `${PROJECTIONS}tallies`, sk: 'POINTER' }),
    'checkpoint of a rebuild': await read('table', { pk: `${PROJECTIONS}tallies`, sk: 'REBUILD' }),
  };
}

async function sagas(): Promise<StoredItems> {
  const aggregate = 'TripSaga';
  const owner = { name: 'trips-saga', generation: 0 };
  const store = new DynamoDbEventStore<SagaState<Trip>, SagaEvent<Trip>>(
    { table: 'table', aggregate, contract: tripContract, feedShards },
    { initialState, evolve, stateSchema: 1 },
  );
  const saga = new Orchestrator<Trip>({
    saga: tripSaga,
    store,
    aggregate,
    table: 'table',
    timers: new Timers({ app: APP, table: 'records', consumer: owner, contract: tripContract }),
  });
  const receives = async (message: SagaMessage<Trip>) =>
    transact((await saga.advance('t1', message, clientTrace('request-7'))).writes);
  await receives({ type: 'Start', data: { id: 't1', nights: 2 } });
  await receives(done('t1/check-passport'));
  await receives({ type: 'Cancel' });
  const held = [
    { type: 'Start', data: { id: 't2', nights: 2 } },
    { ...done('t2/check-passport'), holdBefore: 'book-flight' },
  ];
  for (const message of held as readonly SagaMessage<Trip>[]) {
    await transact((await saga.advance('t2', message, clientTrace('request-8'))).writes);
  }
  const refusal = {
    type: 'Reply',
    stepId: compensationIdOf('t1', 'book-flight'),
    outcome: 'REFUSED',
    reason: 'NO',
  } as const;
  const timeout = await read('records', { pk: recordKey(owner, timerIdOf('t1', 1)) });
  await new RoundTrips('table', aggregate).store('check-passport', 100);
  await receives(refusal);
  return {
    'commit of a saga': await readCommit(`${aggregate}#t1`),
    'commit of a saga that compensates': await readCommit(`${aggregate}#t1`, 6),
    'commit of a saga that is held': await readCommit(`${aggregate}#t2`, 4),
    'timeout of a saga': timeout,
    'round trip of a step': await read('table', { pk: roundTripKey(aggregate), sk: 'check-passport' }),
    'stuck saga': await read('table', { pk: stuckKey(aggregate), sk: 't1' }),
  };
}
