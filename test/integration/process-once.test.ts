import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Decide } from '../../lambdas/patterns/idempotent-consumer/process-once.js';
import type { Envelope } from '../../lambdas/patterns/outbox/envelope.js';
import type { Item, TransactWriteItem } from '../../lambdas/platform/dynamodb.js';
import { type OwnTables, ownTables } from './own-tables.js';

const WINDOW = 35 * 86_400;
let tables: OwnTables;
let pattern: typeof import('../../lambdas/patterns/idempotent-consumer/process-once.js');
let failing: typeof import('../../lambdas/patterns/idempotent-consumer/failure-records.js');
let dynamodb: typeof import('../../lambdas/platform/dynamodb.js');
let conflict: typeof import('../../lambdas/platform/errors.js').WriteConflict;

beforeAll(async () => {
  tables = await ownTables();
  pattern = await import('../../lambdas/patterns/idempotent-consumer/process-once.js');
  failing = await import('../../lambdas/patterns/idempotent-consumer/failure-records.js');
  dynamodb = await import('../../lambdas/platform/dynamodb.js');
  conflict = (await import('../../lambdas/platform/errors.js')).WriteConflict;
});
afterAll(() => tables.drop());

const CONSUMER = { name: 'tester', generation: 0 };
const message = (time = new Date().toISOString()) => ({ id: randomUUID(), time }) as Envelope;
const records = (consumer = CONSUMER) => new pattern.ProcessedRecords(tables.records, consumer, WINDOW);
const process = (envelope: Envelope, decide: Decide, consumer = CONSUMER) =>
  pattern.processOnce(envelope, decide, records(consumer));

/** An effect that can be counted: each time it happens, the number grows. */
const increment = (pk: string): TransactWriteItem => ({
  Update: {
    TableName: tables.table,
    Key: { pk, sk: 'COUNT' },
    UpdateExpression: 'ADD times :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

async function timesOf(pk: string): Promise<number> {
  const Key = { pk, sk: 'COUNT' };
  const { Item } = await dynamodb.documents.send(
    new GetCommand({ TableName: tables.table, Key, ConsistentRead: true }),
  );
  return (Item?.times as number | undefined) ?? 0;
}

async function recordOf(id: string): Promise<Item | undefined> {
  const Key = { pk: failing.recordKey(CONSUMER, id) };
  return (await dynamodb.documents.send(new GetCommand({ TableName: tables.records, Key, ConsistentRead: true }))).Item;
}

describe('a message', () => {
  test('has its effect once, with a record that outlives its window', async () => {
    const envelope = message();
    const decide = async () => [increment(envelope.id)];
    expect(await process(envelope, decide)).toBe('applied');
    expect(await process(envelope, decide)).toBe('duplicate');
    expect(await process(envelope, decide)).toBe('duplicate');
    expect(await timesOf(envelope.id)).toBe(1);
    const record = await recordOf(envelope.id);
    expect(record).toMatchObject({ status: 'PROCESSED' });
    expect(Number(record!.expiresAt)).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) + WINDOW - 60);
  });

  test('delivered ten times at once has it once', async () => {
    const envelope = message();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => process(envelope, async () => [increment(envelope.id)])),
    );
    expect(outcomes.toSorted()).toEqual(['applied', ...Array(9).fill('duplicate')]);
    expect(await timesOf(envelope.id)).toBe(1);
  });

  test('without an effect is recorded all the same', async () => {
    const envelope = message();
    expect(await process(envelope, async () => [])).toBe('applied');
    expect(await process(envelope, async () => [increment(envelope.id)])).toBe('duplicate');
    expect(await timesOf(envelope.id)).toBe(0);
  });

  test('has its effect once per consumer, and again where the generation is raised', async () => {
    const envelope = message();
    for (const consumer of [CONSUMER, { name: 'other', generation: 0 }, { name: 'tester', generation: 1 }]) {
      expect(await process(envelope, async () => [increment(envelope.id)], consumer)).toBe('applied');
    }
    expect(await timesOf(envelope.id)).toBe(3);
  });

  test('that was recorded as failed has no effect any more', async () => {
    const envelope = message();
    const failures = new failing.FailureRecords(tables.records, CONSUMER);
    expect(await failures.put({ id: envelope.id, payload: '{}', error: new Error('x') })).toBe('recorded');
    expect(await process(envelope, async () => [increment(envelope.id)])).toBe('duplicate');
    expect(await recordOf(envelope.id)).toMatchObject({ status: 'FAILED' });
    expect(await timesOf(envelope.id)).toBe(0);
  });

  test('that was processed is not recorded as failed any more', async () => {
    const envelope = message();
    await process(envelope, async () => []);
    const failures = new failing.FailureRecords(tables.records, CONSUMER);
    expect(await failures.put({ id: envelope.id, payload: '{}', error: new Error('x') })).toBe('known');
    expect(await recordOf(envelope.id)).toMatchObject({ status: 'PROCESSED' });
  });

  test('that is refused may be its own success seen again: then it is a duplicate, not a refusal', async () => {
    const envelope = message();
    await process(envelope, async () => [increment(envelope.id)]);
    const refuse = () => Promise.reject(new Error('already cancelled'));
    expect(await process(envelope, refuse)).toBe('duplicate');
    await expect(process(message(), refuse)).rejects.toThrow('already cancelled');
  });

  test('that loses a race decides again, and is told which write was refused', async () => {
    const envelope = message();
    const never: TransactWriteItem = {
      ConditionCheck: {
        TableName: tables.table,
        Key: { pk: envelope.id, sk: 'NONE' },
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    const told: (boolean | undefined)[] = [];
    const outcome = await process(envelope, async (refused) => {
      told.push(refused?.because(never));
      return told.length === 1 ? [increment(envelope.id), never] : [increment(envelope.id)];
    });
    expect(outcome).toBe('applied');
    expect(told).toEqual([undefined, true]);
    expect(await timesOf(envelope.id)).toBe(1);
  });

  test('that loses every race goes back to its queue, with nothing written', async () => {
    const envelope = message();
    let tries = 0;
    const losing: Decide = async () => {
      tries += 1;
      const Key = { pk: envelope.id, sk: 'NONE' };
      const never = { ConditionCheck: { TableName: tables.table, Key, ConditionExpression: 'attribute_exists(pk)' } };
      return [increment(envelope.id), never];
    };
    await expect(process(envelope, losing)).rejects.toBeInstanceOf(conflict);
    expect(tries).toBe(6);
    expect(await timesOf(envelope.id)).toBe(0);
    expect(await recordOf(envelope.id)).toBeUndefined();
  });

  test('from the future has a record that lasts as much longer', async () => {
    const envelope = message(new Date(Date.now() + 10 * 86_400_000).toISOString());
    await process(envelope, async () => []);
    const record = await recordOf(envelope.id);
    expect(Number(record!.expiresAt)).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) + WINDOW + 10 * 86_400 - 60);
  });
});
