import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import type { Cloud } from '../../cloud/cloud.js';
import { FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../../support/clouds.js';
import { createMachine, execute, MACHINE, machineResource } from '../../support/machines.js';

const END = { End: true };
const integrate = (Resource: string, Parameters: Json, more: { readonly [field: string]: Json } = {}): Json => ({
  Type: 'Task',
  Resource: `arn:aws:states:::${Resource}`,
  Parameters,
  ...('Next' in more ? {} : END),
  ...more,
});
const SHELF = { Shelf: TABLE };
const QUEUE = { Sales: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'sales' } } };
const QueueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/sales';
const bodies = ({ queues }: Cloud): readonly string[] =>
  [...queues.values()].flatMap((queue) => queue.save().messages.map(({ body }) => body));

test('a task writes and reads an item, with the rights of the role', async () => {
  const put = integrate(
    'dynamodb:putItem',
    { TableName: 'Shop-Shelf', Item: { pk: { 'S.$': '$.sku' } }, ConditionExpression: 'attribute_not_exists(pk)' },
    {
      ResultPath: null,
      Next: 'Get',
      Catch: [{ ErrorEquals: ['DynamoDB.ConditionalCheckFailedException'], Next: 'Known' }],
    },
  );
  const get = integrate('dynamodb:getItem', { TableName: 'Shop-Shelf', Key: { pk: { 'S.$': '$.sku' } } });
  const states = { Put: put, Get: get, Known: { Type: 'Pass', Result: 'known', ...END } };
  const cloud = createMachine(states, SHELF);
  expect((await execute(cloud, { sku: 'lamp' })).outcome).toMatchObject({ output: { Item: { pk: { S: 'lamp' } } } });
  expect((await execute(cloud, { sku: 'lamp' })).outcome).toEqual({ output: 'known' });
  const other = createCloud({ ...machineResource(states, ['dynamodb:GetItem']), ...SHELF });
  expect((await execute(other, { sku: 'lamp' })).outcome).toMatchObject({ error: 'States.Permissions' });
});

test('a task sends a message, whose body may be JSON', async () => {
  const cloud = createMachine(
    { Send: integrate('sqs:sendMessage', { QueueUrl, MessageBody: { 'sku.$': '$.sku' } }) },
    QUEUE,
  );
  expect((await execute(cloud, { sku: 'lamp' })).outcome).toMatchObject({ output: { MessageId: expect.any(String) } });
  expect(bodies(cloud)).toEqual(['{"sku":"lamp"}']);
});

test('a task that its service throttles fails by the name that the service gives it', async () => {
  const faults = new FixedFaults([{ point: 'Shop/Machine call 1', kind: 'refused' }]);
  const states = { Send: integrate('sqs:sendMessage', { QueueUrl, MessageBody: 'lamp' }) };
  const cloud = createCloud({ ...machineResource(states, ['sqs:SendMessage']), ...QUEUE }, {}, { faults });
  expect((await execute(cloud, {})).outcome).toMatchObject({ error: 'SQS.RequestThrottledException' });
});

test('a task publishes to a topic', async () => {
  const parameters = {
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:sold',
    'Message.$': '$.sku',
    MessageAttributes: { kind: { DataType: 'String', StringValue: 'lamp' } },
  };
  const cloud = createMachine(
    { Publish: integrate('sns:publish', parameters) },
    {
      ...QUEUE,
      Topic: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'sold' } },
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: {
          Queues: [{ Ref: 'Sales' }],
          PolicyDocument: {
            Statement: [
              {
                ...(allowStatement(['sqs:SendMessage'], arnOf('Sales')) as object),
                Principal: { Service: 'sns.amazonaws.com' },
              },
            ],
          },
        },
      },
      Heard: {
        Type: 'AWS::SNS::Subscription',
        Properties: {
          TopicArn: { Ref: 'Topic' },
          Protocol: 'sqs',
          Endpoint: arnOf('Sales'),
          RawMessageDelivery: true,
          FilterPolicy: { kind: ['lamp'] },
        },
      },
    },
  );
  await execute(cloud, { sku: 'L1' });
  expect(bodies(cloud)).toEqual(['L1']);
});

test('"Optimized EventBridge integration": an event names its execution, and a refused entry fails the task', async () => {
  const put = (DetailType: string) =>
    integrate('events:putEvents', { Entries: [{ Source: 'shop', DetailType, Detail: { 'sku.$': '$.sku' } }] });
  const cloud = createMachine({ Put: put('Sold') });
  const execution = await execute(cloud, { sku: 'lamp' });
  expect(cloud.events.accepted.map(({ event }) => event)).toMatchObject([
    { 'detail-type': 'Sold', detail: { sku: 'lamp' }, resources: [execution.arn, MACHINE] },
  ]);
  expect((await execute(createMachine({ Put: put('') }), { sku: 'lamp' })).outcome).toMatchObject({
    error: 'EventBridge.FailedEntry',
  });
});

test('"Wait for a Callback with Task Token": the task ends when a function sends its token back', async () => {
  const payload = { FunctionName: 'Shop-Work', Payload: { 'token.$': '$$.Task.Token', 'says.$': '$.says' } };
  const states = { Ask: integrate('lambda:invoke.waitForTaskToken', payload, { HeartbeatSeconds: 60 }) };
  const rights = ['states:SendTaskSuccess', 'states:SendTaskFailure'];
  const code = `${CLIENT}
exports.handler = async ({ token: taskToken, says }) => {
  if (says === 'nothing') return;
  const answer = says === 'yes' ? { taskToken, output: '"paid"' } : { taskToken, error: 'Declined', cause: 'no money' };
  const { status, body } = await call(says === 'yes' ? 'AWSStepFunctions.SendTaskSuccess' : 'AWSStepFunctions.SendTaskFailure', answer);
  if (status !== 200) console.log(body.message);
};`;
  const resources = functionResource('Work', [allowStatement(rights, { Ref: 'Machine' })]);
  const cloud = createMachine(states, resources, { Work: code });
  expect((await execute(cloud, { says: 'yes' })).outcome).toEqual({ output: 'paid' });
  expect((await execute(cloud, { says: 'no' })).outcome).toEqual({ error: 'Declined', cause: 'no money' });
  expect((await execute(cloud, { says: 'nothing' })).outcome).toMatchObject({ error: 'States.HeartbeatTimeout' });
  const without = createMachine(states, functionResource('Work'), { Work: code });
  await execute(without, { says: 'yes' });
  expect(without.log.map(({ text }) => text).join()).toContain('not authorized to perform: states:SendTaskSuccess');
});

const child = (state: Json) => ({
  Child: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      RoleArn: arnOf('MachineRole'),
      StateMachineName: 'child',
      DefinitionString: JSON.stringify({ StartAt: 'Only', States: { Only: state } }),
    },
  },
});
const CHILD = MACHINE.replace('order', 'child');

test('a task starts another execution, and may wait for its end', async () => {
  const start = (suffix: string) =>
    createMachine(
      { Start: integrate(`states:startExecution${suffix}`, { StateMachineArn: CHILD, Input: { 'a.$': '$.a' } }) },
      child({ Type: 'Wait', Seconds: 100, ...END }),
    );
  const waited = await execute(start('.sync:2'), { a: 1 });
  expect(waited.outcome).toMatchObject({ output: { Status: 'SUCCEEDED', Output: { a: 1 } } });
  const begun = await execute(start(''), { a: 1 });
  expect(begun.outcome).toMatchObject({ output: { ExecutionArn: expect.stringContaining(':execution:child:') } });
  expect((begun.ended ?? 0) - begun.began).toBeLessThan(1_000);
});

test('an execution that a task waits for fails the task, and ends with it', async () => {
  const start = integrate('states:startExecution.sync:2', { StateMachineArn: CHILD }, { TimeoutSeconds: 5 });
  const failing = await execute(createMachine({ Start: start }, child({ Type: 'Fail', Error: 'Broken' })));
  expect(failing.outcome).toMatchObject({ error: 'States.TaskFailed', cause: expect.stringContaining('Broken') });
  const cloud = createMachine({ Start: start }, child({ Type: 'Wait', Seconds: 100, ...END }));
  await execute(cloud);
  expect(cloud.machines.executions.map(({ status }) => status)).toEqual(['FAILED', 'ABORTED']);
});

test('.waitForTaskToken and .sync are refused in an Express workflow', () => {
  const states = {
    Send: integrate('sqs:sendMessage.waitForTaskToken', { QueueUrl, 'MessageBody.$': '$$.Task.Token' }),
  };
  expect(() => createCloud({ ...machineResource(states, [], { type: 'EXPRESS' }), ...QUEUE })).toThrow(
    '.waitForTaskToken in an Express workflow',
  );
});
