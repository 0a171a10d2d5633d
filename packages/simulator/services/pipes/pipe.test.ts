import { expect, test } from 'vitest';
import { AssemblyNotModelled } from '../../assembly/obstacles.js';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { arnOf, createCloud, functionResource, TABLE } from '../../support/clouds.js';
import { machineResource } from '../../support/machines.js';
import { listMessages, PIPE, pipeResource, SOURCE } from '../../support/pipes.js';

const Target = arnOf('Out');
const Out = { Type: 'AWS::SQS::Queue' };
const bus = { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } } };
const one = { SqsQueueParameters: { BatchSize: 1 } };
const fault = (point: string, kind: FaultKind) => ({ faults: new FixedFaults([{ point, kind }]) });
/** A function that keeps what it gets in its log, and returns what an expression says of it. */
const keeps = (returned: string) =>
  `exports.handler = async (event) => { console.log(JSON.stringify(event)); return ${returned}; };`;

/** Sends texts to the source, and lets everything settle. */
async function play(cloud: ReturnType<typeof createCloud>, ...bodies: readonly object[]) {
  for (const body of bodies) cloud.queue('Shop/Source').send({ body: JSON.stringify(body) });
  await cloud.world.settle();
  return cloud;
}
const logOf = ({ log }: ReturnType<typeof createCloud>): readonly unknown[] =>
  log.map(({ text }) => JSON.parse(text) as unknown);

test('a pipe puts messages on a bus, with its name as their source', async () => {
  const cloud = await play(
    createCloud({
      ...SOURCE,
      ...bus,
      ...pipeResource({
        Target: arnOf('Bus'),
        TargetParameters: { InputTemplate: '{"item": <$.body.item>, "pipe": <aws.pipes.pipe-arn>}' },
      }),
    }),
    { item: 'lamp' },
  );
  expect(cloud.events.accepted.map(({ event }) => event)).toMatchObject([
    { source: 'Pipe mover', 'detail-type': 'Event from aws:sqs', detail: { item: 'lamp', pipe: PIPE } },
  ]);
  expect(cloud.queue('Shop/Source').save().messages).toEqual([]);
});

test('source and type of an event are texts or paths into the message', async () => {
  const parameters = { Source: 'orders', DetailType: '$.body.type', Resources: ['$.messageId'] };
  const cloud = await play(
    createCloud({
      ...SOURCE,
      ...bus,
      ...pipeResource({
        Target: arnOf('Bus'),
        TargetParameters: { InputTemplate: '{"all": <$.body>}', EventBridgeEventBusParameters: parameters },
      }),
    }),
    { type: 'OrderPlaced' },
  );
  const [{ event } = { event: undefined }] = cloud.events.accepted;
  expect(event).toMatchObject({
    source: 'orders',
    'detail-type': 'OrderPlaced',
    detail: { all: { type: 'OrderPlaced' } },
  });
  expect(event?.resources).toEqual([expect.stringMatching(/.+/)]);
});

test('a function enriches a batch, and each of its events reaches the target', async () => {
  const cloud = await play(
    createCloud(
      { ...SOURCE, Out, ...functionResource('Enrich'), ...pipeResource({ Target, Enrichment: arnOf('Enrich') }) },
      { Enrich: keeps('event.flatMap(({ body }) => JSON.parse(body).parts)') },
    ),
    { parts: [{ part: 1 }, { part: 2 }] },
  );
  expect(listMessages(cloud, 'Out')).toEqual([{ part: 1 }, { part: 2 }]);
  expect(logOf(cloud)).toMatchObject([[{ eventSource: 'aws:sqs', body: '{"parts":[{"part":1},{"part":2}]}' }]]);
});

test.each(['[]', '{}', '""', 'undefined'])('an enrichment that returns %s ends the batch', async (nothing) => {
  const cloud = await play(
    createCloud(
      { ...SOURCE, Out, ...functionResource('Enrich'), ...pipeResource({ Target, Enrichment: arnOf('Enrich') }) },
      { Enrich: keeps(nothing) },
    ),
    { item: 'lamp' },
  );
  expect([listMessages(cloud, 'Out'), listMessages(cloud, 'Source'), listMessages(cloud, 'Dead')]).toEqual([
    [],
    [],
    [],
  ]);
});

test('an Express state machine enriches, and its failure brings the batch back', async () => {
  const states = {
    Check: {
      Type: 'Choice',
      Choices: [{ Variable: '$[0].body', StringMatches: '*bad*', Next: 'Bad' }],
      Default: 'Done',
    },
    Bad: { Type: 'Fail', Error: 'Broken' },
    Done: { Type: 'Pass', Parameters: { ok: true }, End: true },
  };
  const cloud = await play(
    createCloud({
      ...SOURCE,
      Out,
      ...machineResource(states, [], { type: 'EXPRESS' }),
      ...pipeResource({ Target, Enrichment: { Ref: 'Machine' }, SourceParameters: one }),
    }),
    { item: 'lamp' },
    { item: 'bad' },
  );
  expect([listMessages(cloud, 'Out'), listMessages(cloud, 'Dead')]).toEqual([[{ ok: true }], [{ item: 'bad' }]]);
});

test('a Standard state machine is started, and nobody waits for it', async () => {
  const InvocationType = 'FIRE_AND_FORGET';
  const cloud = await play(
    createCloud({
      ...SOURCE,
      ...machineResource({ Done: { Type: 'Succeed' } }),
      ...pipeResource({
        Target: { Ref: 'Machine' },
        TargetParameters: { InputTemplate: '<$.body>', StepFunctionStateMachineParameters: { InvocationType } },
      }),
    }),
    { item: 'lamp' },
  );
  expect(cloud.machines.executions.map(({ input }) => input)).toEqual(['[{"item":"lamp"}]']);
});

test('a target function names the messages that failed; only those come again', async () => {
  const failures =
    "({ batchItemFailures: event.filter(({ body }) => body.includes('bad')).map(({ messageId }) => ({ itemIdentifier: messageId })) })";
  const cloud = await play(
    createCloud(
      { ...SOURCE, ...functionResource('Work'), ...pipeResource({ Target: arnOf('Work') }) },
      { Work: keeps(failures) },
    ),
    { item: 'lamp' },
    { item: 'bad' },
  );
  expect(listMessages(cloud, 'Dead')).toEqual([{ item: 'bad' }]);
  expect(
    logOf(cloud)
      .flat()
      .filter((record) => JSON.stringify(record).includes('lamp')),
  ).toHaveLength(1);
});

test('a function that is not waited for is invoked, and its failure is its own', async () => {
  const TargetParameters = { LambdaFunctionParameters: { InvocationType: 'FIRE_AND_FORGET' } };
  const cloud = await play(
    createCloud(
      { ...SOURCE, ...functionResource('Work'), ...pipeResource({ Target: arnOf('Work'), TargetParameters }) },
      { Work: 'exports.handler = async () => { throw new Error("no"); };' },
    ),
    { item: 'lamp' },
  );
  expect(cloud.fn('Shop/Work').invocations).toBe(3);
  expect(listMessages(cloud, 'Dead')).toEqual([]);
});

test('messages reach the subscribers of a topic; a log group is for people', async () => {
  const topic = { Topic: { Type: 'AWS::SNS::Topic' } };
  const subscription = {
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arnOf('Out'), RawMessageDelivery: true },
  };
  const allowed = {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Out' }],
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Resource: arnOf('Out'),
            Principal: { Service: 'sns.amazonaws.com' },
          },
        ],
      },
    },
  };
  const TargetParameters = { InputTemplate: '<$.body>' };
  const resources = { ...SOURCE, Out, ...topic, Subscription: subscription, Allowed: allowed };
  const cloud = await play(
    createCloud({ ...resources, ...pipeResource({ Target: { Ref: 'Topic' }, TargetParameters }) }),
    {
      item: 'lamp',
    },
  );
  expect(listMessages(cloud, 'Out')).toEqual([{ item: 'lamp' }]);
  const Logs = { Type: 'AWS::Logs::LogGroup' };
  const logged = await play(createCloud({ ...SOURCE, Logs, ...pipeResource({ Target: arnOf('Logs') }) }), {
    item: 'lamp',
  });
  expect(listMessages(logged, 'Source')).toEqual([]);
});

test('a filter removes what does not fit', async () => {
  const FilterCriteria = { Filters: [{ Pattern: '{"body":{"item":["lamp"]},"eventSource":["aws:sqs"]}' }] };
  const TargetParameters = { InputTemplate: '<$.body>' };
  const cloud = await play(
    createCloud({
      ...SOURCE,
      Out,
      ...pipeResource({ Target, TargetParameters, SourceParameters: { FilterCriteria } }),
    }),
    { item: 'lamp' },
    { item: 'desk' },
  );
  expect([listMessages(cloud, 'Out'), listMessages(cloud, 'Source')]).toEqual([[{ item: 'lamp' }], []]);
});

test('a pipe without the right to its target fails, and the queue gives the message up', async () => {
  const rights = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  const cloud = await play(createCloud({ ...SOURCE, Out, ...pipeResource({ Target }, rights) }), { item: 'lamp' });
  expect([listMessages(cloud, 'Out'), listMessages(cloud, 'Dead')]).toEqual([[], [{ item: 'lamp' }]]);
  const blind = await play(createCloud({ ...SOURCE, Out, ...pipeResource({ Target }, ['sqs:SendMessage']) }), {});
  expect(listMessages(blind, 'Source')).toHaveLength(1);
});

test('a pipe invokes a function only if its role may', async () => {
  const rights = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  const resources = { ...SOURCE, ...functionResource('Work'), ...pipeResource({ Target: arnOf('Work') }, rights) };
  const cloud = await play(createCloud(resources), { item: 'lamp' });
  expect(cloud.fn('Shop/Work').invocations).toBe(0);
  expect(listMessages(cloud, 'Dead')).toEqual([{ item: 'lamp' }]);
});

test('a pipe that is stopped reads nothing', async () => {
  const cloud = await play(createCloud({ ...SOURCE, Out, ...pipeResource({ Target, DesiredState: 'STOPPED' }) }), {
    item: 'lamp',
  });
  expect(listMessages(cloud, 'Source')).toHaveLength(1);
});

test('a batch comes again when its answer is lost, or its target refuses it or an entry', async () => {
  const resources = { ...SOURCE, Out, ...pipeResource({ Target, TargetParameters: { InputTemplate: '<$.body>' } }) };
  const after = async (kind: FaultKind) =>
    listMessages(await play(createCloud(resources, {}, fault('Shop/Pipe call 1', kind)), { item: 'lamp' }), 'Out');
  expect(await after('answer-lost')).toEqual([{ item: 'lamp' }, { item: 'lamp' }]);
  expect(await after('refused')).toEqual([{ item: 'lamp' }]);
  expect(await after('entry-refused')).toEqual([{ item: 'lamp' }]);
});

/** A pipe from the stream of a table. */
const streamed = (parameters: object, more: object) => ({
  Table: { ...TABLE, Properties: { ...TABLE.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } } },
  Dead: SOURCE.Dead,
  ...pipeResource({
    Source: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
    SourceParameters: { DynamoDBStreamParameters: { StartingPosition: 'LATEST', ...parameters } },
    ...more,
  }),
});
function write(cloud: ReturnType<typeof createCloud>, ...keys: readonly string[]) {
  for (const pk of keys) cloud.dynamodb.call('PutItem', { TableName: 'Shop-Table', Item: { pk: { S: pk } } });
  cloud.onTableWritten('Shop-Table');
  return cloud.world.settle();
}

test('records of a stream pass through, in events that name their source', async () => {
  const TargetParameters = { InputTemplate: '{"key": <$.dynamodb.Keys.pk.S>}' };
  const cloud = createCloud({ ...bus, ...streamed({ BatchSize: 5 }, { Target: arnOf('Bus'), TargetParameters }) });
  await write(cloud, 'a', 'b');
  expect(cloud.events.accepted.map(({ event }) => event['detail-type'])).toEqual(
    Array(2).fill('Event from aws:dynamodb'),
  );
  expect(cloud.events.accepted.map(({ event }) => event.detail)).toEqual(
    expect.arrayContaining([{ key: 'a' }, { key: 'b' }]),
  );
});

test('a batch that is given up is described in the dead-letter queue of the pipe', async () => {
  const parameters = { MaximumRetryAttempts: 1, DeadLetterConfig: { Arn: arnOf('Dead') } };
  const cloud = createCloud(
    { ...functionResource('Work'), ...streamed(parameters, { Target: arnOf('Work') }) },
    { Work: 'exports.handler = async () => { throw new Error("no"); };' },
  );
  await write(cloud, 'a');
  expect(cloud.fn('Shop/Work').invocations).toBe(2);
  expect(listMessages(cloud, 'Dead')).toMatchObject([
    {
      context: { partnerResourceArn: PIPE, condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 1 },
    },
  ]);
  expect(cloud.streams[0]?.lost).toEqual([]);
});

test('a target names failed records of a stream by their event ids', async () => {
  const code = keeps(
    "({ batchItemFailures: event.filter(({ dynamodb }) => dynamodb.Keys.pk.S === 'bad').map(({ eventID }) => ({ itemIdentifier: eventID })) })",
  );
  const parameters = { MaximumRetryAttempts: 2, DeadLetterConfig: { Arn: arnOf('Dead') } };
  const cloud = createCloud(
    { ...functionResource('Work'), ...streamed(parameters, { Target: arnOf('Work') }) },
    { Work: code },
  );
  await write(cloud, 'good');
  await write(cloud, 'bad');
  expect(listMessages(cloud, 'Dead')).toHaveLength(1);
  expect(
    logOf(cloud)
      .flat()
      .filter((record) => JSON.stringify(record).includes('good')),
  ).toHaveLength(1);
});

test.each([
  [
    { Target: 'arn:aws:events:eu-west-1:123456789012:api-destination/pay' },
    'the target arn:aws:events:eu-west-1:123456789012:api-destination/pay; functions',
  ],
  [{ Target: { Ref: 'Machine' } }, 'is a Standard state machine, for whose end no pipe can wait'],
  [{ Target, SourceParameters: { KafkaParameters: {} } }, 'the source with KafkaParameters'],
  [{ Target, TargetParameters: { HttpParameters: {} } }, 'HttpParameters of the target'],
  [{ Target, SourceParameters: { SqsQueueParameters: { BatchSize: 11 } } }, 'a batch of 11 for a target that takes 10'],
])('what has no model is named: %#', (properties, message) => {
  const resources = { ...SOURCE, Out, ...machineResource({ Done: { Type: 'Succeed' } }), ...pipeResource(properties) };
  expect(() => createCloud(resources)).toThrow(AssemblyNotModelled);
  expect(() => createCloud(resources)).toThrow(message);
});
