import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, GetItemCommand, PutItemCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  InvalidCiphertextException,
  KMSClient,
  ListKeysCommand,
  NotFoundException,
} from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, test } from 'vitest';
import { awsApiOf } from '../support/clients.js';
import { allowStatement, arnOf, createCloud, functionResource, STREAM_RIGHTS, TABLE } from '../support/clouds.js';

const TableName = 'Shop-Table';
const json = (target: string, body: object | string = {}) => ({
  method: 'POST',
  host: '127.0.0.1:4566',
  path: '/',
  headers: { 'x-amz-target': target },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const signed = (service: string, more: object = {}) => ({
  ...json('', ''),
  headers: {
    authorization: `AWS4-HMAC-SHA256 Credential=test/20260105/eu-west-1/${service}/aws4_request, Signature=0`,
  },
  ...more,
});
const form = (service: string, body: string) =>
  signed(service, {
    headers: { ...signed(service).headers, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body,
  });

test('a table is written and read, and its stream reaches its function', async () => {
  const cloud = createCloud(
    {
      Table: { ...TABLE, Properties: { ...TABLE.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } } },
      ...functionResource('Work', [allowStatement(STREAM_RIGHTS, { 'Fn::GetAtt': ['Table', 'StreamArn'] })]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FunctionName: { Ref: 'Work' },
          StartingPosition: 'TRIM_HORIZON',
        },
      },
    },
    { Work: 'exports.handler = async ({ Records }) => console.log(Records[0].dynamodb.Keys.pk.S);' },
  );
  const client = new DynamoDBClient(awsApiOf(cloud).config);
  await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
  expect(Item).toEqual({ pk: { S: 'a' } });
  expect(cloud.log.map(({ text }) => text)).toEqual(['a']);
});

test('a request takes effect at once, at the time at which it comes', () => {
  const cloud = createCloud({ Queue: { Type: 'AWS::SQS::Queue' } });
  const { aws } = awsApiOf(cloud);
  void aws.answer(json('AmazonSQS.SendMessage', { QueueUrl: 'http://aws/1/Shop-Queue', MessageBody: 'a' }));
  expect(cloud.queue('Shop/Queue').listMessages()).toHaveLength(1);
});

test("an error of a model is the SDK's exception, with its members", async () => {
  const client = new DynamoDBClient(awsApiOf(createCloud({ Table: TABLE })).config);
  const put = new PutItemCommand({
    TableName,
    Item: { pk: { S: 'a' } },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  await client.send(put);
  await expect(client.send(put)).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
    Item: { pk: { S: 'a' } },
    $metadata: { httpStatusCode: 400 },
  });
  const missing = client.send(new GetItemCommand({ TableName: 'none', Key: { pk: { S: 'a' } } }));
  await expect(missing).rejects.toThrow(ResourceNotFoundException);
});

test('keys are listed and described, and encrypt what only they decrypt', async () => {
  const cloud = createCloud({ Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement: [] } } } });
  const kms = new KMSClient(awsApiOf(cloud).config);
  const { Keys = [] } = await kms.send(new ListKeysCommand({}));
  const KeyId = Keys[0]?.KeyId;
  expect((await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata).toMatchObject({ KeyId, Enabled: true });
  const EncryptionContext = { for: 'test' };
  const Plaintext = Buffer.from('secret');
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }));
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
  expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('secret');
  const made = await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext }));
  const unwrap = new DecryptCommand({ CiphertextBlob: made.CiphertextBlob, EncryptionContext });
  expect((await kms.send(unwrap)).Plaintext).toEqual(made.Plaintext);
  expect(made.Plaintext).toHaveLength(32);
  await expect(kms.send(new DecryptCommand({ CiphertextBlob }))).rejects.toThrow(InvalidCiphertextException);
  await expect(kms.send(new DescribeKeyCommand({ KeyId: 'none' }))).rejects.toThrow(NotFoundException);
});

test('the caller is an administrator of the account', async () => {
  const { answer, config } = awsApiOf(createCloud({}));
  expect(await new STSClient(config).send(new GetCallerIdentityCommand({}))).toMatchObject({
    Account: '123456789012',
    Arn: 'arn:aws:iam::123456789012:root',
  });
  const { status, body } = await answer(form('sts', 'Action=GetCallerIdentity&Version=2011-06-15'));
  expect(status).toBe(200);
  expect(body).toContain('<GetCallerIdentityResult><UserId>123456789012</UserId><Account>123456789012</Account>');
  expect(body).toContain('xmlns="https://sts.amazonaws.com/doc/2011-06-15/"');
});

test('REST APIs and their stages are listed', async () => {
  const { answer } = awsApiOf(
    createCloud({
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'shop' } },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1', DeploymentId: 'first' },
      },
    }),
  );
  const get = async (path: string) => JSON.parse((await answer(signed('apigateway', { method: 'GET', path }))).body);
  const { item } = await get('/restapis?limit=5');
  expect(item).toMatchObject([{ name: 'shop' }]);
  expect((await get(`/restapis/${item[0].id}`)).name).toBe('shop');
  expect((await get(`/restapis/${item[0].id}/stages`)).item).toMatchObject([
    { stageName: 'v1', deploymentId: 'first' },
  ]);
  expect((await get('/restapis/none/stages')).__type).toBe('NotFoundException');
});

test('alarms are listed, in JSON and in Query; none has data', async () => {
  const alarm = (Threshold: number) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { MetricName: 'Age', Namespace: 'AWS/SQS', Threshold, Dimensions: [{ Name: 'QueueName', Value: 'a' }] },
  });
  const { answer, config } = awsApiOf(createCloud({ Old: alarm(60), Older: alarm(90) }));
  const { MetricAlarms } = await new CloudWatchClient(config).send(new DescribeAlarmsCommand({ MaxRecords: 1 }));
  expect(MetricAlarms).toMatchObject([{ AlarmName: 'Shop-Old', StateValue: 'INSUFFICIENT_DATA', Threshold: 60 }]);
  const describe = async (body: object) =>
    JSON.parse((await answer(json('GraniteServiceVersion20100801.DescribeAlarms', body))).body).MetricAlarms;
  expect(await describe({ AlarmNames: ['Shop-Older'] })).toMatchObject([
    { AlarmName: 'Shop-Older', StateValue: 'INSUFFICIENT_DATA', Threshold: 90 },
  ]);
  expect(await describe({ AlarmNamePrefix: 'Shop-Old' })).toHaveLength(2);
  expect(await describe({ StateValue: 'ALARM' })).toEqual([]);
  const { body } = await answer(form('monitoring', 'Action=DescribeAlarms&AlarmNames.member.1=Shop-Old'));
  expect(body).toContain('<Dimensions><member><Name>QueueName</Name><Value>a</Value></member></Dimensions>');
  expect(body).not.toContain('Shop-Older');
});

test("an administrator is denied, too, if a resource's policy denies it", async () => {
  const Statement = { Effect: 'Deny', Principal: '*', Action: 'sqs:PurgeQueue', Resource: arnOf('Queue') };
  const { answer } = awsApiOf(
    createCloud({
      Queue: { Type: 'AWS::SQS::Queue' },
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: { Statement: [Statement] } },
      },
    }),
  );
  const { status, body } = await answer(json('AmazonSQS.PurgeQueue', { QueueUrl: 'http://aws/1/Shop-Queue' }));
  expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 400, __type: 'AccessDeniedException' });
  const sent = await answer(json('AmazonSQS.SendMessage', { QueueUrl: 'http://aws/1/Shop-Queue', MessageBody: 'a' }));
  expect(sent.status).toBe(200);
});

describe('a request without an answer', () => {
  test.each([
    ['JSON', json('AWSEvents.CreateArchive'), 400, '"__type":"UnknownOperationException"', 'events CreateArchive'],
    ['DynamoDB', json('DynamoDB_20120810.FlyToTheMoon'), 400, 'UnknownOperationException', 'dynamodb FlyToTheMoon'],
    ['an unknown target', json('Secrets_1.Get'), 400, 'UnknownOperationException', 'Secrets_1 Get'],
    ['Query', form('sts', 'Action=AssumeRole&Version=2011-06-15'), 400, '<Code>InvalidAction</Code>', 'sts AssumeRole'],
    ['a service of an odd name', form('constructor', 'Action=name'), 400, 'InvalidAction', 'constructor name'],
    ['an unknown Query', form('iam', 'Action=ListRoles&Version=2010-05-08'), 400, 'InvalidAction', 'iam ListRoles'],
    [
      'REST',
      signed('lambda', { method: 'GET', path: '/2018-10-31/layers' }),
      404,
      'UnknownOperationException',
      'lambda GET /2018-10-31/layers',
    ],
    [
      'CBOR',
      signed('monitoring', {
        path: '/service/Granite/operation/PutMetricData',
        headers: { ...signed('monitoring').headers, 'smithy-protocol': 'rpc-v2-cbor' },
      }),
      404,
      'UnknownOperationException',
      'monitoring PutMetricData',
    ],
    ['a member of every object', json('AWSEvents.toString'), 400, 'UnknownOperationException', 'events toString'],
  ])('gets the error of its protocol, and is reported: %s', async (_, request, status, text, line) => {
    const { answer, unknown } = awsApiOf(createCloud({}));
    const answered = await answer(request);
    expect(answered.status).toBe(status);
    expect(answered.body).toContain(text);
    expect(unknown).toEqual([`${line}: unknown operation`]);
  });

  test('gets 403 if it names no service', async () => {
    const { answer, unknown } = awsApiOf(createCloud({}));
    const { status, headers } = await answer({ method: 'GET', host: '127.0.0.1', path: '/', headers: {}, body: '' });
    expect([status, headers['x-amzn-errortype']]).toEqual([403, 'MissingAuthenticationTokenException']);
    expect(unknown).toHaveLength(1);
  });

  test('gets 501 in words if the model has no answer', async () => {
    const { answer, unknown } = awsApiOf(createCloud({ Queue: { Type: 'AWS::SQS::Queue' } }));
    const { status, body } = await answer(json('AmazonSQS.DeleteQueue', { QueueUrl: 'https://sqs/1/Shop-Queue' }));
    expect(status).toBe(501);
    expect(JSON.parse(body)).toMatchObject({
      __type: 'NotImplemented',
      message: expect.stringContaining('a queue that a stack has created'),
    });
    expect(unknown).toEqual(['sqs DeleteQueue: not modelled: the deletion of a queue that a stack has created']);
  });

  test("gets 501 if it speaks SQS's old protocol", async () => {
    const { answer, unknown } = awsApiOf(createCloud({}));
    const { status, body } = await answer(form('sqs', 'Action=ListQueues&Version=2012-11-05'));
    expect([status, body]).toEqual([501, expect.stringContaining('<Code>NotImplemented</Code>')]);
    expect(unknown).toEqual(["sqs ListQueues: not modelled: SQS's old Query protocol"]);
  });

  test('gets 500 if the model fails, and the line says where', async () => {
    const { answer, unknown } = awsApiOf(createCloud({}));
    const { status, body } = await answer(
      json('AWSEvents.PutTargets', { Rule: 'none', EventBusName: { toString: 1 } }),
    );
    expect(status).toBe(500);
    expect(JSON.parse(body).__type).toBe('InternalFailure');
    expect(unknown[0]).toMatch(/^events PutTargets: failed: TypeError/);
  });

  test('gets 400 if it is malformed', async () => {
    const { answer } = awsApiOf(createCloud({}));
    const { status, body } = await answer(json('AWSEvents.PutEvents', '{'));
    expect([status, JSON.parse(body).__type]).toEqual([400, 'SerializationException']);
  });
});
