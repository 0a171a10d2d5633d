import { type App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, test } from 'vitest';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import { ReleaseStacks } from '../../../tools/release/check/releases.js';
import { found, synthesized } from '../../support/releases.js';

const app = (hasUser: boolean, hasAlarms = true) =>
  synthesized((scope: App) => {
    const platform = new Stack(scope, 'Platform');
    new Topic(platform, 'Own');
    const alarms = hasAlarms ? new Topic(platform, 'Alarms') : undefined;
    const orders = new Stack(scope, 'Orders');
    new Queue(orders, 'Inbox');
    if (hasUser && alarms) new Topic(orders, 'Copy', { displayName: alarms.topicName });
  }, 'weak');

test('an assembly with the weak references that the CDK advises is loaded, and a reference has the output’s value', () => {
  const folder = app(true);
  const assembly = new Assembly(folder);
  const copy = assembly.resources.find(({ label }) => label === 'Copy');
  const alarms = assembly.resources.find(({ label }) => label === 'Alarms');
  const { template } = assembly.stacks.find(({ name }) => name === 'Orders') ?? {};
  expect(JSON.stringify(template)).toContain('Fn::GetStackOutput');
  expect(alarms?.attributes.TopicName).toBeTypeOf('string');
  expect(copy?.properties.DisplayName).toBe(alarms?.attributes.TopicName);
});

test('nothing keeps what is weakly referenced from going', () => {
  const [before, after] = [ReleaseStacks.of(app(true)), ReleaseStacks.of(app(false, false))];
  expect(found(before, after).kinds).toEqual([]);
});
