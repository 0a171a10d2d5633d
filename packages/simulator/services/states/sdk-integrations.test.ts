import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { allowStatement, createCloud, functionResource, TABLE } from '../../support/clouds.js';
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
