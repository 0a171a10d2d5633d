import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import { waitUntil } from '../../tools/local/progress.js';

/**
 * Whether the endpoint is a LocalStack with this project's plugin. These tests cover what the plugin adds to LocalStack
 * and no test of Orderly's own stacks shows. Other endpoints are not their subject. deployed.test.ts shows the rest
 * (processes as functions, authorizers).
 */
const { endpoint, region, proxyUrl } = inject('deployed');
const ours = proxyUrl !== undefined;
const config = clientConfig({ url: endpoint, region });

const name = `orderly-test-${randomUUID().slice(0, 8)}`;
const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
const events = new EventBridgeClient(config);
const lambda = new LambdaClient(config);
const dynamodb = new DynamoDBClient(config);
const logs = new CloudWatchLogsClient(config);
let queue: { readonly url: string; readonly arn: string };

beforeAll(async () => {
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }));
  queue = { url, arn: Attributes?.QueueArn ?? '' };
});
afterAll(async () => {
  await sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
  for (const client of [sqs, events, lambda, dynamodb, logs]) client.destroy();
});

const received = () =>
  waitUntil(
    async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: queue.url, WaitTimeSeconds: 2, MessageAttributeNames: ['All'] }),
      );
      return Messages[0];
    },
    { missing: () => 'a message in the queue', idleMs: 120_000 },
  );

test.skipIf(!ours)("an event that a rule can't deliver goes to the dead-letter queue of its target", async () => {
  const [EventBusName, Rule] = [name, name];
  await events.send(new CreateEventBusCommand({ Name: name }));
  await events.send(new PutRuleCommand({ Name: name, EventBusName, EventPattern: '{"source":["orderly.test"]}' }));
  const Arn = queue.arn.replace(name, `${name}-missing`);
  await events.send(
    new PutTargetsCommand({ Rule, EventBusName, Targets: [{ Id: 'q', Arn, DeadLetterConfig: { Arn: queue.arn } }] }),
  );
  const Entries = [{ EventBusName, Source: 'orderly.test', DetailType: 'Tested', Detail: '{"mark":17}' }];
  await events.send(new PutEventsCommand({ Entries }));
  const { Body = '{}', MessageAttributes } = await received();
  expect(JSON.parse(Body)).toMatchObject({ detail: { mark: 17 } });
  expect(MessageAttributes).toMatchObject({ TARGET_ARN: { StringValue: Arn }, ERROR_CODE: expect.anything() });
  await events.send(new RemoveTargetsCommand({ Rule, EventBusName, Ids: ['q'] }));
  await events.send(new DeleteRuleCommand({ Name: name, EventBusName }));
  await events.send(new DeleteEventBusCommand({ Name: name }));
});

/** Fails on each batch that contains the poison message, and logs the keys of the other batches. */
const HANDLER = `exports.handler = async ({ Records }) => {
  const keys = Records.map((record) => record.dynamodb.Keys.pk.S);
  if (keys.includes('poison')) throw new Error('poison');
  for (const key of keys) console.log('handled ' + key);
};`;

test.skipIf(!ours)(
  'a stream’s failing batch is split until the poison record is alone, which goes to the mapping’s destination',
  async () => {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } as const;
    await dynamodb.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        StreamSpecification,
      }),
    );
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
    await lambda.send(
      new CreateFunctionCommand({
        FunctionName: name,
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: 'arn:aws:iam::000000000000:role/orderly-test',
        Code: { ZipFile: zipOf('index.js', HANDLER) },
      }),
    );
    let state: string | undefined;
    await waitUntil(
      async () => {
        state = (await lambda.send(new GetFunctionCommand({ FunctionName: name }))).Configuration?.State;
        return state === 'Active' || undefined;
      },
      { missing: () => `the function is ${state}` },
    );
    const keys = ['a', 'b', 'poison', 'c', 'd'];
    const requests = keys.map((pk) => ({ PutRequest: { Item: { pk: { S: pk } } } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [name]: requests } }));
    const { UUID } = await lambda.send(
      new CreateEventSourceMappingCommand({
        FunctionName: name,
        EventSourceArn: Table?.LatestStreamArn,
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 10,
        MaximumRetryAttempts: 1,
        BisectBatchOnFunctionError: true,
        DestinationConfig: { OnFailure: { Destination: queue.arn } },
      }),
    );
    const given = JSON.parse((await received()).Body ?? '{}');
    expect(given).toMatchObject({ DDBStreamBatchInfo: { batchSize: 1 } });
    let handled: readonly string[] = [];
    await waitUntil(
      async () => {
        const { events: lines = [] } = await logs.send(
          new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${name}`, filterPattern: 'handled' }),
        );
        handled = lines.flatMap(({ message = '' }) => /handled (\w+)/.exec(message)?.[1] ?? []);
        return new Set(handled).size === keys.length - 1 || undefined;
      },
      { missing: () => `the function has handled ${handled.join(', ')} of ${keys.join(', ')}` },
    );
    expect([...new Set(handled)].toSorted()).toEqual(['a', 'b', 'c', 'd']);
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
    await lambda.send(new DeleteFunctionCommand({ FunctionName: name }));
    await dynamodb.send(new DeleteTableCommand({ TableName: name }));
  },
);

/** Builds an uncompressed ZIP archive of one file (APPNOTE.TXT 4.3). */
function zipOf(file: string, content: string): Uint8Array {
  const [path, data] = [Buffer.from(file), Buffer.from(content)];
  // Version, flags, method, time and date (1980-01-01), checksum, both sizes, length of the name, no extra field.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(33, 8);
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, data]);
  const madeBy = Buffer.from([20, 3]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, rest, path]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
}
