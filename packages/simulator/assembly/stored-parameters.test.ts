import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';

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

test('a parameter that no stack has is an obstacle', () => {
  expect(checkAssembly(appWith('/shop/other'))).toMatchObject([
    { type: 'AWS::SSM::Parameter', label: '/shop/other', mayBeIgnored: false },
  ]);
});
