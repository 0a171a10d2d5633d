import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, createCloud, functionResource } from '../../support/clouds.js';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:sold';

const queue = (name: string) => ({ Type: 'AWS::SQS::Queue', Properties: { QueueName: name } });
const policy = (...queues: readonly string[]) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: queues.map((one) => ({ Ref: one })),
    PolicyDocument: {
      Statement: queues.map((one) => ({
        ...(allowStatement(['sqs:SendMessage'], arnOf(one), { ArnEquals: { 'aws:SourceArn': TOPIC } }) as object),
        Principal: { Service: 'sns.amazonaws.com' },
      })),
    },
  },
});
const subscribe = (Endpoint: Json, more: { [name: string]: Json } = {}, Protocol = 'sqs') => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint, ...more },
});
const BASE = {
  Topic: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'sold' } },
  Sales: queue('sales'),
  Dead: queue('dead'),
  Policy: policy('Sales', 'Dead'),
};

/** Returns the bodies of a queue's messages. */
const bodies = ({ queues }: ReturnType<typeof createCloud>, name: string): readonly string[] =>
  [...queues.values()].flatMap((one) => (one.name === name ? one.save().messages.map(({ body }) => body) : []));

test('a queue gets a notification with the message in it, or the message alone', async () => {
  const cloud = createCloud({
    ...BASE,
    Raw: queue('raw'),
    RawPolicy: policy('Raw'),
    One: subscribe(arnOf('Sales')),
    Two: subscribe(arnOf('Raw'), { RawMessageDelivery: true }),
  });
  const { id } = cloud.topics.publish(TOPIC, { text: '{"sku":"lamp"}', subject: 'Sold' });
  await cloud.world.settle();
  expect(bodies(cloud, 'sales').map((body) => JSON.parse(body))).toEqual([
    expect.objectContaining({
      Type: 'Notification',
      MessageId: id,
      TopicArn: TOPIC,
      Subject: 'Sold',
      Message: '{"sku":"lamp"}',
    }),
  ]);
  expect(bodies(cloud, 'raw')).toEqual(['{"sku":"lamp"}']);
});

test('a function gets an event of SNS', async () => {
  const Permission = {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: arnOf('Work'),
      Principal: 'sns.amazonaws.com',
      SourceArn: TOPIC,
    },
  };
  const cloud = createCloud(
    { ...BASE, ...functionResource('Work'), Permission, One: subscribe(arnOf('Work'), {}, 'lambda') },
    { Work: `exports.handler = async ({ Records: [{ EventSource, Sns }] }) => console.log(EventSource, Sns.Message);` },
  );
  cloud.topics.publish(TOPIC, { text: 'lamp' });
  await cloud.world.settle();
  expect(cloud.log.map(({ text }) => text)).toEqual(['aws:sns lamp']);
});

test.each<[scope: string, FilterPolicy: Json, texts: readonly string[]]>([
  ['MessageAttributes', { kind: ['lamp'] }, ['a']],
  ['MessageAttributes', { price: [{ numeric: ['>', 5] }] }, ['b']],
  ['MessageAttributes', { kind: [{ exists: false }] }, ['c', '{"kind":"desk"}']],
  ['MessageAttributes', { shops: ['north'] }, ['c']],
  ['MessageBody', { kind: ['desk'] }, ['{"kind":"desk"}']],
])('a filter policy of %s lets through what fits: %j', async (FilterPolicyScope, FilterPolicy, texts) => {
  const filter = { FilterPolicyScope, FilterPolicy, RawMessageDelivery: true };
  const cloud = createCloud({ ...BASE, One: subscribe(arnOf('Sales'), filter) });
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  cloud.topics.publish(TOPIC, { text: 'a', attributes: { kind: text('lamp') } });
  const price = { DataType: 'Number', StringValue: '10' };
  cloud.topics.publish(TOPIC, { text: 'b', attributes: { kind: text('bed'), price } });
  const shops = { DataType: 'String.Array', StringValue: '["south","north"]' };
  cloud.topics.publish(TOPIC, { text: 'c', attributes: { shops } });
  cloud.topics.publish(TOPIC, { text: '{"kind":"desk"}' });
  await cloud.world.settle();
  expect([...bodies(cloud, 'sales')].sort()).toEqual(texts);
});

test('a function publishes, if its role may', async () => {
  const code = `exports.handler = () => new Promise((resolve, reject) => {
  const body = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31', TopicArn: '${TOPIC}', Message: 'lamp' });
  const request = require('https').request({
    method: 'POST',
    host: 'sns.eu-west-1.amazonaws.com',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  request.on('error', reject);
  request.on('response', ({ statusCode, resume }) => resolve(statusCode));
  request.end(body.toString());
});`;
  const play = async (actions: readonly string[]) => {
    const work = functionResource('Work', [allowStatement([...actions, 'none:None'], TOPIC)]);
    const cloud = createCloud(
      { ...BASE, ...work, One: subscribe(arnOf('Sales'), { RawMessageDelivery: true }) },
      { Work: code },
    );
    cloud.asynchronous.invokeAsync('arn:aws:lambda:eu-west-1:123456789012:function:Shop-Work', {});
    await cloud.world.settle();
    return bodies(cloud, 'sales');
  };
  expect(await play(['sns:Publish'])).toEqual(['lamp']);
  expect(await play([])).toEqual([]);
});

const DELIVERY = 'Shop/One delivery 1';

test.each<[kind: 'delivered-twice' | 'undeliverable-at-first' | 'undeliverable', sales: number, dead: number]>([
  ['delivered-twice', 2, 0],
  ['undeliverable-at-first', 1, 0],
  ['undeliverable', 0, 1],
])('a delivery may be %s', async (kind, sales, dead) => {
  const RedrivePolicy = { deadLetterTargetArn: arnOf('Dead') };
  const one = { ...BASE, One: subscribe(arnOf('Sales'), { RedrivePolicy }) };
  const cloud = createCloud(one, {}, { faults: new FixedFaults([{ point: DELIVERY, kind }]) });
  cloud.topics.publish(TOPIC, { text: 'lamp' });
  // Messages of the other queue are gone after four days.
  await cloud.world.until(() => bodies(cloud, 'dead').length >= dead && bodies(cloud, 'sales').length >= sales);
  expect([bodies(cloud, 'sales').length, bodies(cloud, 'dead').length]).toEqual([sales, dead]);
});

test('without the right to send, a message is lost, and the trace says so', async () => {
  const { Policy: _, ...rest } = BASE;
  const cloud = createCloud({ ...rest, One: subscribe(arnOf('Sales')) });
  cloud.topics.publish(TOPIC, { text: 'lamp' });
  await cloud.world.settle();
  expect(cloud.world.trace.lines.join('\n')).toContain(`${DELIVERY} given up and LOST: AccessDenied`);
});

test('a rule publishes its event to a topic to which a queue subscribes, if the topic allows it', async () => {
  const Rule = {
    Type: 'AWS::Events::Rule',
    Properties: { EventPattern: { source: ['shop'] }, Targets: [{ Id: 'T', Arn: { Ref: 'Topic' } }] },
  };
  const TopicPolicy = {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: {
      Topics: [{ Ref: 'Topic' }],
      PolicyDocument: {
        Statement: [
          {
            ...(allowStatement(['sns:Publish'], { Ref: 'Topic' }) as object),
            Principal: { Service: 'events.amazonaws.com' },
          },
        ],
      },
    },
  };
  const play = async (more: object) => {
    const cloud = createCloud({ ...BASE, Rule, One: subscribe(arnOf('Sales'), { RawMessageDelivery: true }), ...more });
    cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: { sku: 'lamp' } });
    await cloud.world.settle();
    return bodies(cloud, 'sales').map((body) => JSON.parse(body).detail);
  };
  expect(await play({ TopicPolicy })).toEqual([{ sku: 'lamp' }]);
  expect(await play({})).toEqual([]);
});
