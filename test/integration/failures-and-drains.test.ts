import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { EventBridgeEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Env } from '../../packages/kit/aws/environment.js';
import { idOfBody } from '../../packages/kit/failures/delivery.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { config, type OwnTables, ownTables } from './own-tables.js';

let tables: OwnTables;
let failing: typeof import('../../packages/kit/failures/failure-records.js');
let dynamodb: typeof import('../../packages/kit/aws/dynamodb.js');

const CONSUMER = { name: 'tester', generation: 0 };

beforeAll(async () => {
  tables = await ownTables({
    [Env.CONSUMER]: CONSUMER.name,
    [Env.CONSUMER_GENERATION]: '0',
    [Env.UNDELIVERED]: 'arn:undelivered',
    [Env.SERVICE]: 'tallies',
  });
  failing = await import('../../packages/kit/failures/failure-records.js');
  dynamodb = await import('../../packages/kit/aws/dynamodb.js');
});
afterAll(() => tables.drop());

const put = (failure: { id: string; payload: string; error?: unknown }) =>
  new failing.FailureRecords(tables.records, CONSUMER).put({ error: new Error('secret'), ...failure });

async function recordOf(id: string, consumer = CONSUMER) {
  const Key = { pk: failing.recordKey(consumer, id) };
  return (await dynamodb.documents.send(new GetCommand({ TableName: tables.records, Key, ConsistentRead: true }))).Item;
}

describe('a failure record', () => {
  test('is written once, contains place and kind of the failure, and does not expire', async () => {
    const id = randomUUID();
    expect(await put({ id, payload: '{"name":"value"}' })).toBe('recorded');
    expect(await put({ id, payload: 'another' })).toBe('known');
    const record = await recordOf(id);
    expect(record).toMatchObject({
      status: 'FAILED',
      messageId: id,
      failedConsumer: 'tester',
      payload: '{"name":"value"}',
      failures: [{ name: 'Error', message: '' }],
    });
    expect(record).not.toHaveProperty('expiresAt');
    expect(JSON.stringify(record!.failures)).not.toContain('secret');
  });

  test('compresses a payload that is too long for an item, so that it can still be read', async () => {
    const id = randomUUID();
    const payload = JSON.stringify({ text: 'x'.repeat(600_000) });
    await put({ id, payload });
    const record = await recordOf(id);
    expect(record).not.toHaveProperty('payload');
    expect(gunzipSync(record!.payloadGzip as Uint8Array).toString()).toBe(payload);
  });

  test('keeps the beginning, length and hash of a payload that is too long even when compressed', async () => {
    const id = randomUUID();
    const payload = randomBytes(900_000).toString('base64');
    await put({ id, payload });
    const record = await recordOf(id);
    expect(record).toMatchObject({ payloadBytes: payload.length, payloadHash: idOfBody(payload) });
    expect(payload.startsWith(String(record!.payloadBegin))).toBe(true);
  });
});

const envelope = (): Envelope => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'orderly.tallies',
  type: 'Counted',
  subject: 'Tally/1',
  time: new Date().toISOString(),
  dataschema: 'urn:orderly:tallies:Counted:1',
  data: { by: 1 },
  sequence: 1,
  epoch: 0,
  correlationid: 'conversation',
  causationid: 'cause',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  actor: 'customer:alice',
});
const bodyOf = (event: Envelope) => JSON.stringify({ source: event.source, 'detail-type': event.type, detail: event });

const sqsEvent = (...messages: { body: string; code?: string; redrive?: string }[]): SQSEvent => ({
  Records: messages.map(({ body, code, redrive }, at) => ({
    messageId: String(at),
    body,
    attributes: { ApproximateReceiveCount: '3' },
    messageAttributes: {
      ...(code && { ERROR_CODE: { stringValue: code, dataType: 'String' } }),
      ...(redrive && { redrive: { stringValue: redrive, dataType: 'String' } }),
    },
  })) as unknown as SQSRecord[],
});

describe('the drain of dead letters', () => {
  test('turns each into one failure record with the reason', async () => {
    const { handler } = await import('../../packages/kit/drains/drain-dead-letters.lambda.js');
    const [crashed, undelivered] = [envelope(), envelope()];
    const event = sqsEvent(
      { body: bodyOf(crashed) },
      { body: bodyOf(undelivered), code: 'NO_PERMISSIONS' },
      { body: 'garbage' },
    );
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(await recordOf(crashed.id)).toMatchObject({
      status: 'FAILED',
      subject: 'Tally/1',
      attempts: 3,
      failures: [{ name: 'DeadLettered', message: 'its function did not acknowledge it' }],
    });
    expect(await recordOf(undelivered.id)).toMatchObject({
      failures: [{ message: 'EventBridge could not deliver it: NO_PERMISSIONS' }],
    });
    expect(await recordOf(idOfBody('garbage'))).toMatchObject({ payload: 'garbage' });
  });

  test('marks messages that are too old to be recognised, since they may have been processed', async () => {
    const { handler } = await import('../../packages/kit/drains/drain-dead-letters.lambda.js');
    const old = { ...envelope(), time: new Date(Date.now() - 34.5 * 86_400_000).toISOString() };
    const young = { ...envelope(), time: new Date(Date.now() - 33.5 * 86_400_000).toISOString() };
    await handler(sqsEvent({ body: bodyOf(old) }, { body: bodyOf(young) }));
    expect(await recordOf(old.id)).toMatchObject({ status: 'FAILED', unknown: true });
    expect(await recordOf(young.id)).not.toHaveProperty('unknown');
  });

  test('adds a reason to a failure whose redrive crashed', async () => {
    const { handler } = await import('../../packages/kit/drains/drain-dead-letters.lambda.js');
    const event = envelope();
    await put({ id: event.id, payload: bodyOf(event) });
    expect(await handler(sqsEvent({ body: bodyOf(event), redrive: 'again' }))).toEqual({ batchItemFailures: [] });
    expect((await recordOf(event.id))!.failures).toMatchObject([{ name: 'DeadLettered' }, { name: 'Error' }]);
  });

  test('leaves messages unchanged that were processed after all', async () => {
    const { ProcessedRecords, processOnce } = await import('../../packages/kit/idempotent-consumer/process-once.js');
    const { handler } = await import('../../packages/kit/drains/drain-dead-letters.lambda.js');
    const event = envelope();
    await processOnce(event, async () => [], new ProcessedRecords(tables.records, CONSUMER, 3600));
    expect(await handler(sqsEvent({ body: bodyOf(event) }))).toEqual({ batchItemFailures: [] });
    expect(await recordOf(event.id)).toMatchObject({ status: 'PROCESSED' });
  });
});

describe('the drain of failed batches', () => {
  const s3 = new S3Client({ ...config, forcePathStyle: true });
  const Bucket = `orderly-test-${randomUUID().slice(0, 8)}`;
  const keys = ['aws/lambda/a b', 'aws/lambda/text'];

  beforeAll(() => s3.send(new CreateBucketCommand({ Bucket })));
  afterAll(async () => {
    for (const Key of keys) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
    s3.destroy();
  });

  for (const [Key, packed] of [
    [keys[0]!, false],
    [keys[1]!, true],
  ] as const) {
    test(`turns each commit of a batch into a failure record (payload as ${packed ? 'text' : 'an object'})`, async () => {
      const { handler } = await import('../../packages/kit/drains/drain-failed-batches.lambda.js');
      const ids = [randomUUID(), randomUUID()];
      const payload = {
        Records: ids.map((id) => ({
          dynamodb: {
            Keys: { pk: { S: `Tally#${id}` }, sk: { S: 'COMMIT#0000000001' } },
            NewImage: { at: { S: 'x' } },
          },
        })),
      };
      const batch = {
        requestContext: { condition: 'RetryAttemptsExhausted' },
        payload: packed ? JSON.stringify(payload) : payload,
      };
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: JSON.stringify(batch) }));
      const notice = { detail: { bucket: { name: Bucket }, object: { key: Key } } };
      for (let time = 0; time < 2; time++) {
        await handler(notice as unknown as EventBridgeEvent<'Object Created', (typeof notice)['detail']>);
      }
      for (const id of ids) {
        expect(await recordOf(`Tally#${id}/COMMIT#0000000001`, failing.relayConsumer)).toMatchObject({
          status: 'FAILED',
          failedConsumer: 'relay',
          payload: expect.stringContaining('NewImage'),
          failures: [{ name: 'DeadLettered', message: 'the relay gave its batch up: RetryAttemptsExhausted' }],
        });
      }
    });
  }
});
