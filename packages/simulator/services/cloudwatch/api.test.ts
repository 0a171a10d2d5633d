import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import type { Cloud } from '../../cloud/cloud.js';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, createCloud, functionResource, STREAM_RIGHTS, TABLE } from '../../support/clouds.js';

const MINUTE = 60_000;

/** Returns values of a metric, newest first, with the minutes before now at which they stand. */
async function valuesOf(cloud: Cloud, Namespace: string, MetricName: string, [Name, Value]: readonly [string, string]) {
  const client = new CloudWatchClient(awsApiOf(cloud).config);
  const { now } = cloud.world;
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - 15 * MINUTE),
      EndTime: new Date(now + MINUTE),
      MetricDataQueries: [
        {
          Id: 'm0',
          MetricStat: { Metric: { Namespace, MetricName, Dimensions: [{ Name, Value }] }, Period: 60, Stat: 'Maximum' },
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
