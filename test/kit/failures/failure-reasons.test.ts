import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { SafeError, safeText } from '../../../packages/kit/aws/safe-error.js';
import { bodyHashId, type Delivery } from '../../../packages/kit/failures/delivery.js';
import { failureTextPlace } from '../../../packages/kit/failures/failure-reasons.js';
import { FailureRecords, MAX_REASONS, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { shopContract } from '../../support/inboxes/contract.js';

inProcessDynamoDb({ records: ['pk'] });
const consumer = { name: 'counts', generation: 0 };
const failures = new FailureRecords('records', consumer);
const fault = (attempt: number): SafeError => new SafeError(safeText`attempt ${attempt}`);

/** How a failure comes again: by a redrive of the message, or by another command of the same step. */
const AGAIN = {
  'is redriven': (id: string, attempt: number) =>
    failures.record(
      { id, recorded: { kind: 'redrive', confirmedNotDone: false } } as unknown as Delivery,
      fault(attempt),
    ),
  'is repeated by other commands of its step': (id: string, attempt: number) =>
    failures.put({ id: `${id}-${attempt}`, payload: '{}', error: fault(attempt), step: id }),
};

test.each(Object.entries(AGAIN))(
  'a message that %s more often than reasons are kept keeps the newest',
  async (_, again) => {
    const id = randomUUID();
    await failures.put({ id, payload: '{}', error: fault(1), step: id });
    const last = MAX_REASONS + 3;
    for (let attempt = 2; attempt <= last; attempt++) await again(id, attempt);
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'records', Key: { pk: recordKey(consumer, id) }, ConsistentRead: true }),
    );
    const texts = (Item?.failures ?? []).map(({ message }: { readonly message: string }) => message);
    expect(texts).toEqual(
      Array.from({ length: MAX_REASONS }, (_, at) => expect.stringContaining(`attempt ${last - at}`)),
    );
  },
);

const recordOf = async (id: string) =>
  (await documentClient.send(new GetCommand({ TableName: 'records', Key: { pk: recordKey(consumer, id) } }))).Item;

test('a failure is recorded once, without values, and does not expire', async () => {
  const id = randomUUID();
  const failure = { id, payload: '{"name":"value"}', error: new Error('secret') };
  expect(await failures.put(failure)).toBe('recorded');
  expect(await failures.put({ ...failure, payload: 'another' })).toBe('known');
  const record = await recordOf(id);
  expect(record).toMatchObject({ status: 'FAILED', failedConsumer: 'counts', payload: failure.payload });
  expect(record).not.toHaveProperty('expiresAt');
  expect(JSON.stringify(record?.failures)).not.toContain('secret');
});

test('a payload that is too long for an item is compressed; of one that is too long even then, its beginning is kept', async () => {
  const [long, longer] = [JSON.stringify('x'.repeat(600_000)), randomBytes(900_000).toString('base64')];
  await failures.put({ id: 'long', payload: long, error: fault(1) });
  await failures.put({ id: 'longer', payload: longer, error: fault(1) });
  const record = await recordOf('long');
  expect(record).not.toHaveProperty('payload');
  expect(gunzipSync(record?.payloadGzip as Uint8Array).toString()).toBe(long);
  const shortened = await recordOf('longer');
  expect(shortened).toMatchObject({ payloadBytes: longer.length, payloadHash: bodyHashId(longer) });
  expect(longer.startsWith(String(shortened?.payloadBegin))).toBe(true);
});

test('the longest payload that fits is kept as it is, and one byte more is compressed', async () => {
  const longest = 'x'.repeat(350_000);
  await failures.put({ id: 'longest', payload: longest, error: fault(1) });
  await failures.put({ id: 'one more', payload: `${longest}x`, error: fault(1) });
  expect((await recordOf('longest'))?.payload).toBe(longest);
  expect(Object.keys((await recordOf('one more')) ?? {})).toContain('payloadGzip');
});

test('a message with a place has its failure there, with the place; one without has it under its id', async () => {
  const placed = new FailureRecords('records', consumer, ({ sequence }) =>
    sequence === 7 ? recordKey(consumer, 'place 7') : undefined,
  );
  const deliveryOf = (sequence: number) => {
    const message = eventMessage(
      shopContract,
      { type: 'ParcelSent', data: { name: 'p' } },
      { id: `event-${sequence}`, sequence },
    );
    return { id: message.id, record: { body: '{}' }, message, attempts: 2 } as unknown as Delivery;
  };
  await placed.record(deliveryOf(7), fault(1));
  await placed.record(deliveryOf(8), fault(1));
  expect(await recordOf('place 7')).toMatchObject({ messageId: 'event-7', sequence: 7, epoch: 0, attempts: 2 });
  expect(await recordOf('event-7')).toBeUndefined();
  expect(await recordOf('event-8')).not.toHaveProperty('sequence');
});

test('sealed texts are bound to the records of one consumer', () => {
  expect(failureTextPlace('counts')).toEqual({ aggregate: 'Failure#counts', field: 'text' });
});
