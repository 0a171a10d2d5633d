import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { rulePacks } from '../../lib/checks.js';
import { type Overrides, PLACEHOLDER_ISSUER } from '../../lib/settings.js';
import { addEnvironment, type Json, newApp, referenced, STACKS, stackOf, synthesized } from './support/environments.js';

const SANDBOX: Overrides = { paymentProvider: 'sandbox', allowSandbox: 'true' };
const dev = synthesized('dev');
const prod = synthesized('prod');

describe.each<[string, Overrides]>([
  ['dev', {}],
  ['prod', {}],
  ['prod', { alarmEmail: 'oncall@example.com' }],
  ['prod', SANDBOX],
])('%s %o', (environment, overrides) => {
  test('has no finding of the rule packs that is not acknowledged with a reason', () => {
    const { app } = synthesized(environment, overrides);
    for (const pack of rulePacks(app)) {
      const { violations } = pack.validateScope(app);
      expect(violations.map(({ ruleName, violatingResources }) => [ruleName, ...violatingResources])).toEqual([]);
    }
  });
});

test('an environment that keeps data and moves no money says so at synth', () => {
  const warnings = (overrides: Overrides) =>
    Annotations.fromStack(stackOf(synthesized('prod', overrides).stage, 'Payments')).findWarning('*', Match.anyValue());
  expect(warnings({})).toEqual([]);
  expect(JSON.stringify(warnings(SANDBOX))).toContain('no money is moved');
});

test('an environment with the placeholder issuer says so at synth', () => {
  const warnings = (overrides: Overrides) =>
    Annotations.fromStack(stackOf(synthesized('prod', overrides).stage, 'Platform')).findWarning(
      '*',
      Match.stringLikeRegexp("^the token issuer of 'prod' is the placeholder"),
    );
  expect(warnings({ issuer: 'https://login.example.com' })).toEqual([]);
  expect(warnings({})).toHaveLength(1);
});

describe('two environments', () => {
  test('fit into one account: nothing of one has a name of the other', () => {
    expect([...namesOf(dev)].filter((name) => namesOf(prod).has(name))).toEqual([]);
    const app = newApp();
    const [one, other] = [addEnvironment(app, 'dev'), addEnvironment(app, 'prod')];
    const stackNames = STACKS.flatMap((name) => [stackOf(one, name).stackName, stackOf(other, name).stackName]);
    expect(new Set(stackNames).size).toBe(14);
    expect(() => app.synth()).not.toThrow();
  });

  test('have no physical names but where CloudFormation insists on one, made by CDK', () => {
    const named = STACKS.flatMap((stack) => prod.resources(stack))
      .filter(({ type, properties }) => typeof properties[PHYSICAL_NAMES[type] ?? ''] === 'string')
      .map(({ type }) => type);
    expect(named.sort()).toEqual(['AWS::ApiGateway::RestApi', 'AWS::Events::EventBus']);
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

  test('of prod is a placeholder, which CloudFormation refuses by a rule', () => {
    const { value, refused, says } = ruleOf(prod);
    expect(value).toBe(PLACEHOLDER_ISSUER);
    expect(refused).toBe(PLACEHOLDER_ISSUER);
    expect(says).toContain('lib/settings.ts');
  });

  test('that is configured passes, under a parameter of another name: a deployment keeps old values', () => {
    const configured = ruleOf(synthesized('prod', { issuer: 'https://login.example.com' }));
    expect(configured.value).toBe('https://login.example.com');
    expect(configured.refused).toBe(PLACEHOLDER_ISSUER);
    expect(configured.parameter).not.toBe(ruleOf(prod).parameter);
  });

  test('reaches every function behind the API, and no other', () => {
    const issuer = 'https://login.example.com';
    const jwks = '{"keys":[{"kty":"OKP","kid":"k1"}]}';
    const told = synthesized('prod', { issuer, audience: 'shop', jwks, allowInlineJwks: 'true' })
      .everywhere('AWS::Lambda::Function')
      .filter(({ properties }) => properties.Environment.Variables.JWT_ISSUER !== undefined);
    expect(told).toHaveLength(21);
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
  test('keeps what crossed the bus, for as long as the environment says', () => {
    const archive = (environment: typeof dev) => environment.resources('Platform', 'AWS::Events::Archive')[0];
    expect(archive(dev)).toMatchObject({ properties: { RetentionDays: 3 } });
    expect(archive(prod)).toMatchObject({
      properties: { RetentionDays: 90 },
      attributes: { DeletionPolicy: 'Retain' },
    });
  });

  test('takes no event onto the bus but those of its services', () => {
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

  test('has a dashboard that names no resource of a service', () => {
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

/** Which property gives a resource its name in the account; others' names are made by CloudFormation. */
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
