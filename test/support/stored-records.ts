import { createHash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { documentClient, type Item, transact } from '../../packages/kit/aws/dynamodb.js';
import { REDRIVE, readDelivery, STORED } from '../../packages/kit/failures/delivery.js';
import { withSealedText } from '../../packages/kit/failures/failure-reasons.js';
import { type ConsumerIdentity, FailureRecords, recordKey } from '../../packages/kit/failures/failure-records.js';
import { ProcessedRecords, processOnce } from '../../packages/kit/idempotent-consumer/process-once.js';
import { changeOnce } from '../../packages/kit/idempotent-receiver/change-once.js';
import { createOnce } from '../../packages/kit/idempotent-receiver/create-once.js';
import { createRequestRecord } from '../../packages/kit/idempotent-receiver/create-request-record.js';
import { type KeyedRequest, parseIdempotencyKey } from '../../packages/kit/idempotent-receiver/idempotency-key.js';
import { openSession } from '../../packages/kit/idempotent-receiver/session.js';
import { CollectedMessages } from '../../packages/kit/inbox/collected-messages.js';
import { cursorKey } from '../../packages/kit/inbox/sequence-keys.js';
import { SequencedMessages } from '../../packages/kit/inbox/sequenced-messages.js';
import { StoredMessages } from '../../packages/kit/inbox/stored-messages.js';
import { calendarKey, pageKey, windowKey } from '../../packages/kit/inbox/window-keys.js';
import { dailyWindows } from '../../packages/kit/inbox/windows.js';
import { buildRequestItem } from '../../packages/kit/lane/request-item.js';
import { ContractViolation } from '../../packages/kit/messages/contract.js';
import { type Envelope, readEnvelope } from '../../packages/kit/messages/envelope.js';
import { Unsealed } from '../../packages/kit/messages/sealed.js';
import { LEASES } from '../../packages/kit/timers/contract.js';
import { Sweeper } from '../../packages/kit/timers/sweeper.js';
import { Timers } from '../../packages/kit/timers/timers.js';
import { APP, CLIENT, clientTrace, read, readCommit, type StoredItems, sent, tallies } from './stored-items.js';
import { countedEvent } from './tally.js';
import { waiterContract } from './waiter/contract.js';

const DAY_SECONDS = 86_400;
const WINDOW_SECONDS = 35 * DAY_SECONDS;

/**
 * Stores one item of each format of a service's idempotency table, by the kit's own code. The items of `storedItems`
 * must be there.
 * @param pass lets seconds pass
 */
export const storedRecords = async (pass: (seconds: number) => void): Promise<StoredItems> => ({
  ...(await requests()),
  ...(await messages(pass)),
  ...(await timers(pass)),
  ...(await storedMessages()),
});

async function requests(): Promise<StoredItems> {
  const records = { table: 'records', windowSeconds: WINDOW_SECONDS, service: 'tallies', sessionsPath: '/sessions' };
  const request = { client: CLIENT, method: 'POST', path: '/tallies', query: {}, body: { by: 1 } };
  const keyed = { ...request, header: 'key-1' };
  const command = () => () => [countedEvent(1)];
  const change = (one: KeyedRequest) =>
    changeOnce({
      store: tallies,
      id: 'plain',
      record: createRequestRecord(one, records),
      trace: clientTrace('request-4'),
      admit: () => {},
      command,
    });
  const { loaded } = await createOnce({
    store: tallies,
    key: parseIdempotencyKey(keyed),
    trace: clientTrace('request-5'),
    command,
  });
  await change(keyed);
  const { sessionId } = await openSession(CLIENT, records);
  await change({ ...request, header: undefined, session: { id: sessionId, number: '1', answeredUpTo: '0' } });
  const ofState = createRequestRecord({ ...request, header: 'key-of-a-state' }, records);
  const claimOf = await ofState.claim('request-6');
  await transact([claimOf(1, { version: 1, at: '2026-11-22T10:15:30.123Z', sum: 1 })]);
  return {
    'commit that answers a request': await readCommit(`Tally#${loaded.id}`),
    'request by its key': await read('records', { pk: `api#${parseIdempotencyKey(keyed).scope}` }),
    'request on a state by its key': await read('records', { pk: `api#${ofState.scope}` }),
    'session with an answer': await readSession(),
  };
}

/** The one session. Its id is random, and a key of the hashes in its answers. */
async function readSession(): Promise<Item> {
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'records', ConsistentRead: true }));
  const session = Items.find(({ pk }) => String(pk).startsWith('session#'));
  return JSON.parse(JSON.stringify(session), (name, value) => (name === 'requestHash' ? '<hmac>' : value));
}

/** A delivery of an event of the tallies to a consumer, as its queue makes it. */
const buildDelivery = async (messageAttributes: Readonly<Record<string, { readonly stringValue: string }>> = {}) => {
  const { Source: source, DetailType, Detail } = sent(await readCommit('Tally#plain'))[0] ?? {};
  const body = JSON.stringify({ source, 'detail-type': DetailType, detail: JSON.parse(Detail ?? '') });
  const record = { messageId: 'm', body, attributes: { ApproximateReceiveCount: '8' }, messageAttributes };
  return readDelivery(record as unknown as SQSRecord, { app: APP, window: WINDOW_SECONDS });
};

const incompressible = (length: number): string =>
  Array.from({ length: length / 80 }, (_, at) =>
    createHash('sha512').update(String(at)).digest('base64').slice(0, 80),
  ).join('');

/** Adds the text of an error, as a function with the keys of people does. */
const sealed = (error: Error, consumer: string): Promise<unknown> => {
  const keys = new Unsealed('ada', new Uint8Array(32), error.message);
  return withSealedText(error, { consumer, person: 'ada' }, { seal: async (_, __, place) => keys.sealAt(place) });
};

async function messages(pass: (seconds: number) => void): Promise<StoredItems> {
  const consumer = (name: string): ConsumerIdentity => ({ name, generation: 0 });
  const failuresOf = (name: string) => new FailureRecords('records', consumer(name));
  const recordsOf = (name: string) => new ProcessedRecords('records', consumer(name), WINDOW_SECONDS);
  const fault = new ContractViolation('INVALID_DATA', '/by');
  const delivery = await buildDelivery();
  const again = await buildDelivery({ [REDRIVE]: { stringValue: 'not-done' } });
  const message = readEnvelope(delivery.record.body);
  const recordOf = (name: string, id = delivery.id) => read('records', { pk: recordKey(consumer(name), id) });

  const times = { now: new Date(Date.now()).toISOString(), windowSeconds: WINDOW_SECONDS };
  const request = buildRequestItem(consumer('lane'), { lane: 'lane', key: 'show-1' }, message, times);
  await processOnce(message, async () => [], recordsOf('processes'));
  await failuresOf('fails').record(delivery, fault);
  await failuresOf('seals').record(delivery, await sealed(new Error('a secret'), 'seals'));
  await failuresOf('fails-again').record(delivery, fault);
  await failuresOf('fails-again').record(again, new Error('a secret'));
  await failuresOf('processes-again').record(delivery, fault);
  await processOnce(message, async () => [], recordsOf('processes-again'), again.recorded);
  await failuresOf('fails').put({ id: 'long', payload: 'x'.repeat(400_000), error: fault });
  await failuresOf('fails').put({ id: 'too-long', payload: incompressible(600_000), error: fault });
  const ofStep = { payload: '{}', error: fault, step: 'orderly.orders/RefundPayment/o/refund' };
  await failuresOf('step').put({ id: 'first', ...ofStep });
  await failuresOf('step').put({ id: 'second', ...ofStep });
  const processed = await recordOf('processes');
  pass(35 * DAY_SECONDS);
  const late = await buildDelivery();
  await failuresOf('quarantines').record(late, late.tooOld);
  return {
    'request in a lane': request,
    'processed message': processed,
    'processed message that had failed': await recordOf('processes-again'),
    'failed message': await recordOf('fails'),
    'failed message with a sealed text': await recordOf('seals'),
    'message that failed again': await recordOf('fails-again'),
    'failed command of a step that failed again': await recordOf('step', 'first'),
    'repeated command of that step': await recordOf('step', 'second'),
    'step that failed': await read('records', { pk: `step@step#${ofStep.step}` }),
    'failed message above 350 KB': await recordOf('fails', 'long'),
    'failed message above 350 KB, even compressed': await recordOf('fails', 'too-long'),
    'quarantined message': await recordOf('quarantines'),
  };
}

async function timers(pass: (seconds: number) => void): Promise<StoredItems> {
  const owner = { name: 'waiter', generation: 0 };
  const waits = new Timers({ app: APP, table: 'records', consumer: owner, contract: waiterContract });
  const set = (name: string) =>
    transact([
      waits.set({
        type: 'WaitIsOver',
        data: { name },
        id: `${name}/wait/1`,
        subject: `Waiter/${name}`,
        executeAt: new Date(Date.now()).toISOString(),
        trace: clientTrace('request-6'),
      }),
    ]);
  const timer = (name: string) => read('records', { pk: recordKey(owner, `${name}/wait/1`) });
  await set('handed-out');
  const { send } = SQSClient.prototype;
  SQSClient.prototype.send = (async () => ({ Successful: [{ Id: '0' }] })) as never;
  try {
    // Until the index knows the timer.
    pass(10);
    const queue = 'http://queue.test';
    await new Sweeper({ table: 'records', owner: owner.name, queue, intervalSeconds: 3600 }).sweep(() => 50_000);
  } finally {
    SQSClient.prototype.send = send;
  }
  await set('set');
  await set('failed');
  const { pk, payload } = await timer('failed');
  const record = {
    messageId: 'm',
    body: payload,
    attributes: { ApproximateReceiveCount: '8' },
    messageAttributes: { [STORED]: { stringValue: pk } },
  };
  const delivery = readDelivery(record as unknown as SQSRecord, { app: APP, window: WINDOW_SECONDS });
  await new FailureRecords('records', owner).record(delivery, new ContractViolation('INVALID_DATA', '/name'));
  return {
    timer: await timer('set'),
    'timer that was handed out': await timer('handed-out'),
    'timer that failed': await timer('failed'),
    'lease of a sweeper': await read('records', { pk: `${LEASES}${owner.name}` }),
  };
}

/** Messages of an inbox, in each state that they have there. */
async function storedMessages(): Promise<StoredItems> {
  const consumer = { name: 'inbox', generation: 0 };
  const messages = new StoredMessages({ table: 'records', consumer });
  const { record, message } = await buildDelivery();
  if (message instanceof ContractViolation) throw message;
  const store = async (id: string) => {
    await messages.store({ ...message, id }, record.body);
    return messages.keyOf({ ...message, id });
  };
  const taken = async (id: string) => {
    const held = await messages.claim({ record: await store(id) }, { leaseSeconds: 60 });
    if (!held) throw new Error(`${id} was not taken`);
    return held;
  };
  await store('stored');
  const working = await taken('taken');
  const save = {
    progress: { after: 'page-1' },
    id: '0198a3b4-7c1d-7000-8000-000000000001',
    follows: undefined,
    isNew: true,
  };
  await transact([messages.saveWrite(working, save, 60)]);
  await messages.postpone(await taken('postponed'), new Error('a secret'), 60);
  await messages.fail(await taken('failed'), new ContractViolation('INVALID_DATA', '/by'));
  await transact([messages.processedWrite(await taken('processed'), 1_800_000_000)]);
  // Random: which runner it is.
  const of = async (id: string) => {
    const { runner, ...item } = await read('records', { pk: messages.keyOf({ ...message, id }) });
    return runner === undefined ? item : { ...item, runner: '<random>' };
  };
  return {
    'message of an inbox': await of('stored'),
    'message of an inbox with a runner': await of('taken'),
    'message of an inbox that is tried again': await of('postponed'),
    'message of an inbox that failed': await of('failed'),
    'message of an inbox that was processed': await of('processed'),
    'message of an inbox that is stored compressed': await compressed(message, record.body),
    ...(await sequenced(message, record.body)),
    ...(await collected(message, record.body)),
  };
}

async function compressed(message: Envelope, payload: string) {
  const consumer = { name: 'compressed', generation: 0 };
  const messages = new StoredMessages({ table: 'records', consumer, payloads: 'compressed' });
  const own = { ...message, id: 'compressed' };
  await messages.store(own, payload);
  return read('records', { pk: messages.keyOf(own) });
}

/** Messages of an inbox in mode sequential: one that is early, and the cursor of its subject. */
async function sequenced(message: Envelope, payload: string): Promise<StoredItems> {
  const messages = new SequencedMessages({ table: 'records', consumer: { name: 'sequence', generation: 0 } });
  const early = { ...message, sequence: 3 };
  await messages.store(early, payload);
  await messages.park(messages.keyOf(early), 300, undefined);
  await transact([messages.cursorWrite({ ...message, sequence: 1 }, { epoch: 0, sequence: 0 })]);
  // The same after a restore of the publisher, of another subject.
  const restored = { ...message, subject: `${message.subject}-restored`, epoch: 1, sequence: 3, follows: '0/2' };
  await messages.store(restored, payload);
  await messages.park(messages.keyOf(restored), 300, undefined);
  const begun = { ...restored, sequence: 1, subject: `${message.subject}-again` };
  await transact([messages.cursorWrite(begun, { epoch: 0, sequence: 0 })]);
  const of = (name: string, pk: string) => read('records', { pk }).then((item) => ({ [name]: item }));
  const cursorOf = ({ subject }: Pick<Envelope, 'subject'>) => cursorKey({ name: 'sequence', generation: 0 }, subject);
  return {
    ...(await of('parked message of an inbox', messages.keyOf(early))),
    ...(await of('cursor of a subject', cursorOf(message))),
    ...(await of('parked message of a later epoch', messages.keyOf(restored))),
    ...(await of('cursor in a later epoch', cursorOf(begun))),
  };
}

/** Messages of an inbox in mode batch, one of them late, with their window. */
async function collected(message: Envelope, payload: string): Promise<StoredItems> {
  const consumer = { name: 'batch', generation: 0 };
  const messages = new CollectedMessages({
    table: 'records',
    consumer,
    windows: dailyWindows('Europe/Berlin'),
    pageSize: 20,
    graceSeconds: 900,
  });
  const day = '2026-03-01';
  for (const id of ['collected', 'late']) await messages.store({ ...message, id }, payload);
  const pk = (id: string) => messages.keyOf({ ...message, id });
  await messages.collect([{ pk: pk('collected'), own: day }]);
  await messages.collect([{ pk: pk('late'), own: '2026-02-28' }]);
  const of = (name: string, key: string) => read('records', { pk: key }).then((item) => ({ [name]: item }));
  return {
    ...(await of('collected message of an inbox', pk('collected'))),
    ...(await of('late message of an inbox', pk('late'))),
    ...(await of('window of an inbox', windowKey(consumer, day))),
    ...(await of('page of a window', pageKey(consumer, day, 1))),
    ...(await of('calendar of an inbox', calendarKey(consumer))),
  };
}
