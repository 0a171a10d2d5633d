import { type App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { expect, test } from 'vitest';
import { Account } from '../../../packages/simulator/deployments/account.js';
import { cdkDeployAll } from '../../../packages/simulator/deployments/command-line.js';
import { replacementOf } from '../../../tools/release/check/replacements.js';
import { found, releaseOf } from '../../support/releases.js';

const orders = (build: (stack: Stack) => void) => releaseOf((app: App) => build(new Stack(app, 'Orders')));

const consumers = (...names: readonly string[]) =>
  releaseOf((app: App) => {
    const topic = new Topic(new Stack(app, 'Platform'), 'Events');
    const stack = new Stack(app, 'Orders');
    for (const name of names) topic.addSubscription(new SqsSubscription(new Queue(stack, name)));
  });

test('a consumer is added', () =>
  expect(found(consumers('on-order'), consumers('on-order', 'on-user')).kinds).toEqual([]));

test.each<[string, readonly string[]]>([
  ['renamed', ['on-order', 'on-person']],
  ['removed', ['on-order']],
])('a consumer that is %s loses its queue, with the messages that are in it, and that is red', (_, names) => {
  const [before, after] = [consumers('on-order', 'on-user'), consumers(...names)];
  const { kinds, texts, mends } = found(before, after);
  expect(kinds).toEqual(['data-removed on-user']);
  expect(texts[0]).toMatch(/^AWS::SQS::Queue, with messages, is deleted/);
  expect(mends[0]).toContain('until its queue is empty');
  const account = new Account(replacementOf);
  cdkDeployAll(account, before.stacks);
  const logicalId = [...(account.stacks.get('Orders')?.resources.keys() ?? [])].find((id) =>
    /^onuser[0-9A-F]+$/.test(id),
  );
  account.fill('Orders', logicalId ?? '', 3);
  const lost = cdkDeployAll(account, after.stacks).flatMap(({ changes }) =>
    changes.filter(({ contents }) => contents > 0),
  );
  expect(lost.map(({ action, contents }) => [action, contents])).toEqual([['delete', 3]]);
});

const table = (indexes: readonly string[], key = 'pk', type = AttributeType.STRING) =>
  orders((stack) => {
    const made = new TableV2(stack, 'Table', { partitionKey: { name: key, type } });
    for (const indexName of indexes) {
      made.addGlobalSecondaryIndex({ indexName, partitionKey: { name: indexName, type: AttributeType.STRING } });
    }
  });

test.each<[string, readonly string[], readonly string[]]>([
  ['one', ['a', 'b'], []],
  ['one, and loses one', ['b'], ['second-index Table']],
  ['two', ['a', 'b', 'c'], ['second-index Table']],
])('a table gets %s', (_, indexes, kinds) => expect(found(table(['a']), table(indexes)).kinds).toEqual(kinds));

test('a table with another key, or another type of its key, is a new table, and that is red', () => {
  expect(found(table([]), table([], 'id')).kinds).toEqual(['data-replaced Table']);
  expect(found(table([]), table([], 'pk', AttributeType.NUMBER)).kinds).toEqual(['data-replaced Table']);
});

test.each<[string, (stack: Stack, id: string) => void]>([
  ['bucket', (stack, id) => new Bucket(stack, id)],
  ['table', (stack, id) => new TableV2(stack, id, { partitionKey: { name: 'pk', type: AttributeType.STRING } })],
  ['log group', (stack, id) => new LogGroup(stack, id, { removalPolicy: RemovalPolicy.DESTROY })],
])('a %s that is moved to another construct is a new one, and that is red', (_, make) => {
  const release = (id: string) => orders((stack) => make(stack, id));
  expect(found(release('One'), release('Other')).kinds).toEqual(['data-removed One']);
});

test('a log group that is retained keeps its lines, so it may leave its stack', () => {
  const release = (id: string) => orders((stack) => new LogGroup(stack, id, { removalPolicy: RemovalPolicy.RETAIN }));
  expect(found(release('One'), release('Other')).kinds).toEqual([]);
});

test('the policy of a queue that another one replaces is red, unless it has been retained since the release before', () => {
  const release = (removal: RemovalPolicy, ...ids: readonly string[]) =>
    orders((stack) => {
      const queues = ['On', 'Dead'].map((id) => new Queue(stack, id));
      for (const id of ids) {
        const policy = new QueuePolicy(stack, id, { queues: id === 'All' ? queues : queues.slice(0, 1) });
        policy.document.addStatements(
          new PolicyStatement({ actions: ['sqs:*'], resources: ['*'], principals: [new AnyPrincipal()] }),
        );
        policy.applyRemovalPolicy(removal);
      }
    });
  const { RETAIN, DESTROY } = RemovalPolicy;
  const { kinds, texts, mends } = found(release(DESTROY, 'One'), release(RETAIN, 'All'));
  expect(kinds).toEqual(['policy-cleared One']);
  expect(texts[0]).toMatch(/clears the policy that another one has set: On/);
  expect(mends[0]).toContain("queuePolicies: 'queue'");
  expect(found(release(DESTROY, 'One'), release(RETAIN, 'One')).kinds).toEqual([]);
  expect(found(release(RETAIN, 'One'), release(RETAIN, 'All')).kinds).toEqual([]);
  // A queue that shall have no policy loses its own.
  expect(found(release(DESTROY, 'One'), release(DESTROY)).kinds).toEqual([]);
});

test('a log group is no data in dev', () => {
  const release = (id: string) => orders((stack) => new LogGroup(stack, id));
  expect(found(release('One'), release('Other'), 'dev').kinds).toEqual([]);
});
