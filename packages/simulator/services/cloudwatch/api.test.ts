import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import type { Cloud } from '../../cloud/cloud.js';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, createCloud, functionResource, STREAM_RIGHTS, TABLE } from '../../support/clouds.js';

const MINUTE = 60_000;

/** Returns values of a metric, newest first, with the minutes before now at which they stand. */
async function valuesOf(
  cloud: Cloud,
  Namespace: string,
  MetricName: string,
  dimension: readonly [string, string] | undefined,
  Stat = 'Maximum',
) {
  const Dimensions = dimension && [{ Name: dimension[0], Value: dimension[1] }];
  const client = new CloudWatchClient(awsApiOf(cloud).config);
  const { now } = cloud.world;
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - 15 * MINUTE),
      EndTime: new Date(now + MINUTE),
      MetricDataQueries: [
        {
          Id: 'm0',
          MetricStat: { Metric: { Namespace, MetricName, ...(Dimensions && { Dimensions }) }, Period: 60, Stat },
        },
      ],
    }),
  );
  const [{ Values = [], Timestamps = [] } = {}] = MetricDataResults;
  return Values.map((value, at) => ({
    value,
    before: Math.floor(now / MINUTE) - Number(Timestamps[at]) / MINUTE,
  }));
}

test('a queue reports how many messages it has, and the age of the oldest one', async () => {
  const cloud = createCloud({ Queue: { Type: 'AWS::SQS::Queue' } });
  const ask = (metric: string) => valuesOf(cloud, 'AWS/SQS', metric, ['QueueName', 'Shop-Queue']);
  expect(await ask('ApproximateAgeOfOldestMessage')).toEqual([{ value: 0, before: 0 }]);
  const queue = cloud.queue('Shop/Queue');
  queue.send({ body: 'a' });
  await cloud.world.pass(90_000);
  queue.send({ body: 'b' });
  expect(await ask('ApproximateAgeOfOldestMessage')).toEqual([{ value: 90, before: 0 }]);
  expect(await ask('ApproximateNumberOfMessagesVisible')).toEqual([{ value: 2, before: 0 }]);
  queue.receive(1);
  expect(await ask('ApproximateNumberOfMessagesNotVisible')).toEqual([{ value: 1, before: 0 }]);
  expect(await ask('SentMessageSize')).toEqual([]);
});

test('a function reports in which minutes it was invoked', async () => {
  const cloud = createCloud(functionResource('Work'), { Work: 'exports.handler = async () => 1;' });
  const work = [...cloud.functions.values()][0];
  const ask = () => valuesOf(cloud, 'AWS/Lambda', 'Invocations', ['FunctionName', 'Shop-Work']);
  expect(await ask()).toEqual([]);
  work?.invoke({}, () => undefined);
  work?.invoke({}, () => undefined);
  expect(await ask()).toEqual([{ value: 2, before: 0 }]);
});

test('a function reports how many of the calls of a minute failed, also if none did', async () => {
  const cloud = createCloud(functionResource('Work'), {
    Work: "exports.handler = async ({ fails }) => { if (fails) throw new Error('no'); };",
  });
  const work = [...cloud.functions.values()][0];
  const ask = () => valuesOf(cloud, 'AWS/Lambda', 'Errors', ['FunctionName', 'Shop-Work']);
  expect(await ask()).toEqual([]);
  for (const fails of [true, false, true]) work?.invoke({ fails }, () => undefined);
  await cloud.world.settle();
  expect(await ask()).toEqual([{ value: 2, before: 0 }]);
  await cloud.world.pass(MINUTE);
  work?.invoke({}, () => undefined);
  await cloud.world.settle();
  expect(await ask()).toEqual([
    { value: 0, before: 0 },
    { value: 2, before: 1 },
  ]);
  expect(await valuesOf(cloud, 'AWS/Lambda', 'Errors', undefined)).toEqual(await ask());
});

test('a metric that functions log in the embedded format is counted by exactly its dimensions', async () => {
  const code = `exports.handler = async ({ text, value }) => console.log(text ?? JSON.stringify({
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: 'Shop/dev', Dimensions: [['service']], Metrics: [{ Name: 'Sold' }] }] },
    service: 'tea', Sold: value,
  }));`;
  const cloud = createCloud(functionResource('Work'), { Work: code });
  const work = [...cloud.functions.values()][0];
  for (const event of [{ value: 2 }, { value: [3, 4] }, { text: '{"_aws": "Sold"' }])
    work?.invoke(event, () => undefined);
  await cloud.world.settle();
  const ask = (namespace: string, name: string, dimension: [string, string]) =>
    valuesOf(cloud, namespace, name, dimension, 'Sum');
  expect(await ask('Shop/dev', 'Sold', ['service', 'tea'])).toEqual([{ value: 9, before: 0 }]);
  expect(await valuesOf(cloud, 'Shop/dev', 'Sold', ['service', 'tea'])).toEqual([{ value: 4, before: 0 }]);
  expect(await ask('Shop/dev', 'Sold', ['service', 'coffee'])).toEqual([]);
  expect(await ask('Shop/dev', 'Sold', ['shop', 'tea'])).toEqual([]);
  expect(await ask('Shop/prod', 'Sold', ['service', 'tea'])).toEqual([]);
  expect(await ask('Shop/dev', 'Bought', ['service', 'tea'])).toEqual([]);
});

test('a metric filter makes a metric of a field, by the dimension that it names, of the lines of its log group', async () => {
  const code = 'exports.handler = async (line) => console.log(JSON.stringify(line));';
  const MetricTransformations = [
    {
      MetricNamespace: 'Shop/dev',
      MetricName: 'Age',
      MetricValue: '$.age',
      Unit: 'Seconds',
      Dimensions: [{ Key: 'service', Value: '$.service' }],
    },
    { MetricNamespace: 'Shop/dev', MetricName: 'Handled', MetricValue: '1' },
  ];
  const filter = (LogGroupName: string) => ({
    Type: 'AWS::Logs::MetricFilter',
    Properties: { LogGroupName, FilterPattern: '{ $.age = * }', MetricTransformations },
  });
  const work = functionResource('Work', [], { LoggingConfig: { LogGroup: 'shop' } });
  const cloud = createCloud({ ...work, Filter: filter('shop'), Other: filter('other') }, { Work: code });
  const fn = [...cloud.functions.values()][0];
  for (const line of [
    { service: 'tea', age: 2 },
    { service: 'tea', age: 3 },
    { service: 'coffee', age: 5 },
    { service: 'tea' },
    { service: 'tea', age: 'unknown' },
  ])
    fn?.invoke(line, () => undefined);
  await cloud.world.settle();
  const sum = (name: string, dimension: [string, string] | undefined) =>
    valuesOf(cloud, 'Shop/dev', name, dimension, 'Sum');
  expect(await sum('Age', ['service', 'tea'])).toEqual([{ value: 5, before: 0 }]);
  expect(await sum('Age', ['service', 'coffee'])).toEqual([{ value: 5, before: 0 }]);
  expect(await sum('Age', undefined)).toEqual([]);
  expect(await sum('Handled', undefined)).toEqual([{ value: 4, before: 0 }]);
});

test('a function that reads a stream reports the age of its backlog, also while it reads nothing', async () => {
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
          FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
        },
      },
    },
    { Work: 'exports.handler = async () => undefined;' },
  );
  const age = async () => (await valuesOf(cloud, 'AWS/Lambda', 'IteratorAge', ['FunctionName', 'Shop-Work']))[0]?.value;
  expect(await age()).toBe(0);
  const [mapping] = cloud.sources;
  if (mapping) mapping.enabled = false;
  const put = (pk: string) => cloud.dynamodb.call('PutItem', { TableName: 'Shop-Table', Item: { pk: { S: pk } } });
  put('a');
  await cloud.world.pass(60_000);
  put('b');
  expect(await age()).toBeGreaterThanOrEqual(60_000);
  expect(cloud.functions.values().next().value?.invocations).toBe(0);
  if (mapping) mapping.enabled = true;
  await cloud.world.settle();
  expect(await age()).toBe(0);
});
