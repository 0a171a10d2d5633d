import { App, CfnOutput, CfnResource, Stack } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnBackupVault } from 'aws-cdk-lib/aws-backup';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { Archive, CfnArchive, CfnEventBus, CfnRule, EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, CfnManagedPolicy, CfnPolicy, CfnRole, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, Queue, QueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { checkLimits } from '../../packages/kit/base/check-limits.js';
import { nameWithStackId } from '../../packages/kit/base/physical-names.js';
import { ServiceFunction } from '../../packages/kit/base/service-function.construct.js';
import { developmentSettings } from '../../packages/kit/base/settings.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { noCode, synthesized } from '../support/environments.js';

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Returns the errors of an app with one stack. */
function errorsOf(declare: (stack: Stack) => void, region?: string): readonly string[] {
  const app = new App();
  const stack = new Stack(app, 'Shop', region === undefined ? {} : { env: { account: '111111111111', region } });
  checkLimits(stack);
  declare(stack);
  return app.node.validate();
}

const rule = (stack: Stack, types: readonly string[], bus?: EventBus, id = 'Rule') =>
  new Rule(stack, id, {
    ...(bus && { eventBus: bus }),
    eventPattern: { source: ['shop.orders'], detailType: [...types] },
  });
const statement = (at: number, length = 1) =>
  new PolicyStatement({
    principals: [new AccountPrincipal('111111111111')],
    actions: ['sqs:SendMessage'],
    resources: [`arn:aws:sqs:eu-west-1:111111111111:${at}${'x'.repeat(length)}`],
  });
const document = (characters: number) => ({
  Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${'x'.repeat(characters)}` }],
});
const archive = (stack: Stack, archiveName: string) =>
  new Archive(stack, 'Archive', {
    archiveName,
    sourceEventBus: EventBus.fromEventBusName(stack, 'Bus', 'shop'),
    eventPattern: { source: ['shop'] },
  });

describe('synth refuses what AWS would refuse in the middle of a deployment', () => {
  test.each<[what: string, declare: (stack: Stack) => void, error: RegExp]>([
    [
      'a name that is too long',
      (stack) => archive(stack, 'x'.repeat(49)),
      /^Shop\/Archive\/Archive has 49 characters of its archiveName: expected at most 48 .*shorter app\.name/,
    ],
    [
      'a name that is too long with its stack’s id',
      (stack) => archive(stack, nameWithStackId(['x'.repeat(60)], 60)),
      /^Shop\/Archive\/Archive has 60 characters of its archiveName: expected at most 48/,
    ],
    [
      'an event pattern',
      (stack) =>
        rule(
          stack,
          many(100, (at) => `SomethingHappened${at}`),
        ),
      /^Shop\/Rule\/Resource has \d+ characters of its event pattern: expected at most 2048 \(Amazon EventBridge quotas\)/,
    ],
    [
      'statements of a queue’s policy',
      (stack) => {
        const policy = new QueuePolicy(stack, 'Policy', { queues: [new Queue(stack, 'Queue')] });
        for (let at = 0; at < 21; at++) policy.document.addStatements(statement(at));
      },
      /^Shop\/Policy\/Resource has 21 statements of its policy: expected at most 20 \(Amazon SQS policy quotas\)/,
    ],
    [
      'conditions of a queue’s policy',
      (stack) => {
        const policy = new QueuePolicy(stack, 'Policy', { queues: [new Queue(stack, 'Queue')] });
        for (let at = 0; at < 11; at++) {
          const only = statement(at);
          only.addCondition('StringEquals', { 'aws:SourceArn': `rule ${at}` });
          policy.document.addStatements(only);
        }
      },
      /^Shop\/Policy\/Resource has 11 conditions of its policy: expected at most 10 \(Amazon SQS policy quotas\)/,
    ],
    [
      'bytes of a queue’s policy',
      (stack) => {
        const policy = new QueuePolicy(stack, 'Policy', { queues: [new Queue(stack, 'Queue')] });
        policy.document.addStatements(statement(0, 9_000));
      },
      /^Shop\/Policy\/Resource has 9\d{3} bytes of its policy: expected at most 8192/,
    ],
    [
      'the policies of one role together',
      (stack) => {
        for (const id of ['One', 'Two']) {
          new CfnPolicy(stack, id, { policyName: id, roles: ['worker'], policyDocument: document(5_200) });
        }
      },
      /^role Shop "worker" has 10\d{3} characters of its own policies: expected at most 10240/,
    ],
    [
      'a managed policy',
      (stack) => new CfnManagedPolicy(stack, 'Policy', { policyDocument: document(6_144) }),
      /^Shop\/Policy has 6\d{3} characters of its policy: expected at most 6144/,
    ],
    [
      'a trust policy',
      (stack) => new CfnRole(stack, 'Role', { assumeRolePolicyDocument: document(2_048) }),
      /^Shop\/Role has 2\d{3} characters of its trust policy: expected at most 2048/,
    ],
    [
      'managed policies of a role',
      (stack) =>
        new CfnRole(stack, 'Role', {
          assumeRolePolicyDocument: {},
          managedPolicyArns: many(11, (at) => `arn:aws:iam::111111111111:policy/${at}`),
        }),
      /^Shop\/Role has 11 managed policies: expected at most 10/,
    ],
    [
      'layers of a function',
      (stack) => new CfnFunction(stack, 'Function', { code: {}, role: 'worker', layers: many(6, String) }),
      /^Shop\/Function has 6 layers: expected at most 5/,
    ],
    [
      'filters of an event source mapping',
      (stack) =>
        new CfnEventSourceMapping(stack, 'Mapping', {
          functionName: 'worker',
          filterCriteria: { filters: many(6, (at) => ({ pattern: `{"a":[${at}]}` })) },
        }),
      /^Shop\/Mapping has 6 filters: expected at most 5/,
    ],
    [
      'indexes of a table',
      (stack) =>
        new CfnGlobalTable(stack, 'Table', {
          attributeDefinitions: [],
          keySchema: [],
          replicas: [],
          globalSecondaryIndexes: many(21, (at) => ({ indexName: `${at}`, keySchema: [], projection: {} })),
        }),
      /^Shop\/Table has 21 global secondary indexes: expected at most 20/,
    ],
    [
      'a description of an alarm',
      (stack) =>
        new CfnAlarm(stack, 'Alarm', {
          comparisonOperator: 'GreaterThanThreshold',
          evaluationPeriods: 1,
          alarmDescription: 'x'.repeat(1_025),
        }),
      /^Shop\/Alarm has 1025 characters of its description: expected at most 1024 .*app\.runbook/,
    ],
    [
      'outputs of a stack',
      (stack) => {
        for (let at = 0; at < 201; at++) new CfnOutput(stack, `Output${at}`, { value: 'x' });
      },
      /^Shop has 201 outputs: expected at most 200 \(CloudFormation quotas\)\. To have fewer, divide the stack/,
    ],
    [
      'paths of an API',
      (stack) => {
        const api = new RestApi(stack, 'Api');
        for (let at = 0; at < 301; at++) api.root.addResource(`path${at}`);
      },
      /^API of Shop .*"Api.* has 301 paths: expected at most 300/,
    ],
  ])('%s', (_, declare, error) => {
    const errors = errorsOf(declare);
    expect(errors).toEqual([expect.stringMatching(error)]);
  });

  const any = 'arn:aws:iam::111111111111:role/any';
  test.each<[property: string, most: number, declare: (stack: Stack, name: string) => CfnResource]>([
    ['backupVaultName', 50, (stack, backupVaultName) => new CfnBackupVault(stack, 'One', { backupVaultName })],
    [
      'alarmName',
      255,
      (stack, alarmName) => new CfnAlarm(stack, 'One', { comparisonOperator: 'x', evaluationPeriods: 1, alarmName }),
    ],
    [
      'tableName',
      255,
      (stack, tableName) =>
        new CfnGlobalTable(stack, 'One', { attributeDefinitions: [], keySchema: [], replicas: [], tableName }),
    ],
    ['archiveName', 48, (stack, archiveName) => new CfnArchive(stack, 'One', { sourceArn: any, archiveName })],
    ['name', 256, (stack, name) => new CfnEventBus(stack, 'One', { name })],
    ['name', 64, (stack, name) => new CfnRule(stack, 'One', { name })],
    ['roleName', 64, (stack, roleName) => new CfnRole(stack, 'One', { assumeRolePolicyDocument: {}, roleName })],
    ['functionName', 64, (stack, functionName) => new CfnFunction(stack, 'One', { code: {}, role: any, functionName })],
    ['logGroupName', 512, (stack, logGroupName) => new CfnLogGroup(stack, 'One', { logGroupName })],
    ['bucketName', 63, (stack, bucketName) => new CfnBucket(stack, 'One', { bucketName })],
    ['topicName', 256, (stack, topicName) => new CfnTopic(stack, 'One', { topicName })],
    ['queueName', 80, (stack, queueName) => new CfnQueue(stack, 'One', { queueName })],
  ])('%s above %i characters, and takes one of that length', (property, most, declare) => {
    const errors = (length: number) => errorsOf((stack) => void declare(stack, 'x'.repeat(length)));
    expect(errors(most)).toEqual([]);
    expect(errors(most + 1)).toEqual([
      expect.stringContaining(`Shop/One has ${most + 1} characters of its ${property}: expected at most ${most} `),
    ]);
  });

  test('more than five targets of a rule', () => {
    const errors = (count: number) =>
      errorsOf(
        (stack) => void new CfnRule(stack, 'Rule', { targets: many(count, (at) => ({ id: `${at}`, arn: any })) }),
      );
    expect(errors(5)).toEqual([]);
    expect(errors(6)).toEqual([expect.stringContaining('Shop/Rule has 6 targets: expected at most 5 ')]);
  });

  test('rules of a bus, of which it has fewer in some regions, over all stacks', () => {
    const rules = (count: number) => (stack: Stack) => {
      const bus = new EventBus(stack, 'Bus');
      const other = new Stack(stack.node.root as App, 'Other', {
        env: { account: stack.account, region: stack.region },
      });
      for (let at = 0; at < count; at++) rule(at % 2 === 0 ? stack : other, ['Sold'], bus, `Rule${at}`);
    };
    const expected = (most: number) => [
      expect.stringContaining(
        `bus Shop/Bus/Resource has ${most + 1} rules: expected at most ${most} (Amazon EventBridge quotas, adjustable)`,
      ),
    ];
    expect(errorsOf(rules(301), 'eu-west-1')).toEqual(expected(300));
    expect(errorsOf(rules(300), 'eu-west-1')).toEqual([]);
    expect(errorsOf(rules(101), 'eu-south-1')).toEqual(expected(100));
  });

  test('resources of a stack, which the CDK itself counts when it writes the template', () => {
    const app = new App();
    const stack = new Stack(app, 'Shop');
    for (let at = 0; at < 501; at++) new CfnResource(stack, `Resource${at}`, { type: 'AWS::SNS::Topic' });
    expect(() => app.synth()).toThrow(
      /Number of resources in stack 'Shop': 501 is greater than allowed maximum of 500/,
    );
  });

  test('nothing of a role’s grants, since the CDK moves to managed policies what its own has no room for', () => {
    const errors = errorsOf((stack) => {
      const role = new Role(stack, 'Role', { assumedBy: new AccountPrincipal('111111111111') });
      for (let at = 0; at < 60; at++) {
        role.addToPolicy(
          new PolicyStatement({ actions: ['s3:GetObject'], resources: [`arn:aws:s3:::${at}${'x'.repeat(200)}`] }),
        );
      }
      (stack.node.root as App).synth();
    });
    expect(errors).toEqual([]);
  });
});

test('each app of the kit is checked, at its synth', () => {
  const settings = developmentSettings({
    app: { name: 'shop', roles: ['agent'] },
    auth: { issuer: 'https://login.example.com', audience: 'shop' },
  });
  const parts: readonly ((stack: Stack) => void)[] = [
    (stack) => new Platform(stack, 'Platform', { settings }),
    (stack) =>
      new ServiceFunction(stack, 'Worker', {
        context: { service: 'shop', settings, bundles: noCode },
        entry: 'worker',
      }),
  ];
  for (const declare of parts) {
    const app = new App();
    const stack = new Stack(app, 'Shop');
    declare(stack);
    new Queue(stack, 'Queue', { queueName: 'x'.repeat(81) });
    expect(() => app.synth()).toThrow('Shop/Queue/Resource has 81 characters of its queueName: expected at most 80');
  }
});

test('an environment that keeps data is within all limits', () => {
  expect(synthesized('prod').app.node.validate()).toEqual([]);
});
