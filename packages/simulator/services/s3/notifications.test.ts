import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { FixedFaults } from '../../engine/faults.js';
import { arnOf, createCloud, functionResource, queuePolicy } from '../../support/clouds.js';

const permission = (more: { [name: string]: Json } = {}) => ({
  Permission: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: arnOf('Work'),
      Principal: 's3.amazonaws.com',
      SourceArn: arnOf('Bucket'),
      ...more,
    },
  },
});
const WORK = { Work: 'exports.handler = async (event) => console.log(JSON.stringify(event.Records[0]));' };

/** The resource by which the CDK configures a bucket, with its notifications as in the API. */
const custom = (NotificationConfiguration: Json) => ({
  Bucket: { Type: 'AWS::S3::Bucket', Properties: {} },
  Notifications: {
    Type: 'Custom::S3BucketNotifications',
    Properties: {
      ServiceToken: arnOf('Provider'),
      BucketName: { Ref: 'Bucket' },
      NotificationConfiguration,
      Managed: true,
    },
  },
  ...functionResource('Provider', [], { Runtime: 'python3.13' }),
});
const toFunction = (Events: readonly string[], Rules: Json = []): Json => ({
  LambdaFunctionConfigurations: [
    { Events: [...Events], LambdaFunctionArn: arnOf('Work'), Filter: { Key: { FilterRules: Rules } } },
  ],
});

/** Amazon S3 User Guide, "Event message structure". */
test('a function gets what happens to the objects that its filter fits', async () => {
  const rules = [
    { Name: 'prefix', Value: 'in/' },
    { Name: 'suffix', Value: '.csv' },
  ];
  const configuration = toFunction(['s3:ObjectCreated:*', 's3:ObjectRemoved:Delete'], rules);
  const cloud = createCloud({ ...custom(configuration), ...functionResource('Work'), ...permission() }, WORK);
  for (const key of ['in/a b.csv', 'out/a.csv', 'in/a.txt']) cloud.buckets.put('shop-bucket', key, 'x');
  await cloud.world.settle();
  cloud.buckets.delete('shop-bucket', 'in/a b.csv');
  await cloud.world.settle();
  const records = cloud.log.map(({ text }) => JSON.parse(text));
  expect(records.map(({ eventName, s3 }) => [eventName, s3.object.key])).toEqual([
    ['ObjectCreated:Put', 'in/a+b.csv'],
    ['ObjectRemoved:Delete', 'in/a+b.csv'],
  ]);
  expect(records[0]).toMatchObject({
    eventSource: 'aws:s3',
    awsRegion: 'eu-west-1',
    s3: { bucket: { name: 'shop-bucket', arn: 'arn:aws:s3:::shop-bucket' }, object: { size: 1 } },
  });
});

test('a queue gets them as the template of a bucket says', async () => {
  const QueueConfigurations = [{ Event: 's3:ObjectCreated:Put', Queue: arnOf('Queue') }];
  const cloud = createCloud({
    Bucket: { Type: 'AWS::S3::Bucket', Properties: { NotificationConfiguration: { QueueConfigurations } } },
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Policy: queuePolicy('s3'),
  });
  cloud.buckets.put('shop-bucket', 'a', 'x');
  await cloud.world.settle();
  const [message] = cloud.queue('Shop/Queue').listMessages();
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ Records: [{ eventName: 'ObjectCreated:Put' }] });
});

test('a bucket sends events to the default bus where its custom resource says so', async () => {
  const cloud = createCloud(custom({ EventBridgeConfiguration: {} }));
  cloud.buckets.put('shop-bucket', 'a', 'x');
  await cloud.world.settle();
  expect(cloud.events.accepted.map(({ event }) => event['detail-type'])).toEqual(['Object Created']);
});

/** Amazon S3 User Guide, "Amazon S3 Event Notifications": they "are designed to be delivered at least once". */
test('a notification may come twice', async () => {
  const cloud = createCloud(
    { ...custom(toFunction(['s3:ObjectCreated:*'])), ...functionResource('Work'), ...permission() },
    WORK,
    { faults: new FixedFaults([{ point: 'Shop/Bucket delivery 1', kind: 'delivered-twice' }]) },
  );
  cloud.buckets.put('shop-bucket', 'a', 'x');
  await cloud.world.settle();
  expect(cloud.log).toHaveLength(2);
});

test.each([
  ['an event that nothing causes here', toFunction(['s3:LifecycleExpiration:*']), {}, 's3:LifecycleExpiration:*'],
  [
    'a destination that is elsewhere',
    { QueueConfigurations: [{ Events: ['s3:ObjectCreated:*'], QueueArn: 'arn:aws:sqs:eu-west-1:123456789012:other' }] },
    {},
    'is no queue, function or topic of this assembly',
  ],
  [
    'a function that S3 may not invoke',
    toFunction(['s3:ObjectCreated:*']),
    { Principal: 'sns.amazonaws.com' },
    "doesn't allow S3 lambda:InvokeFunction",
  ],
])('%s is refused by name', (_, configuration, more, message) => {
  const cloud = () => createCloud({ ...custom(configuration), ...functionResource('Work'), ...permission(more) });
  expect(cloud).toThrow(message);
});
