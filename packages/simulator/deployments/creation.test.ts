import { expect, test } from 'vitest';
import { accountOf, ended, exportOf, happened, stackOf } from '../support/deployments.js';
import { cdkDeploy, cdkDeployAll } from './command-line.js';
import { deleteStack } from './delete-stack.js';

const TOPIC = { Type: 'AWS::SNS::Topic', Properties: {} };
const bus = (policy?: string, name = 'shop') => ({
  Type: 'AWS::Events::EventBus',
  Properties: { Name: name },
  ...(policy !== undefined && { DeletionPolicy: policy }),
});
const table = (policy: string) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: { DeletionProtectionEnabled: true },
  DeletionPolicy: policy,
});
/** Fails after everything else was created. */
const last = (...after: readonly string[]) => ({ ...TOPIC, DependsOn: after });

test('a stack is created with its exports, and another one imports them', () => {
  const account = accountOf();
  const platform = stackOf('Platform', { Bus: bus() }, { outputs: { Out: exportOf('BusName', { Ref: 'Bus' }) } });
  const orders = stackOf('Orders', {
    Rule: { Type: 'AWS::Events::Rule', Properties: { EventBusName: { 'Fn::ImportValue': 'BusName' } } },
  });
  expect(cdkDeployAll(account, [platform, orders]).map(ended)).toEqual([['CREATE_COMPLETE'], ['CREATE_COMPLETE']]);
  expect(account.resource('Orders', 'Rule').properties).toEqual({ EventBusName: 'shop' });
  expect(account.importersOf('BusName')).toEqual(['Orders']);
});

test('an import that nobody exports refuses the creation', () => {
  const orders = stackOf('Orders', {
    Topic: { ...TOPIC, Properties: { DisplayName: { 'Fn::ImportValue': 'BusName' } } },
  });
  expect(ended(cdkDeploy(accountOf(), orders))).toEqual(['ROLLBACK_COMPLETE', 'import-missing']);
});

test.each([
  ['Retain', 'retain Bus', ['name-exists']],
  ['RetainExceptOnCreate', 'delete Bus', []],
  ['Delete', 'delete Bus', []],
  [undefined, 'delete Bus', []],
])('DeletionPolicy %s: a creation that fails leads to "%s", and is repeated', (policy, left, refusals) => {
  const account = accountOf();
  const platform = stackOf('Platform', { Bus: bus(policy), Last: last('Bus') });
  const first = cdkDeploy(account, platform, { failAt: 'Last' });
  expect(ended(first)).toEqual(['ROLLBACK_COMPLETE', 'injected']);
  expect(happened(first)).toEqual([left]);
  const [, ...kinds] = ended(cdkDeploy(account, platform));
  expect(kinds).toEqual(refusals);
});

test.each([
  // A protected table that is retained has no name, so it is in nobody's way.
  ['Retain', 'ROLLBACK_COMPLETE', 'CREATE_COMPLETE', 1],
  // Its creation is undone, and the service refuses that.
  ['RetainExceptOnCreate', 'ROLLBACK_FAILED', 'CREATE_COMPLETE', 1],
  ['Delete', 'ROLLBACK_FAILED', 'DELETE_FAILED', 0],
])(
  'a protected table with %s: the failed creation ends in %s, and its repetition in %s',
  (policy, failed, then, left) => {
    const account = accountOf();
    const orders = stackOf('Orders', { Table: table(policy), Last: last('Table') });
    expect(cdkDeploy(account, orders, { failAt: 'Last' }).status).toBe(failed);
    expect(cdkDeploy(account, orders).status).toBe(then);
    expect(account.leftovers).toHaveLength(left);
  },
);

test('a protected stack whose first creation has failed is not deployed again, until an operator takes the protection away', () => {
  const account = accountOf();
  const orders = stackOf('Orders', { Topic: TOPIC }, { terminationProtection: true });
  cdkDeploy(account, orders, { failAt: 'Topic' });
  const again = cdkDeploy(account, orders);
  expect(ended(again)).toEqual(['ROLLBACK_COMPLETE', 'termination-protection']);
  expect(again.refusals[0]?.message).toBe('Stack [Orders] cannot be deleted while TerminationProtection is enabled');
  account.setTerminationProtection('Orders', false);
  expect(ended(cdkDeploy(account, orders))).toEqual(['CREATE_COMPLETE']);
  expect(ended(deleteStack(account, 'Orders'))).toEqual(['CREATE_COMPLETE', 'termination-protection']);
});

test('a name that another stack has refuses a creation, and one with the id of its stack does not', () => {
  const account = accountOf();
  cdkDeploy(account, stackOf('One', { Bus: bus() }));
  const other = cdkDeploy(account, stackOf('Two', { Bus: bus() }));
  expect(ended(other)).toEqual(['ROLLBACK_COMPLETE', 'name-exists']);
  expect(other.refusals[0]?.message).toContain('shop already exists: AWS::Events::EventBus, created by One/Bus');
  const id = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  const own = stackOf('Own', {
    Bus: { ...bus('Retain'), Properties: { Name: { 'Fn::Join': ['-', ['shop', id]] } } },
  });
  for (const _ of [1, 2, 3]) {
    expect(ended(cdkDeploy(account, own))).toEqual(['CREATE_COMPLETE']);
    expect(ended(deleteStack(account, 'Own'))).toEqual([undefined]);
  }
  expect(account.leftovers.map(({ type }) => type)).toEqual(Array(3).fill('AWS::Events::EventBus'));
});

test('a template above a quota is refused before anything changes', () => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`Topic${at}`, TOPIC]));
  const account = accountOf();
  const { refusals, status } = cdkDeploy(account, stackOf('Many', many));
  expect(status).toBeUndefined();
  expect(refusals.map(({ message }) => message)).toEqual(['501 resources, and CloudFormation takes at most 500']);
  const large = { ...TOPIC, Properties: { DisplayName: 'x'.repeat(1_000_000) } };
  expect(ended(cdkDeploy(account, stackOf('Large', { Topic: large })))).toEqual([undefined, 'limit']);
  expect(account.physical.size).toBe(0);
});

test('an output is read without an export, and then nothing keeps it from going', () => {
  const account = accountOf();
  const platform = (outputs = {}) => stackOf('Platform', { Bus: bus() }, { outputs });
  const orders = stackOf('Orders', {
    Topic: {
      ...TOPIC,
      Properties: { DisplayName: { 'Fn::GetStackOutput': { StackName: 'Platform', OutputName: 'Out' } } },
    },
  });
  expect(ended(cdkDeploy(account, orders))).toEqual(['ROLLBACK_COMPLETE', 'import-missing']);
  cdkDeployAll(account, [platform({ Out: { Value: { Ref: 'Bus' } } }), orders]);
  expect(account.resource('Orders', 'Topic').properties).toEqual({ DisplayName: 'shop' });
  expect(ended(cdkDeploy(account, platform()))).toEqual(['UPDATE_COMPLETE']);
});
