import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { joinName, nameWithStackId } from '../../packages/kit/base/physical-names.js';
import { developmentSettings, type EnvironmentSettings } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { resolve, type Json as TemplateJson } from '../../packages/simulator/assembly/intrinsics.js';
import { type Json, noCode, STACKS, synthesized } from '../support/environments.js';

const prod = synthesized('prod');
const dev = synthesized('dev');
const everything = (environment: typeof prod) =>
  STACKS.flatMap((stack) => environment.resources(stack).map((resource) => ({ stack, ...resource })));

const STACK_ID = 'arn:aws:cloudformation:eu-west-1:123456789012:stack/a/1a2b3c4d-0000-11f0-8000-0a0a0a0a0a0a';
/** Returns a value of a template as CloudFormation resolves it in a stack with this id. */
const resolveIn = (stackId: string, value: Json): unknown => {
  const unknown = (): never => {
    throw new Error('this value contains a reference that the test does not know');
  };
  return resolve(value as TemplateJson, {
    ref: (name) => (name === 'AWS::StackId' ? stackId : unknown()),
    attribute: unknown,
    imported: unknown,
    stackOutput: unknown,
    condition: unknown,
    mapping: unknown,
  });
};

const kept: EnvironmentSettings = {
  ...developmentSettings({
    app: { name: 'tickets', roles: ['agent'] },
    auth: { issuer: 'https://login.example.com', audience: 'tickets' },
  }),
  environment: 'test',
  keepsData: true,
  failureTexts: 'safe',
  logRetention: RetentionDays.ONE_WEEK,
  backup: { retention: Duration.days(7) },
};

const deskWith = (settings: EnvironmentSettings): Stack => {
  const stack = new Stack(new App(), 'Desk', stackProps(settings, 'Desk', 'all of it'));
  const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings });
  new Service(stack, 'Desk', { settings, bundles: noCode, bus, alarmTopic, name: 'desk' });
  return stack;
};

describe('what an environment retains', () => {
  test('is deleted when the creation of its stack is rolled back, so that the deployment can be repeated', () => {
    const retained = everything(prod).filter(({ attributes }) => /^Retain/.test(attributes.DeletionPolicy ?? ''));
    expect(retained.length).toBeGreaterThan(50);
    // The account's setting names this role, and another environment may write its log by it.
    const shared = retained.filter(
      ({ type, attributes }) => attributes.DeletionPolicy === 'Retain' && type !== 'AWS::SQS::QueuePolicy',
    );
    expect(shared.map(({ stack, type }) => `${stack} ${type}`)).toEqual([
      'Api AWS::IAM::Role',
      'Api AWS::ApiGateway::Account',
    ]);
    for (const { attributes } of retained) expect(attributes.UpdateReplacePolicy).toBe('Retain');
    // A queue takes its policy along.
    expect(retained.filter(({ type }) => type === 'AWS::SQS::Queue')).toEqual([]);
  });

  test('has a name that no earlier stack has retained, if it has a name at all', () => {
    const NAMES = ['Name', 'ArchiveName', 'BackupVaultName', 'LogGroupName', 'TableName', 'BucketName'];
    const named = everything(prod)
      .filter(({ attributes }) => /^Retain/.test(attributes.DeletionPolicy ?? ''))
      .flatMap(({ type, properties }) => NAMES.flatMap((name) => (properties[name] ? [[type, properties[name]]] : [])));
    expect(named.map(([type]) => type).toSorted()).toEqual([
      'AWS::Backup::BackupVault',
      'AWS::Events::Archive',
      'AWS::Events::EventBus',
      'AWS::Logs::LogGroup',
    ]);
    const other = STACK_ID.replace('1a2b3c4d', '5e6f7a8b');
    for (const [type, name] of named) {
      expect(resolveIn(STACK_ID, name), type).not.toBe(resolveIn(other, name));
      expect(resolveIn(STACK_ID, name), type).toContain('1a2b3c4d');
    }
  });

  test('the bus and its archive are named after the environment', () => {
    const nameIn = (environment: typeof prod, type: string, name: string) =>
      resolveIn(STACK_ID, environment.resources('Platform', type)[0]?.properties[name]);
    expect(nameIn(prod, 'AWS::Events::EventBus', 'Name')).toBe('orderly-prod-1a2b3c4d');
    expect(nameIn(prod, 'AWS::Events::Archive', 'ArchiveName')).toBe('orderly-prod-1a2b3c4d');
    expect(nameIn(dev, 'AWS::Events::Archive', 'ArchiveName')).toBe('orderly-dev');
  });
});

describe('physical names', () => {
  const longest = ['a'.repeat(32), 'environment-with-a-long-name', 'Platform'];

  test.each([48, 50, 256])('names with a stack id have at most %i characters', (most) => {
    const name = String(resolveIn(STACK_ID, new Stack().resolve(nameWithStackId(longest, most))));
    expect(name.length).toBeLessThanOrEqual(most);
    expect(name.endsWith('-1a2b3c4d')).toBe(true);
  });

  test('long names that differ at their end stay different', () => {
    expect(joinName(longest, 48)).toHaveLength(48);
    expect(joinName([...longest.slice(0, 2), 'Other'], 48)).not.toBe(joinName(longest, 48));
  });

  test('leave out empty parts', () => expect(joinName(['shop', 'dev', ''], 48)).toBe('shop-dev'));
});

describe('protection from deletion', () => {
  const protectionIn = (stack: Stack) =>
    Object.values<Json>(Template.fromStack(stack).findResources('AWS::DynamoDB::GlobalTable')).map(
      ({ Properties, DeletionPolicy }) => [Properties.Replicas[0].DeletionProtectionEnabled, DeletionPolicy],
    );
  const warningsOf = (stack: Stack) =>
    Annotations.fromStack(stack)
      .findWarning('*', Match.stringLikeRegexp('not protected from deletion'))
      .map(({ entry }) => String(entry.data));

  test('is on by default, for tables and stacks of an environment that keeps data', () => {
    const stack = deskWith(kept);
    expect(stack.terminationProtection).toBe(true);
    expect(protectionIn(stack)).toEqual(Array(3).fill([true, 'RetainExceptOnCreate']));
    expect(warningsOf(stack)).toEqual([]);
  });

  test('is off for a first deployment, which a warning says, and data is retained nevertheless', () => {
    const stack = deskWith({ ...kept, protection: 'off' });
    expect(stack.terminationProtection).toBe(false);
    expect(protectionIn(stack)).toEqual(Array(3).fill([false, 'RetainExceptOnCreate']));
    expect(warningsOf(stack)).toHaveLength(1);
    expect(warningsOf(stack)[0]).toContain("deploy again with protection 'on'");
  });

  test('nothing else differs between the first deployment and the second', () => {
    const [first, second] = (['off', 'on'] as const).map((protection) =>
      JSON.stringify(Template.fromStack(deskWith({ ...kept, protection })).toJSON()),
    );
    expect(first?.replaceAll('"DeletionProtectionEnabled":false', '"DeletionProtectionEnabled":true')).toBe(second);
  });

  test('is a context of the app, and other values are refused', () => {
    expect(settingsFor('prod').protection).toBe('on');
    expect(settingsFor('prod', { protection: 'off' }).protection).toBe('off');
    const wrong = { protection: 'none' } as never;
    expect(() => settingsFor('prod', wrong)).toThrow(
      "protection is 'none': expected off for a first deployment, or nothing",
    );
  });
});
