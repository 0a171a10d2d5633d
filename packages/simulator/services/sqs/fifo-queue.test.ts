import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import type { Cloud } from '../../cloud/cloud.js';
import { type FaultKind, FixedFaults, FOLLOWING_FAULTS } from '../../engine/faults.js';
import { awsApiOf } from '../../support/clients.js';
import {
  allowStatement,
  arnOf,
  createCloud,
  functionResource,
  QUEUE_RIGHTS,
  queuePolicy,
} from '../../support/clouds.js';
import { eventsApi } from '../events/api.js';
import type { FifoQueue } from './fifo-queue.js';

const MINUTE = 60_000;
const QueueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/Shop-Queue.fifo';
const FIFO = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true, ContentBasedDeduplication: true } };
const LOG = `exports.handler = async ({ Records }) => {
  for (const { body, attributes } of Records) console.log([attributes.MessageGroupId, body, attributes.ApproximateReceiveCount].join(' '));
`;

/** A FIFO queue with its dead-letter queue, and a function that handles its messages. */
function shop({ code = `${LOG}};`, queue = {}, mapping = {}, fault = '' } = {}) {
  const [point = '', kind = ''] = fault.split(': ');
  const cloud = createCloud(
    {
      Dead: FIFO,
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          ...FIFO.Properties,
          VisibilityTimeout: 60,
          RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
          ...queue,
        },
      },
      ...functionResource('Work', [allowStatement(QUEUE_RIGHTS, arnOf('Queue'))]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' }, BatchSize: 1, ...mapping },
      },
    },
    { Work: code },
    { faults: new FixedFaults(fault === '' ? [] : [{ point, kind: kind as FaultKind }]) },
  );
  const send = (group: string, body: string) => cloud.queue('Shop/Queue').send({ group, body });
  const said = () => cloud.log.flatMap(({ level, text }) => (/^(error|warn)$/.test(level) ? [] : text));
  return { cloud, send, said, dead: cloud.queue('Shop/Dead') };
}

/** The same queue without a function, and a client. */
function client(queue = {}) {
  const cloud = createCloud({ Queue: { ...FIFO, Properties: { ...FIFO.Properties, ...queue } } });
  const sqs = new SQSClient(awsApiOf(cloud, async () => undefined).config);
  const send = (MessageBody: string, more = {}) =>
    sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'a', ...more }));
  const receive = async (more = {}) => {
    const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const], ...more };
    return (await sqs.send(new ReceiveMessageCommand(asked))).Messages ?? [];
  };
  const bodies = async (more = {}) => (await receive(more)).map(({ Body }) => Body);
  return { cloud, sqs, send, receive, bodies };
}

describe('messages of a group', () => {
  test.each([1, 10])('are handled in their order, one after the other, in batches of %s', async (BatchSize) => {
    const { cloud, send, said } = shop({ mapping: { BatchSize, ScalingConfig: { MaximumConcurrency: 5 } } });
    for (let number = 0; number < 12; number++) for (const group of ['a', 'b', 'c']) send(group, `${group}${number}`);
    await cloud.world.settle();
    for (const group of ['a', 'b', 'c']) {
      const own = said().filter((line) => line.startsWith(group));
      expect(own).toEqual(Array.from({ length: 12 }, (_, number) => `${group} ${group}${number} 1`));
    }
  });

  test('wait for one that fails, while other groups go on, until it is in the dead-letter queue', async () => {
    const failing = `${LOG} if (Records.some(({ body }) => body === 'a1')) throw new Error('no'); };`;
    const { cloud, send, said, dead } = shop({ code: failing });
    for (const body of ['a1', 'a2', 'b1', 'b2']) send(body.slice(0, 1), body);
    await cloud.world.settle();
    expect(said().filter((line) => line.startsWith('a'))).toEqual(['a a1 1', 'a a1 2', 'a a1 3', 'a a2 1']);
    expect(said().indexOf('b b2 1')).toBeLessThan(said().indexOf('a a1 2'));
    expect(dead.listMessages().map(({ body, group }) => [body, group])).toEqual([['a1', 'a']]);
  });

  test('come in one batch, and those behind a failed one come again with it if the function says so', async () => {
    const partial = `let tries = 0; ${LOG}
      if (Records.length > 1 && tries++ === 0) return { batchItemFailures: Records.slice(1).map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };`;
    const mapping = { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] };
    const { cloud, send, said } = shop({ code: partial, mapping });
    for (const body of ['a1', 'a2', 'a3']) send('a', body);
    await cloud.world.settle();
    expect(said()).toEqual(['a a1 1', 'a a2 1', 'a a3 1', 'a a2 2', 'a a3 2']);
  });

  test('are not received while one of them is in flight, whoever asks', async () => {
    const { send, bodies, receive, sqs } = client();
    for (const body of ['1', '2']) await send(body);
    await send('other', { MessageGroupId: 'b' });
    const [first] = await receive({ MaxNumberOfMessages: 1 });
    expect(first).toMatchObject({ Body: '1', Attributes: { MessageGroupId: 'a' } });
    expect(await bodies()).toEqual(['other']);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    expect(await bodies()).toEqual(['2']);
  });

  test('wake a receive that waits, when the one before them is deleted', async () => {
    const { cloud, send, bodies, receive, sqs } = client();
    for (const body of ['1', '2']) await send(body);
    await cloud.world.pass(1);
    const [first] = await receive({ MaxNumberOfMessages: 1 });
    const waiting = bodies({ WaitTimeSeconds: 20 });
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    const { now } = cloud.world;
    await cloud.world.pass(1_000);
    expect(await waiting).toEqual(['2']);
    expect(cloud.world.now - now).toBe(1_000);
  });
});

describe('a message that is sent again', () => {
  test('is accepted within five minutes with the same id, and delivered once', async () => {
    const { cloud, send, bodies } = client();
    const first = await send('same');
    const again = await send('same');
    expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber]);
    expect(first.SequenceNumber).toMatch(/^\d{20}$/);
    expect(await bodies()).toEqual(['same']);
    await cloud.world.pass(5 * MINUTE);
    expect((await send('same')).MessageId).not.toBe(first.MessageId);
  });

  test('is recognised by its own id before its body, and shows it', async () => {
    const { send, receive } = client();
    await send('one', { MessageDeduplicationId: 'x' });
    await send('another', { MessageDeduplicationId: 'x' });
    await send('one', { MessageDeduplicationId: 'y' });
    expect((await receive()).map(({ Body, Attributes }) => [Body, Attributes?.MessageDeduplicationId])).toEqual([
      ['one', 'x'],
      ['one', 'y'],
    ]);
  });

  test('counts in its group alone, where the queue says so', async () => {
    const ofQueue = client();
    const ofGroup = client({ DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' });
    for (const { send } of [ofQueue, ofGroup]) {
      await send('same');
      await send('same', { MessageGroupId: 'b' });
    }
    expect(await ofQueue.bodies()).toEqual(['same']);
    expect(await ofGroup.bodies()).toEqual(['same', 'same']);
  });
});

test('a receipt deletes nothing after the visibility timeout: the message comes again', async () => {
  const { cloud, sqs, send, receive } = client({ VisibilityTimeout: 10 });
  await send('late');
  const [late] = await receive();
  await cloud.world.pass(11_000);
  const deleting = sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: late?.ReceiptHandle }));
  await expect(deleting).rejects.toThrow('The receipt handle has expired');
  expect(await receive()).toMatchObject([{ Body: 'late', Attributes: { ApproximateReceiveCount: '2' } }]);
});

test('what a queue recognises is kept with it, as JSON, and so is the order', async () => {
  const before = client();
  const first = await before.send('same');
  const after = client();
  const queue = after.cloud.queue('Shop/Queue');
  queue.resume(JSON.parse(JSON.stringify(before.cloud.queue('Shop/Queue').save())));
  expect((await after.send('same')).MessageId).toBe(first.MessageId);
  await after.send('next');
  expect(await after.bodies()).toEqual(['same', 'next']);
});

test('a message that is moved back from the dead-letter queue is taken, although it was sent a moment ago', async () => {
  const failing = `${LOG} if (!globalThis.works && Records.some(({ body }) => body === 'a1')) throw new Error('no'); };`;
  const { cloud, send, dead } = shop({ code: failing, queue: { VisibilityTimeout: 1 } });
  send('a', 'a1');
  await cloud.world.settle();
  expect(dead.listMessages()).toHaveLength(1);
  const sqs = new SQSClient(awsApiOf(cloud, async () => undefined).config);
  const SourceArn = 'arn:aws:sqs:eu-west-1:123456789012:Shop-Dead.fifo';
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
  expect(dead.listMessages()).toEqual([]);
  expect(cloud.queue('Shop/Queue').listMessages()).toMatchObject([{ body: 'a1', group: 'a', receiveCount: 0 }]);
});

test('no server delivers a message twice or late, but a function may crash with it', async () => {
  const point = 'Shop/Queue message 1';
  const { cloud, send, said } = shop({ fault: `${point}: crashes-its-function` });
  for (const body of ['first', 'second']) send('a', body);
  await cloud.world.settle();
  expect(cloud.faults.points.find(({ id }) => id === point)?.kinds).toEqual(FOLLOWING_FAULTS);
  expect(cloud.faults.injected).toHaveLength(1);
  expect(said().at(-1)).toBe('a second 1');
});

describe('a client gets AWS’s refusal', () => {
  test.each([
    ['a message without a group', { MessageGroupId: undefined }, 'must contain the parameter MessageGroupId'],
    ['a delay of one message', { DelaySeconds: 5 }, 'not valid for this queue type'],
    ['an id with a space', { MessageDeduplicationId: 'a b' }, 'can only include alphanumeric and punctuation'],
  ])('for %s', async (_, more, refusal) => {
    await expect(client().send('x', more)).rejects.toThrow(refusal);
  });

  test('for a message by which nothing is recognised', async () => {
    const { send, sqs } = client({ ContentBasedDeduplication: false });
    await expect(send('x')).rejects.toThrow('either have ContentBasedDeduplication enabled');
    await send('x', { MessageDeduplicationId: '1' });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { ContentBasedDeduplication: 'true' } }));
    await send('y');
  });

  test('for names and types that do not fit', async () => {
    const { sqs } = client();
    const create = (QueueName: string, more = {}) =>
      sqs.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true', ...more } }));
    await expect(create('mine')).rejects.toThrow('must end with .fifo suffix');
    const { QueueUrl: mine } = await create('mine.fifo', { ContentBasedDeduplication: 'true' });
    const read = new GetQueueAttributesCommand({ QueueUrl: mine, AttributeNames: ['All'] });
    expect((await sqs.send(read)).Attributes).toMatchObject({
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
      DeduplicationScope: 'queue',
    });
    const { QueueUrl: standard } = await sqs.send(new CreateQueueCommand({ QueueName: 'standard' }));
    const deadLetterTargetArn = 'arn:aws:sqs:eu-west-1:123456789012:standard';
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    const redrive = new SetQueueAttributesCommand({ QueueUrl: mine, Attributes: { RedrivePolicy } });
    await expect(sqs.send(redrive)).rejects.toThrow('same type of queue');
    expect(standard).toMatch(/standard$/);
  });
});

describe('an assembly is refused, with the reason,', () => {
  const standard = { Type: 'AWS::SQS::Queue' };
  const rule = (target: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: { EventPattern: { source: ['a'] }, Targets: [{ Id: 'Target0', Arn: arnOf('Queue'), ...target }] },
  });

  test.each([
    ['a rule without a group', { Queue: FIFO, Rule: rule({}) }, 'SqsParameters.MessageGroupId'],
    [
      'a rule to a queue that recognises no content',
      {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Rule: rule({ SqsParameters: { MessageGroupId: 'a' } }),
      },
      'ContentBasedDeduplication',
    ],
    [
      'dead letters of a rule',
      { Queue: standard, Dead: FIFO, Rule: rule({ DeadLetterConfig: { Arn: arnOf('Dead') } }) },
      'AWS takes a standard one',
    ],
    [
      'dead letters of another type',
      {
        Dead: standard,
        Queue: {
          ...FIFO,
          Properties: {
            ...FIFO.Properties,
            RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
          },
        },
      },
      'is of another type',
    ],
    [
      'a topic that sends to it',
      {
        Queue: FIFO,
        Topic: { Type: 'AWS::SNS::Topic' },
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arnOf('Queue') },
        },
      },
      'a standard topic does not deliver there',
    ],
  ])('for %s', (_, resources, reason) => {
    expect(() => createCloud(resources)).toThrow(reason);
  });

  test('but not for a FIFO topic of another app', () => {
    const TopicArn = 'arn:aws:sns:eu-west-1:999999999999:orders.fifo';
    const Properties = { TopicArn, Protocol: 'sqs', Endpoint: arnOf('Queue') };
    expect(() =>
      createCloud({ Queue: FIFO, Subscription: { Type: 'AWS::SNS::Subscription', Properties } }),
    ).not.toThrow();
  });

  test('for a batching window', () => {
    expect(() => shop({ mapping: { MaximumBatchingWindowInSeconds: 5 } })).toThrow('no batching window');
  });
});

test('a rule gives its messages a group, by which they keep their order', async () => {
  const cloud = createCloud({
    Queue: FIFO,
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['a'] },
        Targets: [{ Id: 'Target0', Arn: arnOf('Queue'), SqsParameters: { MessageGroupId: 'all' } }],
      },
    },
    Policy: queuePolicy('events'),
  });
  for (const number of [1, 2]) cloud.events.put('default', { source: 'a', detailType: 'Told', detail: { number } });
  await cloud.world.settle();
  expect(
    cloud
      .queue('Shop/Queue')
      .listMessages()
      .map(({ group }) => group),
  ).toEqual(['all', 'all']);
});

describe('what a queue refuses', () => {
  const bodies = (cloud: Cloud, label: string) => cloud.queue(label).listMessages();
  const ruleOf = (more: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['a'] },
      Targets: [{ Id: 'Target0', Arn: arnOf('Queue'), SqsParameters: { MessageGroupId: 'all' }, ...more }],
    },
  });

  test('a rule gives up at once, to its dead-letter queue', async () => {
    const DeadLetterConfig = { Arn: arnOf('Letters') };
    const cloud = createCloud({
      Queue: FIFO,
      Letters: { Type: 'AWS::SQS::Queue' },
      Rule: ruleOf({ DeadLetterConfig }),
      Policy: queuePolicy('events', 'Queue', 'Letters'),
    });
    (cloud.queue('Shop/Queue') as FifoQueue).contentBased = false;
    cloud.events.put('default', { source: 'a', detailType: 'Told', detail: {} });
    await cloud.world.settle();
    expect(bodies(cloud, 'Shop/Queue')).toEqual([]);
    const [letter] = bodies(cloud, 'Shop/Letters');
    expect(letter?.attributes).toMatchObject({ ERROR_CODE: { StringValue: 'INVALID_PARAMETER' } });
    expect(cloud.world.now - cloud.world.begins).toBeLessThan(MINUTE);
  });

  test('a topic gives up at once, and loses what its dead-letter queue refuses too', async () => {
    const small = (size: number) => ({ Type: 'AWS::SQS::Queue', Properties: { MaximumMessageSize: size } });
    const cloud = createCloud({
      Queue: small(1_024),
      Letters: small(3_000),
      Topic: { Type: 'AWS::SNS::Topic' },
      Subscription: {
        Type: 'AWS::SNS::Subscription',
        Properties: {
          TopicArn: { Ref: 'Topic' },
          Protocol: 'sqs',
          Endpoint: arnOf('Queue'),
          RawMessageDelivery: true,
          RedrivePolicy: { deadLetterTargetArn: arnOf('Letters') },
        },
      },
      Policy: queuePolicy('sns', 'Queue', 'Letters'),
    });
    const [topic = ''] = cloud.topics.list();
    for (const size of [10, 2_000, 4_000]) cloud.topics.publish(topic, { text: 'a'.repeat(size) });
    await cloud.world.settle();
    expect(bodies(cloud, 'Shop/Queue').map(({ body }) => body.length)).toEqual([10]);
    expect(bodies(cloud, 'Shop/Letters').map(({ body }) => body.length)).toEqual([2_000]);
    expect(cloud.world.trace.lines.filter((line) => line.includes('given up and LOST'))).toHaveLength(1);
  });

  test('a function loses a record of its invocation', async () => {
    const cloud = createCloud(
      {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { MaximumMessageSize: 1_024 } },
        ...functionResource('Work', [allowStatement(['sqs:SendMessage'], arnOf('Queue'))]),
        Config: {
          Type: 'AWS::Lambda::EventInvokeConfig',
          Properties: {
            FunctionName: { Ref: 'Work' },
            Qualifier: '$LATEST',
            DestinationConfig: { OnSuccess: { Destination: arnOf('Queue') } },
          },
        },
      },
      { Work: 'exports.handler = async () => undefined;' },
    );
    cloud.asynchronous.invokeAsync(cloud.fn('Shop/Work').resource.arn, { text: 'a'.repeat(2_000) });
    await cloud.world.settle();
    expect(bodies(cloud, 'Shop/Queue')).toEqual([]);
  });

  test('a rule gets no target that its queue would always refuse', async () => {
    const cloud = createCloud({ Queue: FIFO, Standard: { Type: 'AWS::SQS::Queue' }, Rule: ruleOf({}) });
    const { PutTargets } = eventsApi(cloud);
    const [rule] = cloud.events.rules.list();
    const put = (target: object) => () =>
      PutTargets?.({ Rule: rule?.resource.ref, Targets: [{ Id: 'one', ...target }] });
    const fifo = cloud.queue('Shop/Queue').resource.arn;
    const { arn: Arn } = cloud.queue('Shop/Standard').resource;
    expect(put({ Arn: fifo })).toThrow('Parameter(s) SqsParameters must be specified for target: one.');
    expect(put({ Arn, DeadLetterConfig: { Arn: fifo } })).toThrow('SQS FIFO is not supported by Dead Letter Queues.');
    expect(put({ Arn })).not.toThrow();
  });
});
