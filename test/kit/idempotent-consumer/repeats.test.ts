import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { safeText } from '../../../packages/kit/aws/safe-error.js';
import { TooOld } from '../../../packages/kit/failures/failure-kinds.js';
import { FailureRecords } from '../../../packages/kit/failures/failure-records.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { processMessage } from '../../../packages/kit/idempotent-consumer/process-message.js';
import { ProcessedRecords } from '../../../packages/kit/idempotent-consumer/process-once.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { parcels, shopContract } from '../../support/inboxes/contract.js';

const CONSUMER = { name: 'parcels', generation: 0 };
const NOW = Date.parse('2026-03-01T00:00:00.000Z');
const { calls } = inProcessDynamoDb({ things: ['pk', 'sk'], records: ['pk'] });
const records = new ProcessedRecords('records', CONSUMER, 35 * 86_400);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

/** Returns a parcel's message. @param age in seconds */
const sent = (age: number): Envelope =>
  eventMessage(
    shopContract,
    { type: 'ParcelSent', data: { name: 'p' } },
    { id: randomUUID(), subject: 'Parcel/p', time: new Date(NOW - age * 1000).toISOString() },
  );

/** Delivers a message. @returns what became of it, what DynamoDB was asked for, and the units of its reads and writes */
async function deliver(
  message: Envelope,
  attempts = 1,
  recorded?: { kind: 'redrive'; confirmedNotDone: boolean },
  tooOld?: TooOld,
) {
  const count = () => ({
    Update: {
      TableName: 'things',
      Key: { pk: message.id, sk: 'COUNT' },
      UpdateExpression: 'ADD times :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  });
  const decided = vi.fn(async () => [count()]);
  const before = calls.length;
  const outcome = await processMessage(
    { message, recorded, tooOld, attempts },
    [on(parcels, { ParcelSent: () => ({ decide: decided }) })],
    records,
    { service: 'desk', commanders: [] },
  );
  const asked = calls.slice(before);
  const units = asked.map(({ readUnits, writeUnits }) => [readUnits, writeUnits]);
  return { outcome, decided: decided.mock.calls.length, asked: asked.map(({ operation }) => operation), units };
}

const TRANSACTION = { decided: 1, asked: ['TransactWriteItems'] };
const LOOKED_UP = { outcome: 'duplicate', decided: 0, asked: ['GetItem'], units: [[0.5, 0]] };

describe('a repeat', () => {
  test('a repeat that the queue delivers again costs half a read unit, and nothing is loaded or decided', async () => {
    const message = sent(1);
    await deliver(message);
    expect(await deliver(message, 2)).toEqual(LOOKED_UP);
  });

  test('a repeat that the bus delivers later costs half a read unit, although its queue has it for the first time', async () => {
    const message = sent(1);
    await deliver(message);
    vi.setSystemTime(NOW + 60_000);
    expect(await deliver(message)).toEqual(LOOKED_UP);
  });

  test('a repeat within a minute is refused by its transaction', async () => {
    const message = sent(1);
    await deliver(message);
    expect(await deliver(message)).toMatchObject({ outcome: 'duplicate', ...TRANSACTION });
  });

  test('a repeat of a message that has failed has no effect', async () => {
    const message = sent(100);
    await new FailureRecords('records', CONSUMER).put({ id: message.id, payload: '{}', error: new Error('x') });
    expect(await deliver(message)).toEqual(LOOKED_UP);
  });
});

describe('a message that is no repeat', () => {
  test('a first delivery is not looked up', async () => {
    expect(await deliver(sent(59))).toMatchObject({ outcome: 'applied', ...TRANSACTION });
  });

  test.each([
    ['delivered again after a failure', 1, 2],
    ['delivered late after an outage', 3600, 1],
  ])('a message that is %s has its effect, in its one transaction', async (_, age, attempts) => {
    const message = sent(age);
    const asked = ['GetItem', 'TransactWriteItems'];
    expect(await deliver(message, attempts)).toMatchObject({ outcome: 'applied', decided: 1, asked });
  });

  test('a redriven message has its effect although its failure has a record', async () => {
    const message = sent(100);
    await new FailureRecords('records', CONSUMER).put({ id: message.id, payload: '{}', error: new Error('x') });
    const redrive = { kind: 'redrive', confirmedNotDone: false } as const;
    expect(await deliver(message, 2, redrive)).toMatchObject({ outcome: 'applied', ...TRANSACTION });
  });
});

describe('a message that is too old', () => {
  const tooOld = new TooOld(safeText`35 days old`);

  test('a message that is too old is refused, and nothing is written', async () => {
    const before = calls.length;
    await expect(deliver(sent(100), 1, undefined, tooOld)).rejects.toBe(tooOld);
    expect(calls.slice(before)).toEqual([]);
  });

  test('a message that is too old has its effect if an operator redrives it', async () => {
    const message = sent(100);
    await new FailureRecords('records', CONSUMER).put({ id: message.id, payload: '{}', error: tooOld });
    const redrive = { kind: 'redrive', confirmedNotDone: true } as const;
    expect(await deliver(message, 2, redrive, tooOld)).toMatchObject({ outcome: 'applied', ...TRANSACTION });
  });
});
