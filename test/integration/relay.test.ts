import { randomUUID } from 'node:crypto';
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Env } from '../../packages/kit/aws/environment.js';
import { commitItem } from '../../packages/kit/messages/commit.js';
import { readEnvelope } from '../../packages/kit/messages/envelope.js';
import { counted, tallyContract, traceOf } from '../support/tally.js';
import { config, type OwnTables, ownTables } from './own-tables.js';

const name = `orderly-test-${randomUUID().slice(0, 8)}`;
const events = new EventBridgeClient(config);
const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
let tables: OwnTables;
let queue = '';
let handler: (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;
let documents: typeof import('../../packages/kit/aws/dynamodb.js').documents;

/** A bus of its own, and a queue that receives everything on it. */
beforeAll(async () => {
  await events.send(new CreateEventBusCommand({ Name: name }));
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  queue = QueueUrl;
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const Resource = Attributes?.QueueArn ?? '';
  const Statement = [
    { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource },
  ];
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const EventPattern = JSON.stringify({ source: ['orderly.tallies'] });
  await events.send(new PutRuleCommand({ Name: name, EventBusName: name, EventPattern }));
  await events.send(
    new PutTargetsCommand({ Rule: name, EventBusName: name, Targets: [{ Id: 'queue', Arn: Resource }] }),
  );

  tables = await ownTables({ [Env.SERVICE]: 'tallies', [Env.BUS]: name });
  ({ documents } = await import('../../packages/kit/aws/dynamodb.js'));
  ({ handler } = await import('../../packages/kit/outbox/relay.lambda.js'));
});
afterAll(async () => {
  await tables.drop();
  await events.send(new RemoveTargetsCommand({ Rule: name, EventBusName: name, Ids: ['queue'] }));
  await events.send(new DeleteRuleCommand({ Name: name, EventBusName: name }));
  await events.send(new DeleteEventBusCommand({ Name: name }));
  await sqs.send(new DeleteQueueCommand({ QueueUrl: queue }));
  events.destroy();
  sqs.destroy();
});

const context = (milliseconds = 60_000) => ({ getRemainingTimeInMillis: () => milliseconds }) as Context;

const commitOf = (id: string, count: number, pad?: string, epoch = 0) =>
  commitItem({
    epoch,
    contract: tallyContract,
    aggregate: 'Tally',
    id,
    after: 0,
    events: Array(count).fill(counted(1, pad)),
    trace: traceOf('cause'),
    feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }],
  });

let sequence = 0;
const inserted = (item: Record<string, unknown>): DynamoDBRecord => {
  sequence += 1;
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequence),
      Keys: marshall({ pk: item.pk, sk: item.sk }),
      NewImage: marshall(item, { removeUndefinedValues: true }),
    },
  } as DynamoDBRecord;
};

/** Receives this many messages from the queue. @throws {Error} by the test's own time-out, if there are fewer */
async function received(count: number) {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 2 }),
    );
    if (Messages.length === 0) continue;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
    const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue, Entries }));
  }
  return bodies.map(readEnvelope);
}

const failureOf = async (id: string) => {
  const Key = { pk: `relay@0#${id}` };
  return (await documents.send(new GetCommand({ TableName: tables.records, Key, ConsistentRead: true }))).Item;
};

describe('the relay', () => {
  test('sends every event of every commit as a readable envelope, even if one call is not enough', async () => {
    const commits = Array.from({ length: 13 }, (_, at) => commitOf(`many-${at}`, 3, undefined, 3));
    expect(await handler({ Records: commits.map(inserted) }, context())).toMatchObject({ batchItemFailures: [] });
    const envelopes = await received(39);
    expect(new Set(envelopes.map(({ id }) => id))).toEqual(
      new Set(commits.flatMap(({ events: all }) => all.map(({ id }) => id))),
    );
    const [one] = envelopes.filter(({ subject, sequence: version }) => subject === 'Tally/many-0' && version === 2);
    expect(one).toMatchObject({
      source: 'orderly.tallies',
      type: 'Counted',
      dataschema: 'urn:orderly:tallies:Counted:1',
      epoch: 3,
      causationid: 'cause',
      data: { by: 1 },
    });
  });

  test('keeps each call below a megabyte', async () => {
    const commits = Array.from({ length: 4 }, (_, at) => commitOf(`large-${at}`, 1, 'x'.repeat(200_000)));
    expect(await handler({ Records: commits.map(inserted) }, context())).toMatchObject({ batchItemFailures: [] });
    expect(await received(4)).toHaveLength(4);
  });

  test('turns a malformed commit into a failure record, and sends the others', async () => {
    const good = commitOf('beside-poison', 1);
    const poison = { pk: 'Tally#poison', sk: 'COMMIT#0000000001', events: 'none of ours', secret: 'value' };
    expect(await handler({ Records: [inserted(poison), inserted(good)] }, context())).toMatchObject({
      batchItemFailures: [],
    });
    expect(await received(1)).toMatchObject([{ subject: 'Tally/beside-poison' }]);
    const failure = await failureOf('Tally#poison/COMMIT#0000000001');
    expect(failure).toMatchObject({ status: 'FAILED', failures: [{ name: 'ContractViolation' }] });
    expect(JSON.stringify(failure!.failures)).not.toContain('none of ours');
    expect(failure!.payload).toContain('none of ours');
  });

  test('reports the first record for which it had no time', async () => {
    const records = [inserted(commitOf('late-1', 1)), inserted(commitOf('late-2', 1))];
    expect(await handler({ Records: records }, context(1_000))).toMatchObject({
      batchItemFailures: [{ itemIdentifier: records[0]!.dynamodb!.SequenceNumber }],
    });
  });
});
