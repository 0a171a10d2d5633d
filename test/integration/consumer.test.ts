import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Env } from '../../packages/kit/aws/environment.js';
import { subscribe } from '../../packages/kit/messages/subscriptions.js';
import { tallyContract } from '../support/tally.js';
import { config, type OwnTables, ownTables } from './own-tables.js';

const MAX_ATTEMPTS = 8;
const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
let tables: OwnTables;
let queue = '';
let handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;
let documents: typeof import('../../packages/kit/aws/dynamodb.js').documents;
/** What the handler did, in order. */
let handled: string[] = [];

beforeAll(async () => {
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `orderly-test-${randomUUID().slice(0, 8)}` }),
  );
  queue = QueueUrl;
  tables = await ownTables({
    [Env.CONSUMER]: 'tester',
    [Env.CONSUMER_GENERATION]: '0',
    [Env.SERVICE]: 'testing',
    [Env.QUEUE_URL]: queue,
    [Env.COMMANDERS]: '[]',
    [Env.MAX_ATTEMPTS]: String(MAX_ATTEMPTS),
    [Env.DEDUPE_WINDOW_SECONDS]: String(35 * 86_400),
  });
  ({ documents } = await import('../../packages/kit/aws/dynamodb.js'));
  const { consumer } = await import('../../packages/kit/idempotent-consumer/consumer.js');
  const { on } = await import('../../packages/kit/idempotent-consumer/listening.js');
  handler = consumer([
    on(subscribe(tallyContract, ['Counted']), {
      Counted: ({ envelope, event }) => ({
        decide: async () => {
          handled.push(`${envelope.subject} begins`);
          await new Promise((resolve) => setTimeout(resolve, 20));
          if (event.data.pad === 'broken') throw new Error('a fault of ours');
          handled.push(`${envelope.subject} ends`);
          return [];
        },
      }),
    }),
  ]);
});
afterAll(async () => {
  await tables.drop();
  await sqs.send(new DeleteQueueCommand({ QueueUrl: queue }));
  sqs.destroy();
});

const context = (milliseconds = 10_000) => ({ getRemainingTimeInMillis: () => milliseconds }) as Context;

const bodyOf = (id: string, { pad = '', subject = `Tally/${id}`, version = 1 } = {}) =>
  JSON.stringify({
    source: 'orderly.tallies',
    'detail-type': 'Counted',
    detail: {
      specversion: '1.0',
      id,
      source: 'orderly.tallies',
      type: 'Counted',
      subject,
      time: new Date().toISOString(),
      dataschema: `urn:orderly:tallies:Counted:${version}`,
      data: { by: 1, pad },
      sequence: 1,
      epoch: 0,
      correlationid: 'conversation',
      causationid: 'cause',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      actor: 'customer:alice',
    },
  });

const record = (body: string, { attempts = 1, receiptHandle = 'none', messageId = randomUUID() as string } = {}) =>
  ({
    messageId,
    body,
    receiptHandle,
    attributes: { ApproximateReceiveCount: String(attempts) },
    messageAttributes: {},
  }) as unknown as SQSRecord;

async function recordOf(id: string) {
  const Key = { pk: `tester@0#${id}` };
  return (await documents.send(new GetCommand({ TableName: tables.records, Key, ConsistentRead: true }))).Item;
}

async function receive(): Promise<Message | undefined> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queue,
      WaitTimeSeconds: 10,
      VisibilityTimeout: 600,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    }),
  );
  return Messages[0];
}

describe('a message that fails for a while', () => {
  test('becomes visible again long before its visibility timeout, and harms no other of its batch', async () => {
    const [broken, good] = [randomUUID(), randomUUID()];
    await sqs.send(new SendMessageCommand({ QueueUrl: queue, MessageBody: bodyOf(broken, { pad: 'broken' }) }));
    const first = await receive();
    const event = {
      Records: [
        record(first!.Body!, { receiptHandle: first!.ReceiptHandle!, messageId: first!.MessageId! }),
        record(bodyOf(good)),
      ],
    };
    expect(await handler(event, context())).toEqual({ batchItemFailures: [{ itemIdentifier: first!.MessageId }] });
    expect(await recordOf(good)).toMatchObject({ status: 'PROCESSED' });
    expect(await recordOf(broken)).toBeUndefined();
    // It asked for 600 s. The message is visible again after at most 3.
    const again = await receive();
    expect(again).toMatchObject({ MessageId: first!.MessageId, Attributes: { ApproximateReceiveCount: '2' } });
  });

  for (const [what, change] of [
    ['fails to the end', { pad: 'broken' }],
    ['stays of a newer schema version', { version: 2 }],
  ] as const) {
    test(`and ${what} becomes a failure record with its last attempt`, async () => {
      const id = randomUUID();
      const body = bodyOf(id, change);
      const before = record(body, { attempts: MAX_ATTEMPTS - 1 });
      expect((await handler({ Records: [before] }, context())).batchItemFailures).toHaveLength(1);
      expect(await recordOf(id)).toBeUndefined();

      const last = record(body, { attempts: MAX_ATTEMPTS });
      expect(await handler({ Records: [last] }, context())).toEqual({ batchItemFailures: [] });
      const failure = await recordOf(id);
      expect(failure).toMatchObject({ status: 'FAILED', attempts: MAX_ATTEMPTS, payload: body });
      expect(JSON.stringify(failure!.failures)).not.toContain('a fault of ours');
    });
  }

  test('and comes shortly before the timeout is not started', async () => {
    const ids = [randomUUID(), randomUUID()];
    handled = [];
    const { batchItemFailures } = await handler({ Records: ids.map((id) => record(bodyOf(id))) }, context(1_000));
    expect(batchItemFailures).toHaveLength(2);
    expect(handled).toEqual([]);
  });
});

describe('the messages of one batch', () => {
  test('are handled in order within a subject, and in parallel across subjects', async () => {
    handled = [];
    const bodies = ['Tally/a', 'Tally/b', 'Tally/a'].map((subject) => bodyOf(randomUUID(), { subject }));
    await handler({ Records: bodies.map((body) => record(body)) }, context());
    expect(handled.filter((line) => line.startsWith('Tally/a'))).toEqual([
      'Tally/a begins',
      'Tally/a ends',
      'Tally/a begins',
      'Tally/a ends',
    ]);
    expect(handled.indexOf('Tally/b begins')).toBeLessThan(handled.indexOf('Tally/a ends'));
  });

  test('have one effect if one of them occurs twice', async () => {
    const body = bodyOf(randomUUID());
    handled = [];
    expect(await handler({ Records: [record(body), record(body)] }, context())).toEqual({ batchItemFailures: [] });
  });
});
