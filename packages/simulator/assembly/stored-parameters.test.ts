import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { functionResource, writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';
import type { Json, JsonObject } from './intrinsics.js';

/** Writes an app of two stacks: the second one takes a value of Systems Manager when it is deployed. */
function appWith(taken: string): string {
  const folder = writeAssembly({
    Stored: { Type: 'AWS::SSM::Parameter', Properties: { Name: '/shop/table', Type: 'String', Value: 'things' } },
  });
  const file = join(folder, 'manifest.json');
  const { artifacts } = JSON.parse(readFileSync(file, 'utf8'));
  const second = { type: 'aws:cloudformation:stack', properties: { templateFile: 'second.json', stackName: 'Second' } };
  writeFileSync(file, JSON.stringify({ artifacts: { ...artifacts, Second: second } }));
  const template = {
    Parameters: { Taken: { Type: 'AWS::SSM::Parameter::Value<String>', Default: taken } },
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Join': ['-', [{ Ref: 'Taken' }, 'queue']] } } },
    },
  };
  writeFileSync(join(folder, 'second.json'), JSON.stringify(template));
  return folder;
}

/** AWS CloudFormation, "Specify existing resources at runtime with CloudFormation-supplied parameter types". */
test('a template takes the value of a parameter of Systems Manager that an earlier stack has', () => {
  const [queue] = new Assembly(appWith('/shop/table')).findByType('AWS::SQS::Queue');
  expect(queue?.properties.QueueName).toBe('things-queue');
});

/** AWS CloudFormation, "Fn::ImportValue". */
test('a value that only another app exports is an obstacle, beside all others', () => {
  const folder = writeAssembly({
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::ImportValue': 'OrdersQueueName' } } },
    Cluster: { Type: 'AWS::RDS::DBCluster' },
  });
  expect(checkAssembly(folder).map(({ label, what }) => [label, what])).toEqual([
    ['Shop/Cluster', 'no model of this type'],
    ['Shop', 'it imports OrdersQueueName, which no earlier stack of this assembly exports'],
  ]);
});

/** Writes an app of a stack that uses a parameter which no stack has. */
function appThatUses(resources: JsonObject, more: JsonObject = {}): string {
  const folder = writeAssembly({});
  const Parameters = { Taken: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/ops/value' } };
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ Parameters, Resources: resources, ...more }));
  return folder;
}

const ALARM = { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmActions: [{ Ref: 'Taken' }] } };

test('a parameter that only an alarm or a layer takes is no obstacle, and the layer is one', () => {
  expect(checkAssembly(appThatUses({ Alarm: ALARM }))).toEqual([]);
  const { Work, ...rest } = functionResource('Work', [], {
    Layers: [{ 'Fn::Sub': '$'.concat('{Taken}') }],
    Code: { ZipFile: 'exports.handler = async () => 1;' },
  });
  expect(checkAssembly(appThatUses({ Alarm: ALARM, Work: Work as Json, ...rest }))).toMatchObject([
    { type: 'AWS::Lambda::Function', what: 'the layer /ops/value', mayBeIgnored: true },
  ]);
});

test.each([
  ['a queue', { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { Ref: 'Taken' } } } }, {}],
  ['an output', { Alarm: ALARM }, { Outputs: { Value: { Value: { Ref: 'Taken' } } } }],
])('a parameter that %s takes too is an obstacle', (_, resources, more) => {
  expect(checkAssembly(appThatUses({ Alarm: ALARM, ...resources }, more))).toMatchObject([
    { type: 'AWS::SSM::Parameter', label: '/ops/value', mayBeIgnored: false },
  ]);
});

test('a parameter that no stack has is an obstacle', () => {
  expect(checkAssembly(appWith('/shop/other'))).toMatchObject([
    { type: 'AWS::SSM::Parameter', label: '/shop/other', mayBeIgnored: false },
  ]);
});
