import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { allowStatement, arnOf, createCloud, functionResource, TABLE } from '../../support/clouds.js';
import { createMachine, execute, machineResource } from '../../support/machines.js';

const END = { End: true };
const call = (action: string, Parameters: Json, more: { readonly [field: string]: Json } = {}): Json => ({
  Type: 'Task',
  Resource: `arn:aws:states:::aws-sdk:${action}`,
  Parameters,
  ...('Next' in more ? {} : END),
  ...more,
});
const FILES = { Files: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'files' } } };
const OBJECT = { Bucket: 'files', Key: 'a.json' };

test('a task writes, reads and deletes an object, whose body is JSON', async () => {
  const states = {
    Put: call('s3:putObject', { ...OBJECT, 'Body.$': '$' }, { Next: 'Get', ResultPath: '$.put' }),
    Get: call('s3:getObject', OBJECT, { Next: 'Delete', ResultPath: '$.got' }),
    Delete: call('s3:deleteObject', OBJECT, { Next: 'Again', ResultPath: null }),
    Again: call('s3:getObject', OBJECT, {
      Catch: [{ ErrorEquals: ['S3.NoSuchKeyException'], Next: 'Gone', ResultPath: null }],
    }),
    Gone: { Type: 'Pass', ...END },
  };
  const { outcome } = await execute(createMachine(states, FILES), { sku: 'lamp' });
  expect(outcome).toMatchObject({
    output: { put: { ETag: expect.any(String) }, got: { Body: '{"sku":"lamp"}', ContentLength: 14 } },
  });
});

test('a text as the body of an object gets quotation marks', async () => {
  const cloud = createMachine({ Put: call('s3:putObject', { ...OBJECT, Body: 'Hello' }) }, FILES);
  await execute(cloud);
  expect(cloud.buckets.find('files', 'a.json')?.body).toBe('"Hello"');
});

test('an object takes the rights of the role', async () => {
  const cloud = createCloud({
    ...machineResource({ Put: call('s3:putObject', { ...OBJECT, Body: {} }) }, ['s3:GetObject']),
    ...FILES,
  });
  expect((await execute(cloud)).outcome).toMatchObject({ error: 'States.Permissions' });
});

test('errors of the SDK begin otherwise than those of optimized integrations', async () => {
  const put = { TableName: 'Shop-Shelf', Item: { pk: { S: 'lamp' } } };
  const again = { ...put, ConditionExpression: 'attribute_not_exists(pk)' };
  const cloud = createMachine(
    { First: call('dynamodb:putItem', put, { Next: 'Again' }), Again: call('dynamodb:putItem', again) },
    { Shelf: TABLE },
  );
  expect((await execute(cloud)).outcome).toMatchObject({ error: 'DynamoDb.ConditionalCheckFailedException' });
});

test('an event that a bus refuses is part of the answer, not an error', async () => {
  const parameters = { Entries: [{ Source: 'aws.shop', DetailType: 'Sold', Detail: '{}' }] };
  const { outcome } = await execute(createMachine({ Put: call('eventbridge:putEvents', parameters) }));
  expect(outcome).toMatchObject({ output: { FailedEntryCount: 1 } });
});

test.each([
  ['s3:copyObject', {}, 'the resource arn:aws:states:::aws-sdk:s3:copyObject'],
  ['ec2:startInstances', {}, 'the resource arn:aws:states:::aws-sdk:ec2:startInstances'],
  ['s3:putObject', { ...OBJECT, Tagging: 'a=b' }, 'the parameter Tagging of arn:aws:states:::aws-sdk:s3:putObject'],
  ['s3:putObject.sync:2', OBJECT, 'the resource arn:aws:states:::aws-sdk:s3:putObject.sync:2'],
])('what isn’t modelled is named: %s', (action, parameters, message) => {
  expect(() => createMachine({ Call: call(action, parameters) }, FILES)).toThrow(message);
});

test('a function writes an object', async () => {
  const code = `exports.handler = () => new Promise((resolve, reject) => {
    const request = require('https').request({ method: 'PUT', host: 'files.s3.eu-west-1.amazonaws.com', path: '/a' });
    request.on('error', reject);
    request.on('response', (response) => resolve(response.statusCode));
    request.end('text');
  });`;
  const cloud = createCloud(
    { ...functionResource('Write', [allowStatement(['s3:PutObject'], '*')]), ...FILES },
    { Write: code },
  );
  cloud.fn('Shop/Write').invoke({}, () => undefined);
  await cloud.world.settle();
  expect(cloud.buckets.find('files', 'a')?.body).toBe('text');
});

/** "Learning to use AWS service SDK integrations in Step Functions": parameters and members of answers begin in upper case. */
describe('Step Functions as a service', () => {
  const ARN = { StateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:finisher' };

  /** A machine that waits for an event's answer, and a second one that such an event starts. */
  const finishing = (finish: Json, actions: readonly string[] = ['*']) => {
    const { Machine, MachineRole, MachinePolicy } = machineResource({ Finish: finish }, actions);
    const detail = { 'token.$': '$$.Task.Token', sku: 'lamp' };
    const Ask = {
      Type: 'Task',
      Resource: 'arn:aws:states:::events:putEvents.waitForTaskToken',
      Parameters: { Entries: [{ Source: 'shop', DetailType: 'Asked', Detail: detail }] },
      TimeoutSeconds: 60,
      ...END,
    };
    const RoleArn = arnOf('MachineRole');
    return createMachine(
      { Ask },
      {
        Finisher: {
          ...Machine,
          Properties: { ...Machine.Properties, StateMachineName: 'finisher', RoleArn: arnOf('Own') },
        },
        Own: MachineRole,
        OwnPolicy: {
          ...MachinePolicy,
          Properties: { ...MachinePolicy.Properties, Roles: [{ Ref: 'Own' }] },
        },
        On: {
          Type: 'AWS::Events::Rule',
          Properties: {
            EventPattern: { source: ['shop'] },
            Targets: [{ Id: 'Finisher', Arn: { Ref: 'Finisher' }, RoleArn }],
          },
        },
      },
    );
  };
  const success = call('sfn:sendTaskSuccess', { 'TaskToken.$': '$.detail.token', 'Output.$': '$.detail' });

  test('a task answers another one by its token; what it gives as JSON becomes a text', async () => {
    expect((await execute(finishing(success))).outcome).toMatchObject({ output: { sku: 'lamp' } });
  });

  test('a task fails another one', async () => {
    const failure = call('sfn:sendTaskFailure', {
      'TaskToken.$': '$.detail.token',
      Error: 'Refused',
      Cause: 'no lamp',
    });
    expect((await execute(finishing(failure))).outcome).toEqual({ error: 'Refused', cause: 'no lamp' });
  });

  test('an answer takes the right of the role', async () => {
    const cloud = finishing(success, ['states:SendTaskFailure']);
    expect((await execute(cloud)).outcome).toMatchObject({ error: 'States.Timeout' });
  });

  test('an error is one of the SDK, and an answer’s members begin in upper case', async () => {
    const again = { Catch: [{ ErrorEquals: ['Sfn.InvalidTokenException'], Next: 'Start', ResultPath: null }] };
    const states = {
      Answer: call('sfn:sendTaskSuccess', { TaskToken: 'none', Output: '{}' }, again),
      Start: call('sfn:startExecution', { ...ARN, Input: { sku: 'lamp' } }),
    };
    const { Machine } = machineResource({ Done: { Type: 'Pass', ...END } });
    const Finisher = { ...Machine, Properties: { ...Machine.Properties, StateMachineName: 'finisher' } };
    const cloud = createMachine(states, { Finisher });
    const { outcome } = await execute(cloud);
    expect(outcome).toMatchObject({ output: { ExecutionArn: expect.stringContaining(':execution:finisher:') } });
    expect(cloud.machines.executions.map(({ input }) => input)).toContain('{"sku":"lamp"}');
  });
});

test('a task reads a secret and a parameter, and creates a schedule', async () => {
  const cloud = createMachine(
    {
      Secret: call('secretsmanager:getSecretValue', { SecretId: 'key' }, { Next: 'Size', ResultPath: '$.secret' }),
      Size: call('ssm:getParameter', { Name: '/size' }, { Next: 'Later', ResultPath: '$.size' }),
      Later: call(
        'scheduler:createSchedule',
        {
          Name: 'later',
          ScheduleExpression: 'at(2026-02-01T00:00:00)',
          FlexibleTimeWindow: { Mode: 'OFF' },
          Target: { 'Arn.$': '$.queue', 'RoleArn.$': '$.role' },
        },
        { ResultPath: '$.schedule' },
      ),
    },
    {
      Key: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'key', SecretString: 'one' } },
      Size: { Type: 'AWS::SSM::Parameter', Properties: { Name: '/size', Type: 'String', Value: '7' } },
      Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
      Sender: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: [
              { Effect: 'Allow', Principal: { Service: 'scheduler.amazonaws.com' }, Action: 'sts:AssumeRole' },
            ],
          },
          Policies: [{ PolicyName: 'Send', PolicyDocument: { Statement: [allowStatement(['sqs:SendMessage'], '*')] } }],
        },
      },
    },
  );
  const queue = cloud.queue('Shop/Queue').resource.arn;
  const { outcome } = await execute(cloud, { queue, role: 'arn:aws:iam::123456789012:role/Shop-Sender' });
  expect(outcome).toMatchObject({
    output: {
      secret: { SecretString: 'one' },
      size: { Parameter: { Value: '7' } },
      schedule: { ScheduleArn: expect.stringContaining('schedule/default/later') },
    },
  });
});
