import { expect, test } from 'vitest';
import { Assembly } from '../../assembly/assembly.js';
import type { Json } from '../../assembly/intrinsics.js';
import { Cloud, Deployment } from '../../cloud/cloud.js';
import { FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, createCloud, functionResource, writeAssembly } from '../../support/clouds.js';

/** Answers a request of CloudFormation as `cfn-response` does. */
const ANSWER = `const answer = (event, more) => new Promise((resolve, reject) => {
  const { hostname, pathname, search } = new URL(event.ResponseURL);
  const request = require('https').request({ method: 'PUT', hostname, path: pathname + search });
  request.on('error', reject);
  request.on('response', (response) => { response.resume(); response.on('end', () => resolve(response.statusCode)); });
  const { StackId, RequestId, LogicalResourceId } = event;
  request.end(JSON.stringify({ StackId, RequestId, LogicalResourceId, PhysicalResourceId: 'made', Status: 'SUCCESS', ...more }));
});`;
const CREATES = `${ANSWER}
exports.handler = async (event) => { console.log(JSON.stringify(event)); console.log(await answer(event)); };`;
const custom = (properties: { [name: string]: Json } = {}) => ({
  Type: 'AWS::CloudFormation::CustomResource',
  Properties: { ServiceToken: arnOf('Provider'), ...properties },
});
const ONE = { ...functionResource('Provider'), Made: custom({ Size: 3, Deep: { Is: [true] } }) };

test('a function of the assembly creates a custom resource before the first request', async () => {
  const cloud = createCloud(ONE, { Provider: CREATES });
  await cloud.deployed();
  const [event, status] = cloud.log.map(({ text }) => text);
  expect(JSON.parse(event ?? '')).toMatchObject({
    RequestType: 'Create',
    LogicalResourceId: 'Made',
    ResourceType: 'AWS::CloudFormation::CustomResource',
    StackId: 'arn:aws:cloudformation:eu-west-1:123456789012:stack/Shop/simulated',
    // CloudFormation makes text of what isn't.
    ResourceProperties: { Size: '3', Deep: { Is: ['true'] } },
  });
  expect(status ?? 'not yet').toBe('not yet');
  await cloud.world.settle();
  expect(cloud.log[1]?.text).toBe('200');
});

test('nothing goes wrong until custom resources are created, and then faults begin', async () => {
  const faults = new FixedFaults([
    { point: 'Shop/Provider call 1', kind: 'answer-lost' },
    { point: 'Shop/Provider invocation 2', kind: 'crashed' },
  ]);
  const cloud = createCloud(ONE, { Provider: CREATES }, { faults });
  await cloud.deployed();
  await cloud.world.settle();
  expect(faults.points).toEqual([]);
  const results: string[] = [];
  cloud.fn('Shop/Provider').invoke({}, ({ kind }) => results.push(kind));
  await cloud.world.settle();
  expect(faults.injected).toEqual([{ point: 'Shop/Provider invocation 2', kind: 'crashed' }]);
  expect(results).toEqual(['failed']);
});

test('one custom resource is created after the other', async () => {
  const cloud = createCloud({ ...ONE, More: custom() }, { Provider: CREATES });
  await cloud.deployed();
  const lines = cloud.world.trace.lines.filter((line) => line.includes('created')).map((line) => line.slice(25));
  expect(lines).toEqual([
    'Shop/Made is being created',
    'Shop/Made is created: made',
    'Shop/More is being created',
    'Shop/More is created: made',
  ]);
});

test('a custom resource that reads the answer of another one is created after it, wherever the template has them', async () => {
  const Provider = `${ANSWER}\nexports.handler = async (event) => {
    console.log(event.LogicalResourceId + ' ' + event.ResourceProperties.Reads);
    await answer(event, { Data: { Url: 'of ' + event.LogicalResourceId } });
  };`;
  const reads = (id: string) => custom({ Reads: { 'Fn::GetAtt': [id, 'Url'] } });
  const cloud = createCloud(
    { ...functionResource('Provider'), First: reads('Second'), Second: custom() },
    { Provider },
  );
  await cloud.deployed();
  expect(cloud.log.map(({ text }) => text)).toEqual(['Second undefined', 'First of Second']);
  const circle = { ...functionResource('Provider'), First: reads('Second'), Second: reads('First') };
  await expect(createCloud(circle, { Provider }).deployed()).rejects.toThrow('refers to a custom resource that refers');
});

test.each([
  [`await answer(event, { Status: 'FAILED', Reason: 'no luck' })`, 'no luck'],
  [`await answer(event, { PhysicalResourceId: undefined })`, 'Invalid PhysicalResourceId'],
  [`await answer(event, { RequestId: 'another' })`, 'its answer has another RequestId'],
  [`await answer(event, { Data: { text: 'x'.repeat(4096) } })`, 'Response object is too long'],
  ['undefined', 'no answer within 3600 s'],
])('a custom resource that fails is the failure of the deployment: %s', async (code, reason) => {
  const cloud = createCloud(ONE, { Provider: `${ANSWER}\nexports.handler = async (event) => { ${code}; };` });
  await expect(cloud.deployed()).rejects.toThrow(`Made is not created, so the deployment fails: ${reason}`);
});

test('a custom resource says how long it may take', async () => {
  const slow = { ...functionResource('Provider'), Made: custom({ ServiceTimeout: 60 }) };
  await expect(createCloud(slow).deployed()).rejects.toThrow('no answer within 60 s');
});

const SIGNAL = `${ANSWER}
exports.handler = async (event) => {
  const url = event.ResourceProperties.Handle;
  await answer({ ResponseURL: url }, { Status: 'SUCCESS', UniqueId: 'one' });
  await answer({ ResponseURL: url }, { Status: 'SUCCESS', UniqueId: 'one' });
  await answer(event);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await answer({ ResponseURL: url }, { Status: process.env.LAST, UniqueId: 'two', Reason: 'late' });
};`;
const waiting = (last: string, more: { [name: string]: Json } = {}) => ({
  ...functionResource('Provider', [], { Environment: { Variables: { LAST: last } } }),
  Handle: { Type: 'AWS::CloudFormation::WaitConditionHandle' },
  Made: custom({ Handle: { Ref: 'Handle' } }),
  Wait: {
    Type: 'AWS::CloudFormation::WaitCondition',
    Properties: { Handle: { Ref: 'Handle' }, Count: 2, Timeout: '60', ...more },
  },
});

test('a wait condition holds the deployment until it has its signals, each counted once', async () => {
  const cloud = createCloud(waiting('SUCCESS'), { Provider: SIGNAL });
  await cloud.deployed();
  expect(cloud.world.now - cloud.world.begins).toBeGreaterThan(5_000);
});

test.each([
  [waiting('FAILURE'), "Wait is not created, so the deployment fails: WaitCondition received failed message: 'late'"],
  [waiting('SUCCESS', { Timeout: '3' }), 'Wait is not created, so the deployment fails: no answer within 3 s'],
])('a wait condition that fails, or gets no signal in time, is the failure of the deployment', async (app, reason) => {
  await expect(createCloud(app, { Provider: SIGNAL }).deployed()).rejects.toThrow(reason);
});

test('a provider that is no function of the assembly is named', () => {
  const topic = {
    Topic: { Type: 'AWS::SNS::Topic', Properties: {} },
    Made: custom({ ServiceToken: { Ref: 'Topic' } }),
  };
  expect(() => createCloud(topic)).toThrow(/its provider \S+Topic is no function of this assembly/);
});

const DATA = `${ANSWER}\nexports.handler = (event) => answer(event, { Data: { Url: event.ResourceProperties.From + '/a' } });`;
const READS = {
  ...functionResource('Provider'),
  Made: custom({ From: 'x' }),
  Next: custom({ From: { 'Fn::GetAtt': ['Made', 'Url'] } }),
  ...functionResource('Reader', [], {
    Environment: {
      Variables: { URL: { 'Fn::Join': [' ', [{ Ref: 'Made' }, { 'Fn::GetAtt': ['Next', 'Url'] }]] }, OWN: 'own' },
    },
  }),
};

test('variables of functions and later custom resources get what a custom resource answers', async () => {
  const Reader = 'exports.handler = async () => [process.env.URL, process.env.OWN];';
  const cloud = createCloud(READS, { Provider: DATA, Reader });
  await cloud.deployed();
  const results: unknown[] = [];
  cloud.fn('Shop/Reader').invoke({}, (result) => results.push(result));
  await cloud.world.settle();
  expect(results).toEqual([{ kind: 'returned', value: ['made x/a/a', 'own'] }]);
});

test('outputs of a stack get what a custom resource answers', async () => {
  const Outputs = { Address: { Value: { 'Fn::GetAtt': ['Made', 'Url'] } } };
  const assembly = new Assembly(writeAssembly(READS, { Provider: DATA }), (template) => ({ ...template, Outputs }));
  const cloud = new Cloud(new Deployment(assembly), { seed: '1' });
  await cloud.deployed();
  const describe = cloud.services.operation({ service: 'cloudformation', operation: 'DescribeStacks' });
  expect(describe({})).toMatchObject({ Stacks: [{ Outputs: [{ OutputKey: 'Address', OutputValue: 'x/a' }] }] });
});

test('an answer without an attribute that the template reads is the failure of the deployment', async () => {
  await expect(createCloud(READS, { Provider: CREATES }).deployed()).rejects.toThrow(
    "Made is not created, so the deployment fails: Vendor response doesn't contain Url attribute",
  );
});

test('what else refers to an answer is named, since no function runs before it is made', () => {
  const reads = {
    ...ONE,
    ...functionResource('Reader', [allowStatement(['s3:*'], { 'Fn::GetAtt': ['Made', 'Arn'] })]),
  };
  expect(() => createCloud(reads)).toThrow('attribute Arn of the custom resource Shop/Made');
});
