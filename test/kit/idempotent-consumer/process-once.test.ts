import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { documentClient, type Item, type TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { WriteConflict } from '../../../packages/kit/aws/write-conflict.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { toMessageTrace } from '../../../packages/kit/idempotent-consumer/process-message.js';
import { type Decide, ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { type Envelope, messageIdOf } from '../../../packages/kit/messages/envelope.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const WINDOW = 35 * 86_400;
inProcessDynamoDb({ things: ['pk', 'sk'], records: ['pk'] });

const CONSUMER = { name: 'tester', generation: 0 };
const message = (time = new Date().toISOString()) => ({ id: randomUUID(), time }) as Envelope;
const records = (consumer = CONSUMER) => new ProcessedRecords('records', consumer, WINDOW);
const process = (envelope: Envelope, decide: Decide, consumer = CONSUMER) =>
  processOnce(envelope, decide, records(consumer));

/** An effect that can be counted: each time it happens, the number grows. */
const increment = (pk: string): TransactWriteItem => ({
  Update: {
    TableName: 'things',
    Key: { pk, sk: 'COUNT' },
    UpdateExpression: 'ADD times :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

async function timesOf(pk: string): Promise<number> {
  const Key = { pk, sk: 'COUNT' };
  const { Item } = await documentClient.send(new GetCommand({ TableName: 'things', Key, ConsistentRead: true }));
  return (Item?.times as number | undefined) ?? 0;
}

async function recordOf(id: string): Promise<Item | undefined> {
  const Key = { pk: recordKey(CONSUMER, id) };
  return (await documentClient.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }))).Item;
}

describe('a message', () => {
  test('a message has its effect once, with a record that outlives its window', async () => {
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

  test('a message of another publisher with the same id is another message, also if the first one failed', async () => {
    const shared = String(Math.random());
    const [orders, payments, broken] = ['shop.orders', 'shop.payments', 'shop.broken'].map((source) => ({
      ...message(),
      id: shared,
      source,
    })) as [Envelope, Envelope, Envelope];
    const failures = new FailureRecords('records', CONSUMER);
    await failures.put({ id: messageIdOf(broken), payload: '{}', error: new Error('x') });
    const apply = (one: Envelope) => process(one, async () => [increment(shared)]);
    expect([await apply(orders), await apply(payments)]).toEqual(['applied', 'applied']);
    expect([await apply(orders), await apply(payments), await apply(broken)]).toEqual(Array(3).fill('duplicate'));
    expect(await timesOf(shared)).toBe(2);
    expect((await recordOf(`shop.broken:${shared}`))?.status).toBe('FAILED');
    const triggers = [orders, payments].map((one) => toMessageTrace(one, 'tester').trigger);
    expect(triggers).toEqual([`shop.orders:${shared}`, `shop.payments:${shared}`]);
  });

  test('a message that is delivered again is decided once more: its record outranks a lost race', async () => {
    const envelope = message();
    let decisions = 0;
    const decide = async () => {
      decisions += 1;
      return [increment(envelope.id)];
    };
    await process(envelope, decide);
    await process(envelope, decide);
    expect(decisions).toBe(2);
  });

  test('a message that is delivered ten times at once has its effect once', async () => {
    const envelope = message();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => process(envelope, async () => [increment(envelope.id)])),
    );
    expect(outcomes.toSorted()).toEqual(['applied', ...Array(9).fill('duplicate')]);
    expect(await timesOf(envelope.id)).toBe(1);
  });

  test('a message without an effect is recorded all the same', async () => {
    const envelope = message();
    expect(await process(envelope, async () => [])).toBe('applied');
    expect(await process(envelope, async () => [increment(envelope.id)])).toBe('duplicate');
    expect(await timesOf(envelope.id)).toBe(0);
  });

  test('a message has its effect once per consumer, and again if the generation is raised', async () => {
    const envelope = message();
    for (const consumer of [CONSUMER, { name: 'other', generation: 0 }, { name: 'tester', generation: 1 }]) {
      expect(await process(envelope, async () => [increment(envelope.id)], consumer)).toBe('applied');
    }
    expect(await timesOf(envelope.id)).toBe(3);
  });

  test('a message that was recorded as failed has no effect any more', async () => {
    const envelope = message();
    const failures = new FailureRecords('records', CONSUMER);
    expect(await failures.put({ id: envelope.id, payload: '{}', error: new Error('x') })).toBe('recorded');
    expect(await process(envelope, async () => [increment(envelope.id)])).toBe('duplicate');
    expect(await recordOf(envelope.id)).toMatchObject({ status: 'FAILED' });
    expect(await timesOf(envelope.id)).toBe(0);
  });

  test('a message that was processed is not recorded as failed any more', async () => {
    const envelope = message();
    await process(envelope, async () => []);
    const failures = new FailureRecords('records', CONSUMER);
    expect(await failures.put({ id: envelope.id, payload: '{}', error: new Error('x') })).toBe('known');
    expect(await recordOf(envelope.id)).toMatchObject({ status: 'PROCESSED' });
  });

  test('a refused message may be its own success seen again: then it is a duplicate, not a refusal', async () => {
    const envelope = message();
    await process(envelope, async () => [increment(envelope.id)]);
    const refuse = () => Promise.reject(new Error('already cancelled'));
    expect(await process(envelope, refuse)).toBe('duplicate');
    await expect(process(message(), refuse)).rejects.toThrow('already cancelled');
  });

  test('a message that loses a race decides again, and learns which write was refused', async () => {
    const envelope = message();
    const never: TransactWriteItem = {
      ConditionCheck: {
        TableName: 'things',
        Key: { pk: envelope.id, sk: 'NONE' },
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    const told: (boolean | undefined)[] = [];
    const outcome = await process(envelope, async (refused) => {
      told.push(refused?.conditionFailedFor(never));
      return told.length === 1 ? [increment(envelope.id), never] : [increment(envelope.id)];
    });
    expect(outcome).toBe('applied');
    expect(told).toEqual([undefined, true]);
    expect(await timesOf(envelope.id)).toBe(1);
  });

  test('a message that loses every race goes back to its queue, with nothing written', async () => {
    const envelope = message();
    let tries = 0;
    const losing: Decide = async () => {
      tries += 1;
      const Key = { pk: envelope.id, sk: 'NONE' };
      const never = { ConditionCheck: { TableName: 'things', Key, ConditionExpression: 'attribute_exists(pk)' } };
      return [increment(envelope.id), never];
    };
    await expect(process(envelope, losing)).rejects.toBeInstanceOf(WriteConflict);
    expect(tries).toBe(5);
    expect(await timesOf(envelope.id)).toBe(0);
    expect(await recordOf(envelope.id)).toBeUndefined();
  });

  test('a message from the future has a record that lasts as much longer', async () => {
    const envelope = message(new Date(Date.now() + 10 * 86_400_000).toISOString());
    await process(envelope, async () => []);
    const record = await recordOf(envelope.id);
    expect(Number(record!.expiresAt)).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) + WINDOW + 10 * 86_400 - 60);
  });
});
