/**
 * Each operation that is served, called by AWS's own client of its service: in process, and over HTTP in a local cloud. An
 * operation without a call here is red, and so is a call of one that isn't served.
 */
import * as apigateway from '@aws-sdk/client-api-gateway';
import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as monitoring from '@aws-sdk/client-cloudwatch';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as cognito from '@aws-sdk/client-cognito-identity-provider';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import * as events from '@aws-sdk/client-eventbridge';
import * as kinesis from '@aws-sdk/client-kinesis';
import * as kms from '@aws-sdk/client-kms';
import * as lambda from '@aws-sdk/client-lambda';
import * as s3 from '@aws-sdk/client-s3';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as secretsmanager from '@aws-sdk/client-secrets-manager';
import * as sfn from '@aws-sdk/client-sfn';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import * as sts from '@aws-sdk/client-sts';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LocalCloud } from '../live/local-cloud.js';
import { awsApiOf } from '../support/clients.js';
import {
  allowStatement,
  arnOf,
  createCloud,
  functionResource,
  QUEUE_RIGHTS,
  writeAssembly,
} from '../support/clouds.js';

/** Newest answer of each operation; a test may read any member of it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of a hundred operations, in one list
type Answers = Readonly<Record<string, any>>;
type Call = readonly [operation: string, input?: object | ((answers: Answers) => object)];

const STACK = [
  {
    ...functionResource('Work', [allowStatement([...QUEUE_RIGHTS, 'sqs:SendMessage'], '*')]),
    Dead: { Type: 'AWS::SQS::Queue' },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' } },
    },
    Topic: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'sold' } },
    Machine: machine('STANDARD', { First: askBy('Dead', { Next: 'Second' }), Second: askBy('Dead', { End: true }) }),
    Quick: machine('EXPRESS', { Done: { Type: 'Succeed' } }),
    Heard: {
      Type: 'AWS::SNS::Subscription',
      Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arnOf('Dead') },
    },
    Pool: { Type: 'AWS::Cognito::UserPool' },
    Client: {
      Type: 'AWS::Cognito::UserPoolClient',
      Properties: {
        UserPoolId: { Ref: 'Pool' },
        ExplicitAuthFlows: ['ALLOW_USER_PASSWORD_AUTH', 'ALLOW_ADMIN_USER_PASSWORD_AUTH'],
      },
    },
    Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement: [] } } },
    Stream: { Type: 'AWS::Kinesis::Stream', Properties: { Name: 'clicks' } },
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'key' } },
    Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'things' } },
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'shop' } },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1', DeploymentId: 'first' },
    },
  },
  { Work: "exports.handler = async () => { console.log('worked'); };" },
] as const;

/** A state machine with the role of the function `Work`. */
function machine(StateMachineType: string, States: object) {
  const [StartAt] = Object.keys(States);
  const DefinitionString = JSON.stringify({ StartAt, States });
  const Properties = { StateMachineType, RoleArn: arnOf('WorkRole'), DefinitionString };
  return { Type: 'AWS::StepFunctions::StateMachine', Properties };
}

/** A task that waits until somebody answers its message. */
function askBy(queue: string, more: object) {
  const Resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const Parameters = { QueueUrl: `Shop-${queue}`, 'MessageBody.$': '$$.Task.Token' };
  return { Type: 'Task', Resource, Parameters, ...more };
}

const states = 'arn:aws:states:eu-west-1:123456789012';
const order = { stateMachineArn: `${states}:stateMachine:Shop-Machine` };
const execution = ({ StartExecution: { executionArn } }: Answers) => ({ executionArn });
const asked = ({ ReceiveMessage }: Answers) => ({ taskToken: ReceiveMessage.Messages[0].Body as string });
const dead = { QueueUrl: 'http://127.0.0.1:4566/123456789012/Shop-Dead' };
const ASKED: readonly Call[] = [
  ['ReceiveMessage', { ...dead, WaitTimeSeconds: 5 }],
  ['DeleteMessage', (answers) => ({ ...dead, ReceiptHandle: handleOf(answers) })],
];
const STARTED: readonly Call[] = [
  ['ListStateMachines'],
  ['DescribeStateMachine', order],
  ['StartSyncExecution', { stateMachineArn: `${states}:stateMachine:Shop-Quick` }],
  ['StartExecution', { ...order, name: 'one' }],
  ['ListExecutions', order],
  ['DescribeExecution', execution],
  ['GetExecutionHistory', execution],
];

const SNS: readonly Call[] = [
  ['ListTopics'],
  ['Publish', ({ ListTopics }) => ({ ...ListTopics.Topics[0], Message: 'lamp', MessageAttributes: { kind } })],
  [
    'PublishBatch',
    ({ ListTopics }) => ({ ...ListTopics.Topics[0], PublishBatchRequestEntries: [{ Id: 'one', Message: 'desk' }] }),
  ],
];
const kind = { DataType: 'String', StringValue: 'lamp' };

const late = {
  Name: 'late',
  ScheduleExpression: 'at(2026-02-01T00:00:00)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target: {
    Arn: 'arn:aws:sqs:eu-west-1:123456789012:Shop-Dead',
    RoleArn: 'arn:aws:iam::123456789012:role/Shop-WorkRole',
  },
} as const;
const SCHEDULER: readonly Call[] = [
  ['CreateSchedule', late],
  ['ListSchedules'],
  ['GetSchedule', { Name: 'late', GroupName: 'default' }],
  ['UpdateSchedule', { ...late, State: 'DISABLED' }],
  ['DeleteSchedule', { Name: 'late' }],
];
const SECRETS: readonly Call[] = [
  ['ListSecrets'],
  ['DescribeSecret', { SecretId: 'key' }],
  ['GetSecretValue', { SecretId: 'key' }],
  ['PutSecretValue', { SecretId: 'key', SecretString: 'open' }],
  ['CreateSecret', { Name: 'another', SecretString: 'open' }],
];
const clicks = { StreamName: 'clicks' };
const click = { PartitionKey: 'vera', Data: Buffer.from('click') };
const KINESIS: readonly Call[] = [
  ['ListStreams'],
  ['DescribeStream', clicks],
  ['DescribeStreamSummary', clicks],
  ['ListShards', clicks],
  ['PutRecord', { ...clicks, ...click }],
  ['PutRecords', { ...clicks, Records: [click] }],
  ['GetShardIterator', ({ PutRecord }) => ({ ...clicks, ...PutRecord, ShardIteratorType: 'TRIM_HORIZON' })],
  ['GetRecords', ({ GetShardIterator: { ShardIterator } }) => ({ ShardIterator })],
];

const mine = { QueueUrl: 'http://127.0.0.1:4566/123456789012/mine' };
const ofStack = { StackName: 'Shop' };
const work = { FunctionName: 'Shop-Work' };
const object = { Bucket: 'things', Key: 'a' };
const pattern = JSON.stringify({ source: ['shop'] });
const Targets = [{ Id: 'queue', Arn: 'arn:aws:sqs:eu-west-1:123456789012:Shop-Dead' }];
const rule = { EventBusName: 'own', Name: 'all' };
const TableName = 'Things';
const Key = { pk: { S: 'a' } };
const handleOf = ({ ReceiveMessage }: Answers) => ReceiveMessage.Messages[0].ReceiptHandle as string;
const send: Call = ['SendMessage', { ...mine, MessageBody: 'a' }];
const receive: Call = ['ReceiveMessage', mine];

const SQS: readonly Call[] = [
  ['CreateQueue', { QueueName: 'mine' }],
  ['ListQueues'],
  ['GetQueueUrl', { QueueName: 'mine' }],
  ['SetQueueAttributes', { ...mine, Attributes: { VisibilityTimeout: '5' } }],
  ['GetQueueAttributes', { ...mine, AttributeNames: ['All'] }],
  send,
  receive,
  ['ChangeMessageVisibility', (answers) => ({ ...mine, ReceiptHandle: handleOf(answers), VisibilityTimeout: 1 })],
  [
    'ChangeMessageVisibilityBatch',
    (answers) => ({ ...mine, Entries: [{ Id: 'a', ReceiptHandle: handleOf(answers), VisibilityTimeout: 1 }] }),
  ],
  ['DeleteMessage', (answers) => ({ ...mine, ReceiptHandle: handleOf(answers) })],
  ['SendMessageBatch', { ...mine, Entries: [{ Id: 'a', MessageBody: 'a' }] }],
  receive,
  ['DeleteMessageBatch', (answers) => ({ ...mine, Entries: [{ Id: 'a', ReceiptHandle: handleOf(answers) }] })],
  ['PurgeQueue', mine],
  ['ListDeadLetterSourceQueues', { QueueUrl: 'http://127.0.0.1:4566/123456789012/Shop-Dead' }],
  ['StartMessageMoveTask', { SourceArn: Targets[0]?.Arn }],
  ['ListMessageMoveTasks', { SourceArn: Targets[0]?.Arn }],
  ['DeleteQueue', mine],
];

const EVENTS: readonly Call[] = [
  ['CreateEventBus', { Name: 'own' }],
  ['ListEventBuses'],
  ['DescribeEventBus', { Name: 'own' }],
  ['PutRule', { ...rule, EventPattern: pattern }],
  ['ListRules', { EventBusName: 'own' }],
  ['DescribeRule', rule],
  ['DisableRule', rule],
  ['EnableRule', rule],
  ['PutTargets', { EventBusName: 'own', Rule: 'all', Targets }],
  ['ListTargetsByRule', { EventBusName: 'own', Rule: 'all' }],
  ['ListRuleNamesByTarget', { EventBusName: 'own', TargetArn: Targets[0]?.Arn }],
  ['PutEvents', { Entries: [{ EventBusName: 'own', Source: 'shop', DetailType: 'a', Detail: '{}' }] }],
  ['TestEventPattern', { EventPattern: pattern, Event: JSON.stringify(EVENT()) }],
  ['RemoveTargets', { EventBusName: 'own', Rule: 'all', Ids: ['queue'] }],
  ['DeleteRule', rule],
  ['DeleteEventBus', { Name: 'own' }],
];

function EVENT() {
  const parts = { id: 'a', account: '123456789012', time: '2026-01-05T00:00:00Z', region: 'eu-west-1', resources: [] };
  return { ...parts, source: 'shop', 'detail-type': 'a', detail: {} };
}

const LAMBDA: readonly Call[] = [
  ['Invoke', work],
  ['ListFunctions'],
  ['GetFunction', work],
  ['GetFunctionConfiguration', work],
  ['PutFunctionConcurrency', { ...work, ReservedConcurrentExecutions: 2 }],
  ['GetFunctionConcurrency', work],
  ['DeleteFunctionConcurrency', work],
  ['ListEventSourceMappings', work],
  ['GetEventSourceMapping', ({ ListEventSourceMappings: { EventSourceMappings } }) => EventSourceMappings[0]],
  ['UpdateEventSourceMapping', ({ GetEventSourceMapping: { UUID } }) => ({ UUID, Enabled: false })],
];

const LOGS: readonly Call[] = [
  ['DescribeLogGroups'],
  ['DescribeLogStreams', groupOf],
  ['FilterLogEvents', (answers) => ({ ...groupOf(answers), filterPattern: 'worked' })],
  [
    'GetLogEvents',
    (answers) => ({ ...groupOf(answers), logStreamName: answers.DescribeLogStreams.logStreams[0].logStreamName }),
  ],
  ['StartQuery', (answers) => ({ ...groupOf(answers), startTime: 0, endTime: 1, queryString: 'fields @message' })],
  ['GetQueryResults', ({ StartQuery: { queryId } }) => ({ queryId })],
];

function groupOf({ DescribeLogGroups: { logGroups } }: Answers) {
  return { logGroupName: logGroups[0].logGroupName as string };
}

const DYNAMODB: readonly Call[] = [
  ['DescribeLimits'],
  ['DescribeEndpoints'],
  [
    'CreateTable',
    {
      TableName,
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    },
  ],
  ['ListTables'],
  ['DescribeTable', { TableName }],
  ['UpdateTable', { TableName, DeletionProtectionEnabled: false }],
  ['UpdateTimeToLive', { TableName, TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } }],
  ['DescribeTimeToLive', { TableName }],
  ['TagResource', (answers) => ({ ...tableArn(answers), Tags: [{ Key: 'a', Value: 'b' }] })],
  ['ListTagsOfResource', tableArn],
  ['UntagResource', (answers) => ({ ...tableArn(answers), TagKeys: ['a'] })],
  ['PutItem', { TableName, Item: Key }],
  ['GetItem', { TableName, Key }],
  ['Query', { TableName, KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': Key.pk } }],
  ['Scan', { TableName }],
  ['UpdateItem', { TableName, Key, UpdateExpression: 'SET b = :b', ExpressionAttributeValues: { ':b': { N: '1' } } }],
  ['TransactWriteItems', { TransactItems: [{ Put: { TableName, Item: { pk: { S: 'b' } } } }] }],
  ['TransactGetItems', { TransactItems: [{ Get: { TableName, Key } }] }],
  ['BatchWriteItem', { RequestItems: { [TableName]: [{ PutRequest: { Item: { pk: { S: 'c' } } } }] } }],
  ['BatchGetItem', { RequestItems: { [TableName]: { Keys: [Key] } } }],
  ['ExecuteStatement', { Statement: `SELECT * FROM ${TableName} WHERE pk = 'a'` }],
  ['BatchExecuteStatement', { Statements: [{ Statement: `SELECT * FROM ${TableName} WHERE pk = 'a'` }] }],
  ['ExecuteTransaction', { TransactStatements: [{ Statement: `SELECT * FROM ${TableName} WHERE pk = 'a'` }] }],
  ['DeleteItem', { TableName, Key }],
  ['UpdateContinuousBackups', { TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
  ['DescribeContinuousBackups', { TableName }],
  [
    'RestoreTableToPointInTime',
    { SourceTableName: TableName, TargetTableName: 'Restored', UseLatestRestorableTime: true },
  ],
];

function tableArn({ CreateTable }: Answers) {
  return { ResourceArn: CreateTable.TableDescription.TableArn as string };
}

const STREAMS: readonly Call[] = [
  ['ListStreams', { TableName }],
  ['DescribeStream', ({ ListStreams: { Streams } }) => ({ StreamArn: Streams[0].StreamArn })],
  [
    'GetShardIterator',
    ({ DescribeStream: { StreamDescription } }) => ({
      StreamArn: StreamDescription.StreamArn,
      ShardId: StreamDescription.Shards[0].ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    }),
  ],
  ['GetRecords', ({ GetShardIterator: { ShardIterator } }) => ({ ShardIterator })],
];

const period = { StartTime: new Date(0), EndTime: new Date(8.64e13) };
const metric = { Namespace: 'AWS/SQS', MetricName: 'ApproximateNumberOfMessagesVisible' };
const REST: Readonly<Record<string, readonly Call[]>> = {
  apigateway: [
    ['GetRestApis'],
    ['GetRestApi', ({ GetRestApis: { items } }) => ({ restApiId: items[0].id })],
    ['GetStages', ({ GetRestApi: { id } }) => ({ restApiId: id })],
  ],
  cloudformation: [
    ['DescribeStacks', ofStack],
    ['ListStacks'],
    ['ListStackResources', ofStack],
    ['DescribeStackResources', ofStack],
    ['DescribeStackEvents', ofStack],
    ['GetTemplate', ofStack],
  ],
  kms: [
    ['ListKeys'],
    ['DescribeKey', keyOf],
    ['GenerateDataKey', (answers) => ({ ...keyOf(answers), KeySpec: 'AES_256' })],
    ['Encrypt', (answers) => ({ ...keyOf(answers), Plaintext: new Uint8Array([1]) })],
    ['Decrypt', ({ Encrypt: { CiphertextBlob } }) => ({ CiphertextBlob })],
  ],
  monitoring: [
    ['DescribeAlarms'],
    [
      'GetMetricData',
      {
        ...period,
        MetricDataQueries: [
          {
            Id: 'm1',
            MetricStat: {
              Metric: { ...metric, Dimensions: [{ Name: 'QueueName', Value: 'Shop-Queue' }] },
              Period: 60,
              Stat: 'Maximum',
            },
          },
        ],
      },
    ],
  ],
  s3: [
    ['ListBuckets'],
    ['HeadBucket', { Bucket: 'things' }],
    ['PutObject', { ...object, Body: 'a' }],
    ['ListObjectsV2', { Bucket: 'things' }],
    ['HeadObject', object],
    ['GetObject', object],
    ['DeleteObject', object],
  ],
  ssm: [
    ['PutParameter', { Name: '/a/b', Value: 'c', Type: 'String' }],
    ['GetParameter', { Name: '/a/b' }],
    ['GetParameters', { Names: ['/a/b'] }],
    ['GetParametersByPath', { Path: '/a' }],
    ['DescribeParameters'],
    ['DeleteParameter', { Name: '/a/b' }],
  ],
  sts: [['GetCallerIdentity']],
};

function keyOf({ ListKeys: { Keys } }: Answers) {
  return { KeyId: Keys[0].KeyId as string };
}

const POOL = { UserPoolId: 'eu-west-1_ShopPool' };
const CLIENT = { ClientId: 'ShopClient' };
const ALICE = { Username: 'alice' };
const GUESTS = { GroupName: 'guests' };
const SIGN_IN = { ...CLIENT, AuthParameters: { USERNAME: 'alice', PASSWORD: 'Str0ng-word' } };
const COGNITO: readonly Call[] = [
  ['ListUserPools', { MaxResults: 10 }],
  ['DescribeUserPool', POOL],
  ['ListUserPoolClients', POOL],
  ['DescribeUserPoolClient', { ...POOL, ...CLIENT }],
  ['SignUp', { ...CLIENT, ...ALICE, Password: 'Str0ng-word' }],
  ['ConfirmSignUp', { ...CLIENT, ...ALICE, ConfirmationCode: '123456' }],
  ['InitiateAuth', { ...SIGN_IN, AuthFlow: 'USER_PASSWORD_AUTH' }],
  ['AdminInitiateAuth', { ...POOL, ...SIGN_IN, AuthFlow: 'ADMIN_USER_PASSWORD_AUTH' }],
  ['GetUser', ({ InitiateAuth: { AuthenticationResult } }) => ({ AccessToken: AuthenticationResult.AccessToken })],
  ['AdminCreateUser', { ...POOL, Username: 'bob' }],
  ['AdminSetUserPassword', { ...POOL, Username: 'bob', Password: 'Str0ng-word' }],
  ['AdminConfirmSignUp', { ...POOL, Username: 'bob' }],
  ['AdminUpdateUserAttributes', { ...POOL, ...ALICE, UserAttributes: [{ Name: 'name', Value: 'Alice' }] }],
  ['AdminGetUser', { ...POOL, ...ALICE }],
  ['ListUsers', POOL],
  ['CreateGroup', { ...POOL, ...GUESTS }],
  ['GetGroup', { ...POOL, ...GUESTS }],
  ['ListGroups', POOL],
  ['AdminAddUserToGroup', { ...POOL, ...ALICE, ...GUESTS }],
  ['AdminListGroupsForUser', { ...POOL, ...ALICE }],
  ['ListUsersInGroup', { ...POOL, ...GUESTS }],
  ['AdminRemoveUserFromGroup', { ...POOL, ...ALICE, ...GUESTS }],
  ['DeleteGroup', { ...POOL, ...GUESTS }],
  ['AdminDeleteUser', { ...POOL, ...ALICE }],
];

/** Clients, and what they call, by the name with which requests to a service are signed. */
const CLIENTS: Readonly<Record<string, readonly (readonly [sdk: object, client: string, calls: readonly Call[]])[]>> = {
  apigateway: [[apigateway, 'APIGatewayClient', REST.apigateway ?? []]],
  cloudformation: [[cloudformation, 'CloudFormationClient', REST.cloudformation ?? []]],
  'cognito-idp': [[cognito, 'CognitoIdentityProviderClient', COGNITO]],
  dynamodb: [
    [dynamodb, 'DynamoDBClient', DYNAMODB],
    [streams, 'DynamoDBStreamsClient', STREAMS],
    [dynamodb, 'DynamoDBClient', [['DeleteTable', { TableName }]]],
  ],
  events: [[events, 'EventBridgeClient', EVENTS]],
  kinesis: [[kinesis, 'KinesisClient', KINESIS]],
  kms: [[kms, 'KMSClient', REST.kms ?? []]],
  lambda: [[lambda, 'LambdaClient', LAMBDA]],
  logs: [
    [lambda, 'LambdaClient', [['Invoke', work]]],
    [logs, 'CloudWatchLogsClient', LOGS],
  ],
  monitoring: [[monitoring, 'CloudWatchClient', REST.monitoring ?? []]],
  s3: [[s3, 'S3Client', REST.s3 ?? []]],
  secretsmanager: [[secretsmanager, 'SecretsManagerClient', SECRETS]],
  scheduler: [[scheduler, 'SchedulerClient', SCHEDULER]],
  states: [
    [sfn, 'SFNClient', STARTED],
    [sqs, 'SQSClient', ASKED],
    [
      sfn,
      'SFNClient',
      [
        ['SendTaskHeartbeat', asked],
        ['SendTaskSuccess', (answers) => ({ ...asked(answers), output: '{}' })],
      ],
    ],
    [sqs, 'SQSClient', ASKED],
    [
      sfn,
      'SFNClient',
      [
        ['SendTaskFailure', asked],
        ['StopExecution', execution],
      ],
    ],
  ],
  sns: [[sns, 'SNSClient', SNS]],
  sqs: [[sqs, 'SQSClient', SQS]],
  ssm: [[ssm, 'SSMClient', REST.ssm ?? []]],
  sts: [[sts, 'STSClient', REST.sts ?? []]],
};

/** Clients of the services whose calls need those of others. */
const OWN: Readonly<Record<string, object>> = { logs, states: sfn };

interface Sender {
  send(command: object): Promise<object>;
  destroy(): void;
}

const { served } = createCloud({}).services;

test('every service has a client', () => expect(Object.keys(CLIENTS).sort()).toEqual(Object.keys(served).sort()));

/** Calls every operation of a service. @returns the names of those that are its own */
async function callAll(service: string, config: object): Promise<readonly string[]> {
  const answers: Record<string, object> = {};
  const own = new Set<string>();
  for (const [sdk, name, calls] of CLIENTS[service] ?? []) {
    const made = sdk as Readonly<Record<string, new (input: object) => Sender>>;
    const Client = made[name] as new (input: object) => Sender;
    const client = new Client({ ...config, forcePathStyle: true });
    for (const [operation, input = {}] of calls) {
      const Command = made[`${operation}Command`];
      if (!Command) throw new Error(`the SDK has no ${operation}`);
      answers[operation] = await client.send(new Command(typeof input === 'function' ? input(answers) : input));
      if ((OWN[service] ?? sdk) === sdk) own.add(operation);
    }
    client.destroy();
  }
  return [...own].sort();
}

test.each(Object.keys(served))("every operation of %s is called by AWS's client, and answered", async (service) => {
  const { config, unknown } = awsApiOf(createCloud(...STACK));
  expect(await callAll(service, config)).toEqual([...(served[service] ?? [])].sort());
  expect(unknown).toEqual([]);
});

describe('the operations over HTTP', () => {
  let cloud: LocalCloud;
  const said: string[] = [];
  beforeAll(async () => {
    cloud = await LocalCloud.start({ folder: writeAssembly(...STACK), threads: 1, log: (line) => said.push(line) });
  });
  afterAll(() => cloud.stop());

  test.each(Object.keys(served))("every operation of %s is called by AWS's client, and answered", async (service) => {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    // The addresses of queues in the table have another port, and StartSyncExecution another host.
    const addresses = { useQueueUrlAsEndpoint: false, disableHostPrefix: true };
    // Its own handler speaks HTTP/2.
    const handler = service === 'kinesis' ? { requestHandler: new NodeHttpHandler() } : {};
    const overHttp = {
      region: 'eu-west-1',
      credentials,
      maxAttempts: 1,
      endpoint: cloud.url,
      ...addresses,
      ...handler,
    };
    expect(await callAll(service, overHttp)).toEqual([...(served[service] ?? [])].sort());
    expect(said).toEqual([]);
  });
});
