import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { rulePacks } from '../../lib/checks.js';
import { type Overrides, PLACEHOLDER_ISSUER } from '../../lib/settings.js';
import { type Json, referenced, STACKS, stackOf, synthesized } from '../support/environments.js';

const SANDBOX: Overrides = { paymentProvider: 'sandbox', allowSandbox: 'true' };
const CONFIGURED = {
  issuer: 'https://login.example.com',
  audience: 'shop',
  jwks: '{"keys":[{"kty":"OKP","kid":"k1"}]}',
  allowInlineJwks: 'true',
} as const satisfies Overrides;
const dev = synthesized('dev');
const prod = synthesized('prod');

// The packs also check dev, and prod with the sandbox and an address for alarms, when their assemblies are made.
test('prod has no finding of the rule packs without an acknowledgement and its reason', () => {
  for (const pack of rulePacks(prod.app)) {
    const { violations } = pack.validateScope(prod.app);
    expect(violations.map(({ ruleName, violatingResources }) => [ruleName, ...violatingResources])).toEqual([]);
  }
});

test('synth warns of an environment that keeps data but moves no money', () => {
  const warnings = (overrides: Overrides) =>
    Annotations.fromStack(stackOf(synthesized('prod', overrides).stage, 'Payments')).findWarning('*', Match.anyValue());
  expect(warnings({})).toEqual([]);
  expect(JSON.stringify(warnings(SANDBOX))).toContain('no money is moved');
});

test('synth warns of an environment with the placeholder issuer', () => {
  const warnings = (overrides: Overrides) =>
    Annotations.fromStack(stackOf(synthesized('prod', overrides).stage, 'Platform')).findWarning(
      '*',
      Match.stringLikeRegexp("^the token issuer of 'prod' is the placeholder"),
    );
  expect(warnings(CONFIGURED)).toEqual([]);
  expect(warnings({})).toHaveLength(1);
});

describe('two environments', () => {
  test('fit into one account, since they share no name', () => {
    expect([...namesOf(dev)].filter((name) => namesOf(prod).has(name))).toEqual([]);
    const stackNames = STACKS.flatMap((name) => [stackOf(dev.stage, name), stackOf(prod.stage, name)]).map(
      ({ stackName }) => stackName,
    );
    expect(new Set(stackNames).size).toBe(2 * STACKS.length);
  });

  test('physical names that are the same in each deployment exist only if CloudFormation requires one', () => {
    const named = STACKS.flatMap((stack) => prod.resources(stack))
      .filter(({ type, properties }) => typeof properties[PHYSICAL_NAMES[type] ?? ''] === 'string')
      .map(({ type }) => type);
    expect(named.sort()).toEqual(['AWS::ApiGateway::RestApi']);
  });
});

describe('the token issuer', () => {
  const ruleOf = (environment: ReturnType<typeof synthesized>) => {
    const { Rules, Parameters } = environment.template('Platform');
    const [{ Assert, AssertDescription }] = Rules.IssuerIsConfigured.Assertions;
    const [{ 'Fn::Equals': operands }] = Assert['Fn::Not'];
    const [{ Ref: parameter }, refused] = operands;
    return { value: Parameters[parameter].Default, parameter, refused, says: AssertDescription as string };
  };

  test('the token issuer of prod is a placeholder, which CloudFormation refuses by a rule', () => {
    const { value, refused, says } = ruleOf(prod);
    expect(value).toBe(PLACEHOLDER_ISSUER);
    expect(refused).toBe(PLACEHOLDER_ISSUER);
    expect(says).toContain('lib/settings.ts');
  });

  test('a configured issuer is accepted, with another parameter name, since a deployment keeps old values', () => {
    const configured = ruleOf(synthesized('prod', CONFIGURED));
    expect(configured.value).toBe('https://login.example.com');
    expect(configured.refused).toBe(PLACEHOLDER_ISSUER);
    expect(configured.parameter).not.toBe(ruleOf(prod).parameter);
  });

  test('reaches every function behind the API, and no other', () => {
    const { issuer, jwks } = CONFIGURED;
    const told = synthesized('prod', CONFIGURED)
      .everywhere('AWS::Lambda::Function')
      .filter(({ properties }) => properties.Environment.Variables.JWT_ISSUER !== undefined);
    expect(told).toHaveLength(49);
    for (const { properties } of told) {
      expect(properties.Environment.Variables).toMatchObject({
        JWT_ISSUER: issuer,
        JWT_AUDIENCE: 'shop',
        JWT_JWKS: jwks,
        JWT_ROLE_CLAIM: 'orderly_role',
        JWT_MAX_LIFETIME_SECONDS: '86400',
      });
    }
  });
});

describe('the platform', () => {
  test("archives the bus's events for the environment's time", () => {
    const archive = (environment: typeof dev) => environment.resources('Platform', 'AWS::Events::Archive')[0];
    expect(archive(dev)).toMatchObject({ properties: { RetentionDays: 3 } });
    expect(archive(prod)).toMatchObject({
      properties: { RetentionDays: 90 },
      attributes: { DeletionPolicy: 'RetainExceptOnCreate' },
    });
  });

  test('accepts only events of its services on the bus', () => {
    const [policy, ...others] = prod.resources('Platform', 'AWS::Events::EventBusPolicy');
    expect(others).toEqual([]);
    const [bus] = prod.resources('Platform', 'AWS::Events::EventBus');
    expect(referenced(policy?.properties.EventBusName)).toBe(bus?.id);
    const { Statement } = policy?.properties ?? {};
    expect(referenced(Statement.Resource)).toBe(bus?.id);
    expect(Statement).toMatchObject({
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'events:PutEvents',
      Condition: { 'ForAnyValue:StringNotLike': { 'events:source': 'orderly.*' } },
    });
  });

  test('the platform has a dashboard that names no resource of a service', () => {
    const [dashboard] = prod.resources('Platform', 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(dashboard?.properties.DashboardBody);
    expect(body).toContain('orderly prod');
    expect(body).toContain('Orderly/prod,service');
    expect(body).not.toContain('ImportValue');
  });

  test('protects the stacks of prod from being deleted', () => {
    for (const name of STACKS) {
      expect(stackOf(prod.stage, name).terminationProtection).toBe(true);
      expect(stackOf(dev.stage, name).terminationProtection).toBe(false);
    }
  });
});

/** Properties that give a resource its physical name. CloudFormation generates the other names. */
const PHYSICAL_NAMES: Readonly<Record<string, string>> = {
  'AWS::Backup::BackupVault': 'BackupVaultName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::CompositeAlarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::Rule': 'Name',
  'AWS::Events::EventBus': 'Name',
  'AWS::ApiGateway::RestApi': 'Name',
  'AWS::WAFv2::WebACL': 'Name',
};

function namesOf(environment: typeof dev): ReadonlySet<Json> {
  const given = STACKS.flatMap((stack) => environment.resources(stack)).flatMap(
    ({ type, properties }) => properties[PHYSICAL_NAMES[type] ?? ''] ?? [],
  );
  const exported = STACKS.flatMap((stack) =>
    Object.values<Json>(environment.template(stack).Outputs ?? {}).flatMap((output) => output.Export?.Name ?? []),
  );
  return new Set([...given, ...exported]);
}
