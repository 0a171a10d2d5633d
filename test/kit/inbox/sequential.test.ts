import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient, TransactionRefused, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { WorkResult } from '../../../packages/kit/inbox/inbox-source.js';
import { parkedPartitions } from '../../../packages/kit/inbox/measure.js';
import { placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { SequencedMessages } from '../../../packages/kit/inbox/sequenced-messages.js';
import { eventMessage, type MessageFields } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { STEPS, tillContract } from '../../support/inboxes/contract.js';
import { type SentMessage, sentMessages } from '../../support/sent-messages.js';
import { bodyOf, Refused } from './parcels.js';
import { appended, cursorItem, discarded, keyOf, options, read, stepsDone, subject, tillInbox } from './tills.js';

let handle: (step: string) => WorkResult;
let inbox: ReturnType<typeof tillInbox>;
let sent: readonly SentMessage[];
beforeAll(() => functionEnvironment());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') });
  sent = sentMessages();
  handle = (step) => ({ decide: async () => [appended(step)] });
  inbox = tillInbox((step) => handle(step));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const message = (sequence: number, fields: MessageFields = {}) =>
  eventMessage(
    tillContract,
    { type: 'StepTaken', data: { step: String(sequence) } },
    { id: `event-${sequence}`, subject, sequence, ...fields },
  );
const receive = (sequence: number, attributes: Readonly<Record<string, string>> = {}, fields: MessageFields = {}) =>
  inbox.receive(message(sequence, fields), attributes);
const run = (sequence: number, epoch = 0) => inbox.runner.run({ record: keyOf(sequence, epoch) }, () => 60_000);
const record = (sequence: number, epoch = 0) => read('records', { pk: keyOf(sequence, epoch) });
const position = async () => (await cursorItem()).position;

describe('messages of a subject', () => {
  test('early messages are parked, and the sweeper finds them', async () => {
    await receive(2);
    await run(2);
    const parked = await record(2);
    expect(parked).toMatchObject({ status: 'PENDING', attempts: 0, parkedAt: '2026-03-01T00:00:00.000Z' });
    expect(parked).toMatchObject({
      executeAt: '2026-03-01T00:05:00.000Z',
      duePk: expect.stringMatching(/^steps#parked-/),
    });
    expect(parked).not.toHaveProperty('wake');
  });

  test('messages are recognised at any age, since the cursor of their subject never expires', async () => {
    const time = '2020-01-01T00:00:00.000Z';
    await receive(1, {}, { time });
    await run(1);
    expect(await stepsDone()).toEqual(['1']);
    // Its record expires, and it comes again.
    await documentClient.send(new DeleteCommand({ TableName: 'records', Key: { pk: keyOf(1) } }));
    await receive(1, {}, { time });
    await run(1);
    expect(await stepsDone()).toEqual(['1']);
  });

  test('leave their keys without the subject, which may name a person', async () => {
    await receive(1);
    await run(1);
    const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'records' }));
    for (const { pk } of Items) expect(pk).not.toContain('Till');
  });

  test('messages do not wait for other subjects', async () => {
    await receive(2);
    await run(2);
    await receive(1, {}, { id: 'other-1', subject: 'Till/2' });
    await inbox.runner.run({ record: placeKey(STEPS, { subject: 'Till/2', sequence: 1, epoch: 0 }) }, () => 60_000);
    expect(await stepsDone()).toEqual(['1']);
  });

  test('messages are left to another invocation, which begins at once, when half of the time is over', async () => {
    for (const sequence of [3, 2, 1]) await receive(sequence);
    for (const sequence of [3, 2]) await run(sequence);
    const times = [60_000, 20_000];
    await inbox.runner.run({ record: keyOf(1) }, () => times.shift() ?? 20_000);
    expect(await stepsDone()).toEqual(['1']);
    expect(await record(2)).toMatchObject({ status: 'PENDING', wake: true });
    await run(2);
    expect(await stepsDone()).toEqual(['1', '2', '3']);
  });

  test('move the cursor in the transaction of their effect, which is the last write', async () => {
    await receive(1);
    const before = inbox.calls.length;
    await run(1);
    const writes = inbox.calls.slice(before).filter(({ writeUnits }) => writeUnits > 0);
    expect(writes.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(1);
    expect(writes.at(-1)?.operation).toBe('TransactWriteItems');
    expect([await stepsDone(), await position()]).toEqual([['1'], 1]);
  });

  test('leave the cursor where it is if their effect is refused', async () => {
    await receive(1);
    const Key = { pk: 'none', sk: 'none' };
    const never = { ConditionCheck: { TableName: 'table', Key, ConditionExpression: 'attribute_exists(pk)' } };
    handle = () => ({ decide: async () => [appended('1'), never] });
    await run(1);
    expect(await stepsDone()).toEqual([]);
    expect(await cursorItem()).toEqual({});
  });

  test('move the cursor by one place, whatever a runner has read before', async () => {
    await receive(1);
    await run(1);
    const messages = new SequencedMessages(options);
    for (const sequence of [1, 3]) {
      await expect(
        transact([messages.cursorWrite({ subject, sequence, epoch: 0 }, { epoch: 0, sequence: sequence - 1 })]),
      ).rejects.toThrow(TransactionRefused);
    }
    expect(await position()).toBe(1);
  });
});

describe('a gap', () => {
  test('reports its age with each look at the message behind it, and a failed predecessor is none', async () => {
    const gauge = vi.spyOn(telemetry, 'recordGauge');
    await receive(2);
    await run(2);
    vi.setSystemTime(Date.now() + 700_000);
    await run(2);
    expect(gauge.mock.calls).toEqual([
      ['InboxGapAge', 0, 'steps', 'Seconds'],
      ['InboxGapAge', 700, 'steps', 'Seconds'],
    ]);
    handle = () => {
      throw new Refused();
    };
    await receive(1);
    await run(1);
    await run(2);
    expect(gauge.mock.calls).toHaveLength(2);
  });
});

describe('a repeat', () => {
  /** Returns what DynamoDB was asked for while something was done. */
  async function callsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = inbox.calls.length;
    await work();
    return inbox.calls.slice(before).map(({ operation }) => operation);
  }

  test('a repeat is one refused put, whether its message waits, is held, is put off, was processed or has failed', async () => {
    await receive(1);
    expect(await callsOf(() => receive(1))).toEqual(['PutItem']);
    const held = await new SequencedMessages(options).claim({ record: keyOf(1) }, { leaseSeconds: 60 });
    expect(await callsOf(() => receive(1))).toEqual(['PutItem']);
    await new SequencedMessages(options).postpone(held!, new Error('not today'), 30);
    expect(await callsOf(() => receive(1))).toEqual(['PutItem']);
    vi.setSystemTime(Date.now() + 31_000);
    await run(1);
    expect(await stepsDone()).toEqual(['1']);
    expect(await callsOf(() => receive(1))).toEqual(['PutItem']);
    await receive(2);
    handle = () => {
      throw new Refused();
    };
    await run(2);
    expect(await callsOf(() => receive(2))).toEqual(['PutItem']);
  });

  test('a repeat wakes its message if that is parked, since a crash may have left it behind', async () => {
    for (const sequence of [2, 1]) await receive(sequence);
    await run(2);
    expect(await record(2)).not.toHaveProperty('wake');
    expect(await callsOf(() => receive(2))).toEqual(['PutItem', 'UpdateItem']);
    expect(await record(2)).toMatchObject({ wake: true });
  });

  test('a receiver that crashes behind its put loses no hint: the put has the mark, and the sweeper finds the message', async () => {
    await receive(1);
    const stored = { wake: true, executeAt: '2026-03-01T00:01:00.000Z', duePk: expect.stringMatching(/^steps#\d+$/) };
    expect(await record(1)).toMatchObject(stored);
    // Its queue delivers it again.
    await receive(1);
    expect(await record(1)).toMatchObject(stored);
  });

  test('a message whose predecessor was done by a runner that crashed then is found by the sweeper', async () => {
    for (const sequence of [2, 1]) await receive(sequence);
    await run(2);
    // The runner of 1 commits, and crashes before it looks for 2.
    vi.spyOn(SequencedMessages.prototype, 'keyOf').mockImplementationOnce(() => {
      throw new Error('crashed');
    });
    await expect(run(1)).rejects.toThrow('crashed');
    vi.restoreAllMocks();
    expect(await stepsDone()).toEqual(['1']);
    expect(await callsOf(() => receive(1))).toEqual(['PutItem']);
    const { executeAt, duePk } = await record(2);
    expect([executeAt, parkedPartitions('steps').includes(String(duePk))]).toEqual(['2026-03-01T00:05:00.000Z', true]);
    await run(2);
    expect(await stepsDone()).toEqual(['1', '2']);
  });
});

describe('a message that is tried again', () => {
  test('the queue hands out a message again after its pause, and its successors follow', async () => {
    for (const sequence of [1, 2]) await receive(sequence);
    const good = handle;
    handle = () => Promise.reject(new Error('not today')) as never;
    await run(1);
    handle = good;
    await run(2);
    expect(await stepsDone()).toEqual([]);
    expect(sent).toMatchObject([{ MessageBody: JSON.stringify({ record: keyOf(1), fence: 1 }), DelaySeconds: 30 }]);
    await inbox.runner.run({ record: keyOf(1), fence: 1 }, () => 60_000);
    expect(await stepsDone()).toEqual(['1', '2']);
  });
});

describe('a failed message', () => {
  /** Lets the index know what was written. */
  const settle = () => vi.setSystemTime(Date.now() + 10_000);

  beforeEach(async () => {
    const good = handle;
    handle = (step) => {
      if (step === '2') throw new Refused();
      return good(step);
    };
    for (const sequence of [1, 2, 3]) {
      await receive(sequence);
      await run(sequence);
    }
    expect(await stepsDone()).toEqual(['1']);
    expect(await record(2)).toMatchObject({ status: 'FAILED' });
    handle = good;
    settle();
  });

  test('holds back its subject until its redrive, whose effect moves the cursor', async () => {
    await receive(2, { [REDRIVE]: 'again' });
    await run(2);
    expect(await stepsDone()).toEqual(['1', '2', '3']);
  });

  test('a discarded message moves the cursor in the same transaction; its successors follow', async () => {
    await discarded('event-2');
    expect([await position(), (await record(2)).status]).toEqual([2, 'DISCARDED']);
    await run(3);
    expect(await stepsDone()).toEqual(['1', '3']);
  });

  test('a message that is discarded before its predecessors are done is passed when the cursor comes there', async () => {
    const failures = new FailureRecords('records', STEPS);
    const body = bodyOf(message(5));
    // It was never stored: dead letters.
    await failures.put({ id: 'app.till:event-5', payload: body, error: new Error('crashed'), subject });
    settle();
    await discarded('event-5');
    expect(await record(5)).toMatchObject({ status: 'DISCARDED', sequence: 5 });
    await discarded('event-2');
    for (const sequence of [3, 4, 6]) {
      await receive(sequence);
      await run(sequence);
    }
    expect(await stepsDone()).toEqual(['1', '3', '4', '6']);
  });

  test('a failed message that was never stored takes its place by a redrive, and its failure ends', async () => {
    const failures = new FailureRecords('records', STEPS);
    await failures.put({ id: 'app.till:event-4', payload: bodyOf(message(4)), error: new Error('crashed') });
    await receive(4, { [REDRIVE]: 'again' });
    expect(await read('records', { pk: recordKey(STEPS, 'app.till:event-4') })).toMatchObject({ status: 'PROCESSED' });
    expect(await record(4)).toMatchObject({ status: 'PENDING', sequence: 4 });
  });

  test('a message that was never stored, and fails again at its place, can be discarded there', async () => {
    const failures = new FailureRecords('records', STEPS);
    await failures.put({
      id: 'app.till:event-4',
      payload: bodyOf(message(4, { id: 'event-4' })),
      error: new Error('crashed'),
    });
    await receive(2, { [REDRIVE]: 'again' });
    await run(2);
    await receive(4, { [REDRIVE]: 'again' }, { id: 'event-4' });
    const good = handle;
    handle = () => {
      throw new Refused();
    };
    await run(4);
    expect(await record(4)).toMatchObject({ status: 'FAILED' });
    handle = good;
    settle();
    await discarded('event-4');
    expect([await position(), (await record(4)).status]).toEqual([4, 'DISCARDED']);
    await expect(discarded('event-4')).rejects.toMatchObject({ code: 'refused' });
  });

  /** A failure of release 0.3, under its own id, whose second copy has the place. */
  async function failedTwice(): Promise<void> {
    const failures = new FailureRecords('records', STEPS);
    await failures.put({
      id: 'app.till:event-4',
      payload: bodyOf(message(4, { id: 'event-4' })),
      error: new Error('crashed'),
    });
    await receive(4, {}, { id: 'event-4' });
  }
  const failure = async () => (await read('records', { pk: recordKey(STEPS, 'app.till:event-4') })).status;

  test('a failed message whose place another copy has taken ends by a redrive, and nothing is done twice', async () => {
    await failedTwice();
    await receive(4, { [REDRIVE]: 'again' }, { id: 'event-4' });
    expect([await failure(), (await record(4)).status]).toEqual(['PROCESSED', 'PENDING']);
  });

  test('a failed message whose place another copy has taken can be discarded, and the copy stays', async () => {
    await failedTwice();
    settle();
    await discarded('event-4');
    expect([await failure(), (await record(4)).status]).toEqual(['DISCARDED', 'PENDING']);
  });
});

describe('a message that fails before it is stored', () => {
  const body = () => bodyOf(message(1, { id: 'event-1' }));
  const dead = async () => {
    const own = {
      [Env.APP]: 'app',
      [Env.CONSUMER]: STEPS.name,
      [Env.CONSUMER_GENERATION]: String(STEPS.generation),
      [Env.UNDELIVERED]: 'arn:undelivered',
      [Env.INBOX]: JSON.stringify({ mode: 'sequential' }),
    };
    for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
    // Files of a worker share their modules, and this module reads its environment once: the query loads it again.
    const drain = '../../../packages/kit/drains/drain-dead-letters.lambda.js?of-an-inbox';
    const { handler } = await import(drain);
    vi.unstubAllEnvs();
    const attributes = { ApproximateReceiveCount: '8' };
    const Records = [{ messageId: 'm', body: body(), attributes, messageAttributes: {}, eventSourceARN: 'arn' }];
    expect(await handler({ Records } as never)).toEqual({ batchItemFailures: [] });
  };

  test('an early failure is at the place of its message: a second copy is a duplicate, and not processed', async () => {
    await dead();
    expect(await record(1)).toMatchObject({
      status: 'FAILED',
      messageId: 'app.till:event-1',
      sequence: 1,
      failedConsumer: 'steps',
    });
    await receive(1, {}, { id: 'event-1' });
    await run(1);
    expect([await stepsDone(), (await record(1)).status]).toEqual([[], 'FAILED']);
    expect(await read('records', { pk: recordKey(STEPS, 'event-1') })).toEqual({});
  });

  test('a message that failed early is done once by a redrive, and its successors follow', async () => {
    await dead();
    await receive(2);
    await run(2);
    await receive(1, { [REDRIVE]: 'again' }, { id: 'event-1' });
    await run(1);
    expect(await stepsDone()).toEqual(['1', '2']);
  });

  test('a message that was processed at its place before is no failure', async () => {
    await receive(1, {}, { id: 'event-1' });
    await run(1);
    await dead();
    expect([await stepsDone(), (await record(1)).status]).toEqual([['1'], 'PROCESSED']);
  });
});
