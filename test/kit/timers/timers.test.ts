import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, type Item, TransactionRefused, transact } from '../../../packages/kit/aws/dynamodb.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { awaitAll } from '../../../packages/kit/timers/timer-dispatcher.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { discard } from '../../../packages/operator/failures/discard.js';
import { listFailures, showFailure } from '../../../packages/operator/failures/failures.js';
import { requireRedrivable } from '../../../packages/operator/failures/redrive.js';
import { findRecord } from '../../../packages/operator/records/consumer-records.js';
import { buildTrace } from '../../support/tally.js';
import { WAITER, waitId } from '../../support/waiter/contract.js';
import { BEGIN, delivery, environment, QUEUE, type Sent, Waiting } from './waiting.js';

let waiting: Waiting;
let drain: (event: SQSEvent) => Promise<SQSBatchResponse>;
beforeAll(async () => {
  environment();
  ({ handler: drain } = await import('../../../packages/kit/drains/drain-dead-letters.lambda.js'));
});
beforeEach(() => {
  waiting = new Waiting();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A waiter whose moment has come, with the message that tells it. */
async function handedOut(name: string): Promise<Sent> {
  await waiting.waits(name);
  await waiting.set(name);
  await waiting.sweep();
  return waiting.sent.at(-1) ?? expect.fail('nothing was sent');
}
const timer = { type: 'WaitIsOver', data: { name: 'anna' }, subject: 'Waiter/anna', trace: buildTrace('t') } as const;

describe('setting a timer', () => {
  test('stores the whole message as its owner will get it, to be found when it is due', async () => {
    const pk = await waiting.set('anna', '2026-03-01T08:00:00Z');
    const record = (await waiting.read(pk)) as Item & { payload: string };
    expect(record).toMatchObject({ status: 'PENDING', attempts: 0, executeAt: '2026-03-01T08:00:00.000Z' });
    expect(record).toMatchObject({ messageId: 'anna/wait/1', type: 'WaitIsOver', correlationId: 'conversation' });
    expect(pk).toBe('waiter@0#anna/wait/1');
    expect(record.expiresAt).toBeUndefined();
    expect(await waiting.index('due', 'duePk', String(record.duePk))).toMatchObject([{ pk }]);
    expect(readEnvelope(record.payload)).toEqual({
      specversion: '1.0',
      id: 'anna/wait/1',
      source: 'orderly.waiter',
      to: 'waiter',
      type: 'WaitIsOver',
      subject: 'Waiter/anna',
      time: '2026-03-01T08:00:00Z',
      dataschema: 'urn:orderly:waiter:WaitIsOver:1',
      sequence: 1,
      epoch: 0,
      correlationid: 'conversation',
      causationid: 'cause of anna',
      traceparent: buildTrace('').traceparent,
      actor: 'customer:alice',
      data: { name: 'anna' },
    });
  });

  test('refuses what its owner could not read, with the reason', () => {
    const { timers } = waiting;
    const at = { id: 'i', executeAt: BEGIN };
    expect(() => timers.set({ ...timer, ...at, data: {} as never })).toThrow('INVALID_DATA: WaitIsOver: name');
    expect(() => timers.set({ ...timer, ...at, type: 'Nothing' as never })).toThrow('UNKNOWN_TYPE');
    expect(() => timers.set({ ...timer, ...at, executeAt: 'tomorrow' })).toThrow('INVALID_ENVELOPE: detail.time');
    expect(() => timers.set({ ...timer, ...at, id: 'i'.repeat(129) })).toThrow('INVALID_ENVELOPE: detail.id');
    expect(() => timers.set({ ...timer, ...at, subject: 'anna' })).toThrow('INVALID_ENVELOPE: detail.subject');
  });

  test('refuses more than fits into a batch ten times', () => {
    const pad = 'x'.repeat(24 * 1024);
    expect(() => waiting.timers.set({ ...timer, id: 'i', executeAt: BEGIN, data: { name: 'anna', pad } })).toThrow(
      /a timer of \d+ bytes is above 24576/,
    );
  });

  test('a timer that was set before is refused: its commit was made', async () => {
    await waiting.set('anna');
    await expect(waiting.set('anna')).rejects.toBeInstanceOf(TransactionRefused);
  });
});

describe('a timer that is sent', () => {
  test('a sent timer has its effect once, however often it comes, and its record says so', async () => {
    const message = await handedOut('anna');
    for (let delivery = 0; delivery < 3; delivery++) expect(await waiting.deliver(message)).toBe(true);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER', times: 1 });
    const record = await waiting.read(message.record);
    expect(record).toMatchObject({ status: 'PROCESSED', expiresAt: Date.now() / 1000 + 35 * 86_400 });
    expect(record?.duePk).toBeUndefined();
  });

  test('passes no age gate: its record does not expire before', async () => {
    const message = await handedOut('anna');
    waiting.pass(40 * 86_400);
    expect(await waiting.deliver(message)).toBe(true);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER' });
  });

  test('a sent timer is ended under the generation in which it was set', async () => {
    await waiting.waits('anna');
    const old = { ...waiting.write('anna').Put!.Item!, pk: 'waiter@7#anna/wait/1' };
    await waiting.put(old);
    await waiting.sweep();
    await waiting.deliver(waiting.sent[0]!);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER' });
    expect(await waiting.read(old.pk)).toMatchObject({ status: 'PROCESSED' });
  });

  test('fails for good if its owner refuses it: it is not due any more, and has its reasons', async () => {
    const pk = await waiting.set('nobody');
    const { duePk } = (await waiting.read(pk))!;
    await waiting.sweep();
    const [message] = waiting.sent;
    expect(await waiting.deliver(message!)).toBe(true);
    expect(await waiting.read(pk)).toMatchObject({
      status: 'FAILED',
      failures: [{ name: 'Error', message: '' }],
      attempts: 1,
      payload: message!.body,
    });
    expect(await waiting.index('failed', 'failedConsumer', 'waiter')).toMatchObject([{ pk }]);
    expect(await waiting.index('due', 'duePk', String(duePk))).toEqual([]);
  });

  test('a sent timer is tried again while attempts are left, and then fails', async () => {
    const message = await handedOut('broken');
    expect(await waiting.deliver(message, 2)).toBe(false);
    expect(waiting.postponed).toHaveLength(1);
    expect(await waiting.read(message.record)).toMatchObject({ status: 'PENDING' });
    expect(await waiting.deliver(message, 3)).toBe(true);
    expect(await waiting.read(message.record)).toMatchObject({ status: 'FAILED', attempts: 3 });
  });

  test('stays done where a later delivery of it fails', async () => {
    const message = await handedOut('anna');
    await waiting.deliver(message);
    const unreadable = { ...message, body: '{}' };
    expect(await waiting.deliver(unreadable)).toBe(true);
    expect(await waiting.read(message.record)).toMatchObject({ status: 'PROCESSED' });
    expect(await waiting.index('failed', 'failedConsumer', 'waiter')).toEqual([]);
  });

  test('fails in its own record where it crashes its function each time', async () => {
    const message = await handedOut('anna');
    expect(await drain({ Records: [delivery(message, 5)] })).toEqual({ batchItemFailures: [] });
    expect(await waiting.read(message.record)).toMatchObject({
      status: 'FAILED',
      failures: [{ name: 'DeadLettered' }],
      attempts: 5,
    });
  });

  test('a timer that was done after all stays done as a dead letter', async () => {
    const message = await handedOut('anna');
    await waiting.deliver(message);
    await drain({ Records: [delivery(message, 5)] });
    expect(await waiting.read(message.record)).toMatchObject({ status: 'PROCESSED' });
  });
});

describe('clearing a timer', () => {
  const clear = (name: string) => transact([waiting.timers.clear(waitId(name))]);

  test('a timer that is cleared before it is sent leaves nothing', async () => {
    const pk = await waiting.set('anna');
    await clear('anna');
    await waiting.sweep();
    expect(waiting.sent).toEqual([]);
    expect(await waiting.read(pk)).toBeUndefined();
  });

  test('a timer that is cleared on its way becomes a duplicate, without an effect or a failure', async () => {
    const message = await handedOut('anna');
    await clear('anna');
    expect(await waiting.deliver(message)).toBe(true);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'WAITING' });
    expect(await waiting.read(message.record)).toBeUndefined();
    const refused = await handedOut('nobody-any-more');
    await clear('nobody-any-more');
    expect(await waiting.deliver({ ...refused, body: '{}' })).toBe(true);
    expect(await waiting.read(refused.record)).toBeUndefined();
    expect(await waiting.index('failed', 'failedConsumer', 'waiter')).toEqual([]);
  });

  test('an unset or completed timer is unchanged by a clear', async () => {
    await clear('anna');
    const message = await handedOut('anna');
    await waiting.deliver(message);
    await clear('anna');
    expect(await waiting.deliver(message)).toBe(true);
    expect(await waiting.stateOf('anna')).toMatchObject({ times: 1 });
  });

  test('ends a failure that is not needed any more', async () => {
    const message = await handedOut('broken');
    await waiting.deliver(message, 3);
    await clear('broken');
    expect(await waiting.index('failed', 'failedConsumer', 'waiter')).toEqual([]);
  });
});

describe("an operator's command", () => {
  const consumer = {
    ...WAITER,
    queueUrl: QUEUE,
    events: [],
    dedupeWindowSeconds: 1,
    longestRedeliverySeconds: 1,
    projection: false,
    takesCommands: false,
  };
  const services: Service[] = [
    { name: 'waiter', table: 'table', records: 'records', relay: '', feedShards: [], consumers: [consumer] },
  ];
  const context = {
    documents: documentClient,
    clock,
    services,
    command: commandFormatter('waiter'),
    actor: async () => 'olga',
  };
  const asked = (name: string) => ({ consumer: 'waiter', messageId: waitId(name), payload: false });

  test('shows a timer that waits, and redrives and discards it no more than what is done', async () => {
    await waiting.set('anna', waiting.in(600));
    const { text, json } = await showFailure(context, asked('anna'));
    expect(text).toContain('stored, to be sent 2026-03-01T00:10:00.000Z');
    expect(json).toMatchObject({ failure: { status: 'PENDING', redrivable: false, executeAt: waiting.in(600) } });
    const found = await findRecord(documentClient, services, asked('anna'));
    expect(() => requireRedrivable(context, found, { notDone: false })).toThrow(
      'it waits for its time; its status is: stored',
    );
    const request = { ...asked('anna'), reason: 'test', dryRun: false };
    await expect(discard(context, request)).rejects.toThrow('it has not failed; its status is: stored');
  });

  test('lists a timer that failed, and redrives it: its effect, and done', async () => {
    const message = await handedOut('anna');
    await drain({ Records: [delivery(message, 5)] });
    waiting.pass(10);
    const { json } = await listFailures(context, { consumer: 'waiter', limit: 100 });
    expect(json).toMatchObject({ failures: [{ messageId: waitId('anna'), type: 'WaitIsOver', redrivable: true }] });
    const found = await findRecord(documentClient, services, asked('anna'));
    const body = requireRedrivable(context, found, { notDone: false });
    waiting.pass(40 * 86_400);
    expect(await waiting.deliver({ body, record: 'again' }, 1, REDRIVE)).toBe(true);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER', times: 1 });
    expect(await waiting.read(message.record)).toMatchObject({ status: 'PROCESSED' });
    expect(await waiting.index('failed', 'failedConsumer', 'waiter')).toEqual([]);
  });

  test('discards a timer that failed: a late delivery finds it ended', async () => {
    const message = await handedOut('anna');
    await drain({ Records: [delivery(message, 5)] });
    await discard(context, { ...asked('anna'), reason: 'test', dryRun: false });
    await waiting.deliver(message);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'WAITING' });
    expect(await waiting.read(message.record)).toMatchObject({ status: 'DISCARDED', discardReason: 'test' });
  });
});

test('of several works the first failure is thrown, wherever it is', async () => {
  const failed = new Error('second');
  await expect(awaitAll([Promise.resolve(), Promise.reject(failed), Promise.resolve()])).rejects.toBe(failed);
  await expect(awaitAll([Promise.resolve()])).resolves.toBeUndefined();
});
