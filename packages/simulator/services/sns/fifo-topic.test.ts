import { PublishBatchCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import type { Cloud } from '../../cloud/cloud.js';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { awsApiOf } from '../../support/clients.js';
import { arnOf, createCloud, functionResource, queuePolicy } from '../../support/clouds.js';

const MINUTE = 60_000;
const TopicArn = 'arn:aws:sns:eu-west-1:123456789012:sold.fifo';
const FIFO = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } };
const STANDARD = { Type: 'AWS::SQS::Queue' };

const topic = (more: { [name: string]: Json } = {}) => ({
  Type: 'AWS::SNS::Topic',
  Properties: { TopicName: 'sold.fifo', FifoTopic: true, ...more },
});
const subscribe = (Endpoint: Json, more: { [name: string]: Json } = {}) => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint, RawMessageDelivery: true, ...more },
});

/** A FIFO topic with a FIFO queue. */
function shop({ properties = {}, subscription = {}, queue = {}, fault = '' } = {}) {
  const [point = '', kind = ''] = fault.split(': ');
  const cloud = createCloud(
    {
      Topic: topic(properties),
      Queue: { ...FIFO, Properties: { ...FIFO.Properties, ...queue } },
      Standard: STANDARD,
      Dead: FIFO,
      Subscription: subscribe(arnOf('Queue'), subscription),
      Policy: queuePolicy('sns', 'Queue', 'Dead'),
    },
    {},
    { faults: new FixedFaults(fault === '' ? [] : [{ point, kind: kind as FaultKind }]) },
  );
  // Time doesn't pass between two requests.
  const { config } = awsApiOf(cloud, async (answered) => void (await answered));
  const sns = new SNSClient(config);
  const publish = (MessageGroupId: string, Message: string, more: object = {}) =>
    sns.send(new PublishCommand({ TopicArn, MessageGroupId, Message, MessageDeduplicationId: Message, ...more }));
  return { cloud, sns, publish };
}

const bodies = (cloud: Cloud, queue = 'Queue') =>
  cloud
    .queue(`Shop/${queue}`)
    .listMessages()
    .map(({ group, body }) => `${group} ${body}`);

test('a FIFO queue gets the messages of a group in their order, while the first one can not be delivered too', async () => {
  const { cloud, publish } = shop({ fault: 'Shop/Subscription delivery 1: undeliverable-at-first' });
  for (const number of [1, 2, 3]) {
    await publish('one', `one-${number}`);
    await publish('two', `two-${number}`);
  }
  await cloud.world.pass(MINUTE);
  expect(bodies(cloud).filter((body) => body.startsWith('one'))).toEqual([]);
  expect(bodies(cloud).filter((body) => body.startsWith('two'))).toEqual(['two two-1', 'two two-2', 'two two-3']);
  await cloud.world.settle();
  expect(bodies(cloud).filter((body) => body.startsWith('one'))).toEqual(['one one-1', 'one one-2', 'one one-3']);
});

test('what can not be delivered goes to the dead-letter queue, and the next message of its group follows', async () => {
  const { cloud, publish } = shop({
    fault: 'Shop/Subscription delivery 1: undeliverable',
    subscription: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead') } },
  });
  for (const number of [1, 2]) await publish('one', String(number));
  await cloud.world.settle();
  expect([bodies(cloud, 'Dead'), bodies(cloud)]).toEqual([['one 1'], ['one 2']]);
});

test('a message that is published again within five minutes is delivered once', async () => {
  const { cloud, publish } = shop();
  const first = await publish('one', 'lamp', { MessageDeduplicationId: 'a' });
  const again = await publish('one', 'other', { MessageDeduplicationId: 'a' });
  expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber]);
  await cloud.world.pass(5 * MINUTE + 1_000);
  const later = await publish('one', 'later', { MessageDeduplicationId: 'a' });
  expect(Number(later.SequenceNumber)).toBe(Number(first.SequenceNumber) + 1);
  await cloud.world.settle();
  expect(bodies(cloud)).toEqual(['one lamp', 'one later']);
});

test.each([
  ['the topic', {}, ['one lamp']],
  ['a message group', { FifoThroughputScope: 'MessageGroup' }, ['one lamp', 'two lamp']],
])('a message is recognised by its content, within %s', async (_, scope, expected) => {
  const { cloud, publish } = shop({
    properties: { ContentBasedDeduplication: true, ...scope },
    // As the topic recognises it, since the queue does so too.
    queue: 'FifoThroughputScope' in scope ? { DeduplicationScope: 'messageGroup' } : {},
  });
  for (const group of ['one', 'two', 'one']) await publish(group, 'lamp', { MessageDeduplicationId: undefined });
  await cloud.world.settle();
  expect(bodies(cloud).toSorted()).toEqual(expected);
});

test('a notification has its place in the order, and a standard queue gets it too', async () => {
  const cloud = createCloud({
    Topic: topic({ ContentBasedDeduplication: true }),
    Queue: STANDARD,
    Subscription: subscribe(arnOf('Queue'), { RawMessageDelivery: false }),
    Policy: queuePolicy('sns'),
  });
  cloud.topics.publish(TopicArn, { text: 'lamp', group: 'one' });
  await cloud.world.settle();
  const [message] = cloud.queue('Shop/Queue').listMessages();
  expect(message?.group).toBe('one');
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ Message: 'lamp', SequenceNumber: `${'0'.repeat(19)}1` });
});

describe('a message is refused', () => {
  test('without a group, or without anything by which it is recognised', async () => {
    const { sns, publish } = shop();
    const Message = 'lamp';
    await expect(sns.send(new PublishCommand({ TopicArn, Message }))).rejects.toThrow(
      'Invalid parameter: The MessageGroupId parameter is required for FIFO topics',
    );
    await expect(publish('one', Message, { MessageDeduplicationId: undefined })).rejects.toThrow(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
    const PublishBatchRequestEntries = [
      { Id: 'a', Message },
      { Id: 'b', Message, MessageGroupId: 'one', MessageDeduplicationId: 'b' },
    ];
    const { Successful, Failed } = await sns.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
    expect(Failed).toMatchObject([{ Id: 'a', Code: 'InvalidParameter', SenderFault: true }]);
    expect(Successful).toMatchObject([{ Id: 'b', SequenceNumber: expect.any(String) }]);
  });

  test('by a standard topic, if it has an id to recognise it by', async () => {
    const { publish } = shop({ properties: { FifoTopic: false }, subscription: { Endpoint: arnOf('Standard') } });
    await expect(publish('one', 'lamp')).rejects.toThrow('not valid for this topic type');
  });
});

test.each([
  [
    'a function',
    { Subscription: { ...subscribe(arnOf('Work'), { Protocol: 'lambda' }) }, ...functionResource('Work') },
    "a FIFO topic delivers to queues only, not by 'lambda'",
  ],
  ['a person', { Subscription: subscribe('vera@example.com', { Protocol: 'email' }) }, "not by 'email'"],
  [
    'a rule that publishes to it',
    {
      Queue: FIFO,
      Subscription: subscribe(arnOf('Queue')),
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { EventPattern: { source: ['a'] }, Targets: [{ Id: 'one', Arn: { Ref: 'Topic' } }] },
      },
    },
    'no service sends to the FIFO topic',
  ],
])('an assembly with %s is refused', (_, resources, reason) => {
  expect(() => createCloud({ Topic: topic(), ...(resources as object) })).toThrow(reason);
});
