import { expect, test } from 'vitest';
import type { Json } from '../assembly/intrinsics.js';
import { accountOf, ended, exportOf, happened, stackOf } from '../support/deployments.js';
import { cdkDeploy, cdkDeployAll } from './command-line.js';
import { deleteStack } from './delete-stack.js';

const topic = (properties: Record<string, Json> = {}, more: Record<string, Json> = {}) => ({
  Type: 'AWS::SNS::Topic',
  Properties: properties,
  ...more,
});
const arn = { Ref: 'Topic' };
const OUT = { outputs: { Out: exportOf('Alarms', arn) } };
const user = (name: string) =>
  stackOf(name, { Copy: topic({ DisplayName: { 'Fn::ImportValue': 'Alarms' } }), Own: topic() });

test('an export that another stack imports is neither deleted nor changed, and the update is rolled back', () => {
  const account = accountOf();
  cdkDeployAll(account, [stackOf('Platform', { Topic: topic() }, OUT), user('Orders'), user('Api')]);
  const gone = cdkDeploy(account, stackOf('Platform', { Topic: topic(), New: topic() }));
  expect(ended(gone)).toEqual(['UPDATE_ROLLBACK_COMPLETE', 'export-in-use']);
  expect(gone.refusals[0]?.message).toBe('Export Alarms cannot be deleted as it is in use by Orders and Api');
  expect(happened(gone)).toEqual(['delete New']);
  const changed = cdkDeploy(account, stackOf('Platform', { Topic: topic({ FifoTopic: true }) }, OUT));
  expect(changed.refusals[0]?.message).toBe('Export Alarms cannot be updated as it is in use by Orders and Api');
  expect(account.resource('Platform', 'Topic').properties).toEqual({});
  expect(ended(deleteStack(account, 'Platform'))).toEqual(['UPDATE_ROLLBACK_COMPLETE', 'export-in-use']);
  // Once nobody imports it, it goes.
  for (const name of ['Orders', 'Api']) cdkDeploy(account, stackOf(name, { Own: topic() }));
  expect(ended(cdkDeploy(account, stackOf('Platform', { Topic: topic() })))).toEqual(['UPDATE_COMPLETE']);
});

test('an export has one stack', () => {
  const account = accountOf();
  cdkDeploy(account, stackOf('Platform', { Topic: topic() }, OUT));
  expect(ended(cdkDeploy(account, stackOf('Other', { Topic: topic() }, OUT)))).toEqual([
    'ROLLBACK_COMPLETE',
    'export-exists',
  ]);
});

test('a replaced resource replaces what refers to it by a property that replaces', () => {
  const account = accountOf();
  const rule = { Type: 'AWS::Events::Rule', Properties: { EventBusName: { Ref: 'Bus' } } };
  const bus = (name: string) => ({ Type: 'AWS::Events::EventBus', Properties: { Name: name } });
  cdkDeploy(
    account,
    stackOf('Platform', { Bus: bus('one'), Rule: rule, Copy: topic({ DisplayName: { Ref: 'Bus' } }) }),
  );
  const outcome = cdkDeploy(
    account,
    stackOf('Platform', { Bus: bus('two'), Rule: rule, Copy: topic({ DisplayName: { Ref: 'Bus' } }) }),
  );
  expect(happened(outcome)).toEqual(['replace Bus', 'replace Rule', 'update Copy', 'delete Rule', 'delete Bus']);
});

test('a replaced resource with a name of its own is refused, and one that stays in the account is named', () => {
  const account = accountOf();
  const named = (properties: Record<string, Json>) => stackOf('Platform', { Topic: topic(properties) });
  cdkDeploy(account, named({ TopicName: 'alarms' }));
  expect(ended(cdkDeploy(account, named({ TopicName: 'alarms', FifoTopic: true })))).toEqual([
    'UPDATE_ROLLBACK_COMPLETE',
    'name-kept-by-replacement',
  ]);
  const kept = topic({ TopicName: 'others', FifoTopic: true }, { UpdateReplacePolicy: 'Retain' });
  expect(happened(cdkDeploy(account, stackOf('Platform', { Topic: kept })))).toEqual(['replace Topic', 'retain Topic']);
  expect(account.leftovers.map(({ called }) => called)).toEqual(['alarms']);
});

test('what a property does that nobody knows is said, and so is what may replace', () => {
  const account = accountOf();
  cdkDeploy(account, stackOf('Platform', { Topic: topic() }));
  const outcome = cdkDeploy(account, stackOf('Platform', { Topic: topic({ Perhaps: 1, Strange: 1 }) }));
  expect(happened(outcome)).toEqual(['perhaps-replace Topic', 'unknown Topic']);
});

test('a resource does not change its type under its logical id', () => {
  const account = accountOf();
  cdkDeploy(account, stackOf('Platform', { Thing: topic() }));
  const other = cdkDeploy(account, stackOf('Platform', { Thing: { Type: 'AWS::SQS::Queue', Properties: {} } }));
  expect(other.refusals[0]?.message).toContain('Update of resource type is not permitted');
});

test.each([
  [undefined, ['delete Topic'], 0],
  ['Retain', ['retain Topic'], 1],
  ['RetainExceptOnCreate', ['retain Topic'], 1],
])('DeletionPolicy %s: a resource that leaves its stack: %j', (policy, expected, left) => {
  const account = accountOf();
  const more: Record<string, Json> = policy === undefined ? {} : { DeletionPolicy: policy };
  const both = stackOf('Platform', { Topic: topic({}, more), Own: topic() });
  cdkDeploy(account, both);
  const copy = account.copy();
  expect(happened(cdkDeploy(account, stackOf('Platform', { Own: topic() })))).toEqual(expected);
  expect(account.leftovers).toHaveLength(left);
  deleteStack(copy, 'Platform');
  expect(copy.leftovers).toHaveLength(left);
  expect(copy.stacks.size).toBe(0);
});

test('what its service does not delete stays: in its stack after a deletion, and without one after an update', () => {
  const account = accountOf();
  const bucket = { Type: 'AWS::S3::Bucket', Properties: {} };
  cdkDeploy(account, stackOf('Orders', { Bucket: bucket, Topic: topic() }));
  account.fill('Orders', 'Bucket', 3);
  const copy = account.copy();
  expect(ended(deleteStack(copy, 'Orders'))).toEqual(['DELETE_FAILED', 'not-deleted']);
  expect([...(copy.stacks.get('Orders')?.resources.keys() ?? [])]).toEqual(['Bucket']);
  expect(ended(cdkDeploy(copy, stackOf('Orders', { Topic: topic() })))).toEqual(['DELETE_FAILED', 'status']);
  expect(ended(cdkDeploy(account, stackOf('Orders', { Topic: topic() })))).toEqual(['UPDATE_COMPLETE']);
  expect(account.leftovers.map(({ logicalId }) => logicalId)).toEqual(['Bucket']);
});

test('an update that fails leaves everything as it was', () => {
  const account = accountOf();
  const first = { One: topic({ DisplayName: 'one' }), Two: topic() };
  cdkDeploy(account, stackOf('Platform', first));
  const next = { One: topic({ DisplayName: 'changed' }), New: topic(), Two: topic({}, { DependsOn: ['One', 'New'] }) };
  const outcome = cdkDeploy(account, stackOf('Platform', next), { failAt: 'Two' });
  expect(ended(outcome)).toEqual(['UPDATE_ROLLBACK_COMPLETE', 'injected']);
  expect(account.resource('Platform', 'One').properties).toEqual({ DisplayName: 'one' });
  expect(account.physical.size).toBe(2);
  expect(ended(cdkDeploy(account, stackOf('Platform', next)))).toEqual(['UPDATE_COMPLETE']);
});

test.each<[string, readonly string[], boolean]>([
  ['one more', ['a', 'b'], true],
  ['none', [], true],
  ['two more', ['a', 'b', 'c'], false],
  ['another one', ['b'], false],
])('one index is added to or removed from a table in one update: %s', (_, names, isTaken) => {
  const table = (indexes: readonly string[]) => ({
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: ['pk', ...indexes].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      GlobalSecondaryIndexes: indexes.map((name) => ({
        IndexName: name,
        KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
      })),
    },
  });
  const account = accountOf();
  expect(ended(cdkDeploy(account, stackOf('Orders', { Table: table(['a']) })))).toEqual(['CREATE_COMPLETE']);
  const [, ...refusals] = ended(cdkDeploy(account, stackOf('Orders', { Table: table(names) })));
  expect(refusals).toEqual(isTaken ? [] : ['second-index']);
});

test('a definition of an attribute replaces its table only if it is edited', () => {
  const table = (kind: string) => ({
    Type: 'AWS::DynamoDB::Table',
    Properties: { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: kind }] },
  });
  const account = accountOf();
  cdkDeploy(account, stackOf('Orders', { Table: table('S') }));
  expect(happened(cdkDeploy(account, stackOf('Orders', { Table: table('N') })))).toEqual([
    'replace Table',
    'delete Table',
  ]);
});
