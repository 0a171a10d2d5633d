import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { OrderlyEnvironment } from '../../lib/environment.js';
import { executionPermissions, MANAGED_POLICIES } from '../../lib/execution-policy.js';
import { PipelineStack } from '../../lib/pipeline-stack.js';
import { settingsFor } from '../../lib/settings.js';
import { readPlannedResources } from '../../packages/operator/before/assembly.js';
import { judgeAccount } from '../../packages/operator/before/before.js';
import { assembly, DEV } from '../../tools/local/assembly.js';
import { ALL_STACKS, type Json, newApp, noCode } from '../support/environments.js';
import { prodAssembly } from '../support/simulation/assembly.js';

const GITHUB = 'token.actions.githubusercontent.com';
const PROVIDER = 'arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com';
const PROPS = { repository: 'example/orderly', app: 'orderly', environments: ['dev', 'prod'] };
const templateOf = (more: object = {}): Json =>
  Template.fromStack(new PipelineStack(new App(), 'Pipeline', { ...PROPS, ...more })).toJSON();
const template = templateOf();
const found = (type: string, { Resources }: Json = template): readonly (readonly [string, Json])[] =>
  Object.entries<Json>(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties]);
const role = (beginning: string): readonly [string, Json] =>
  found('AWS::IAM::Role').find(([id]) => id.startsWith(beginning)) ?? expect.fail(`no role ${beginning}`);
const statementsOf = (beginning: string): readonly Json[] => {
  const [id] = role(beginning);
  const policies = found('AWS::IAM::Policy').filter(([, { Roles }]) => Roles.some(({ Ref }: Json) => Ref === id));
  return policies.flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement);
};

/** Templates of the assemblies that are deployed. */
const templates = [assembly(DEV), prodAssembly()].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);
/** With every setting that the command line takes and that adds types of resources. */
const withSettings = newApp();
new OrderlyEnvironment(withSettings, 'prod', {
  settings: settingsFor('prod', { ...ALL_STACKS, canary: '10', traces: 'x-ray' }),
  bundles: { ...noCode, traces: true },
});
const deployed = new Set([
  ...templates.flatMap((text) => Object.values<Json>(JSON.parse(text).Resources).map(({ Type }) => Type as string)),
  ...withSettings
    .synth()
    .stacksRecursively.flatMap(({ template }) =>
      Object.values<Json>(template.Resources).map(({ Type }) => Type as string),
    ),
]);
/** Types of the setting `domain`, which is written into lib/settings.ts. */
const BY_SETTING = ['AWS::ApiGateway::BasePathMapping', 'AWS::ApiGateway::DomainName', 'AWS::Route53::RecordSet'];

/** Facts about stacks that `doctor --before` reads, beside the account. */
const OF_STACKS = ['cloudformation:GetTemplate', 'cloudformation:ListStackResources'];

/** Returns the permissions that `doctor --before` asks for if its caller has none. */
async function askedBefore(): Promise<readonly string[]> {
  const denied = () => Promise.reject(new Error('AccessDenied'));
  const facts = { concurrency: denied, eventQuotas: denied, apiRole: denied, backsUpDynamoDb: denied };
  const planned = readPlannedResources(prodAssembly(), 'orderly-prod-');
  const Name = 'orderly';
  const { json } = await judgeAccount(
    { app: 'orderly', environment: 'prod', endpoint: { region: 'eu-west-1' }, stacks: {} } as never,
    {
      planned: [...planned, { stack: 'Other', type: 'AWS::Events::EventBus', properties: { Name } } as never],
      deployed: [],
      // It is read before the account: a caller who may not look learns it then.
      statuses: new Map(),
      demand: undefined,
    },
    { ...facts, managementTrails: denied, parameterTypes: denied, hasBus: denied },
  );
  const told = JSON.stringify(json).match(/\b(?:\w+:(?:(?:Describe|Get|List)\w+|GET))\b/g) ?? [];
  return [...new Set([...told, 'cloudformation:DescribeStacks'])];
}

describe('the roles of the pipeline', () => {
  test.each([
    ['DeployDev', 'repo:example/orderly:environment:dev'],
    ['DeployProd', 'repo:example/orderly:environment:prod'],
    ['Compare', 'repo:example/orderly:ref:refs/heads/main'],
  ])('%s is assumed by tokens of one repository and %s only', (name, sub) => {
    const [, { AssumeRolePolicyDocument }] = role(name);
    expect(AssumeRolePolicyDocument.Statement).toHaveLength(1);
    expect(AssumeRolePolicyDocument.Statement[0]).toMatchObject({
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: { StringEquals: { [`${GITHUB}:aud`]: 'sts.amazonaws.com', [`${GITHUB}:sub`]: sub } },
    });
  });

  test('may assume roles of the bootstrap, and read what doctor --before asks; the one that compares can only look', async () => {
    const asked = await askedBefore();
    const assumedBy = (name: string) => {
      const [assume, ...reads] = statementsOf(name);
      expect([assume.Action, assume.Effect]).toEqual(['sts:AssumeRole', 'Allow']);
      const allowed = reads.flatMap(({ Action, Effect, NotAction }) => {
        expect([Effect, NotAction]).toEqual(['Allow', undefined]);
        return [Action].flat() as readonly string[];
      });
      expect(allowed.toSorted()).toEqual([...asked, ...OF_STACKS].toSorted());
      // An action with resources has those of the application, or the one page of settings.
      for (const { Action, Resource } of reads.filter((one) => one.Resource !== '*'))
        expect([Action, JSON.stringify(Resource)]).toEqual([Action, expect.stringMatching(/orderly-?\*|\/account"/)]);
      return [assume.Resource].flat().map((arn) => JSON.stringify(arn).match(/role\/cdk-orderly-([a-z-]+)-"/)?.[1]);
    };
    for (const name of ['DeployDev', 'DeployProd'])
      expect(assumedBy(name)).toEqual(['deploy-role', 'file-publishing-role', 'lookup-role']);
    expect(assumedBy('Compare')).toEqual(['lookup-role']);
    expect(found('AWS::IAM::Role').flatMap(([, { ManagedPolicyArns }]) => ManagedPolicyArns ?? [])).toEqual([]);
  });

  test('use the identity provider of the account, if it is named: AWS has one for a URL', () => {
    expect(found('AWS::IAM::OIDCProvider')).toHaveLength(1);
    const other = templateOf({ provider: PROVIDER });
    expect(found('AWS::IAM::OIDCProvider', other)).toEqual([]);
    expect(JSON.stringify(other)).toContain(PROVIDER);
  });

  test.each([['orderly'], ['example/*'], ['*'], [''], ['example/orderly:ref:x']])(
    'are refused for the repository "%s"',
    (repository) => expect(() => templateOf({ repository })).toThrow('expected one repository, owner/name, without *'),
  );

  test('are refused for an environment with another name than GitHub sends', () => {
    expect(() => templateOf({ environments: ['*'] })).toThrow('expected names such as dev or prod');
    expect(() => templateOf({ environments: [] })).toThrow('expected names such as dev or prod');
  });
});

describe('the policy of CloudFormation', () => {
  const permissions = executionPermissions('orderly');
  const [[, policy] = expect.fail('no policy')] = found('AWS::IAM::ManagedPolicy');
  const statements: readonly Json[] = policy.PolicyDocument.Statement;

  test('covers each type of resource that is deployed, and no other', () => {
    const covered = new Set(permissions.flatMap(({ types }) => types));
    covered.delete('every stack');
    const wanted = new Set([...deployed, ...BY_SETTING]);
    expect([...wanted].filter((type) => !covered.has(type))).toEqual([]);
    expect([...covered].filter((type) => !wanted.has(type))).toEqual([]);
  });

  test('is within the 6,144 characters of a managed policy', () => {
    const joined = JSON.stringify(statements, (_, value) =>
      value?.['Fn::Join']
        ? value['Fn::Join'][1].map((part: Json) => (typeof part === 'string' ? part : 'ap-southeast-2')).join('')
        : value,
    );
    expect(joined.length).toBeLessThan(6_144);
  });

  test('gives no access to items, messages, plain texts or users, and no service to itself', () => {
    const actions = statements.flatMap(({ Action }) => Action as string | string[]);
    const forbidden =
      /^(dynamodb:(Get|Put|Update|Delete|Batch)\w*Item|dynamodb:(Query|Scan)|sqs:(Send|Receive)Message|kms:(Decrypt|Encrypt)|iam:\w*(User|Group|AccessKey|LoginProfile|OpenID)|sts:|lambda:Invoke)/;
    expect(actions.filter((action) => forbidden.test(action) || /^[\w-]*:?\*$/.test(action))).toEqual([]);
    expect(statements.filter(({ Effect, NotAction }) => Effect !== 'Allow' || NotAction)).toEqual([]);
  });

  test('changes roles of the application only, and attaches the managed policies that its roles have', () => {
    const ofIam = statements.filter(({ Action }) => [Action].flat().some((action) => /^iam:.*Role/.test(action)));
    for (const { Resource } of ofIam) expect(JSON.stringify(Resource)).toMatch(/role\/(orderly-|aws-service-role\/)\*/);
    const attach = statements.find(({ Action }) => [Action].flat().includes('iam:AttachRolePolicy'));
    const attached = new Set(templates.flatMap((text) => text.match(/policy\/service-role\/\w+/g) ?? []));
    expect(attached).toEqual(new Set(MANAGED_POLICIES.map((name) => `policy/service-role/${name}`)));
    expect(JSON.stringify(attach.Condition.ArnLike['iam:PolicyARN']).match(/service-role\/\w+/g)).toHaveLength(2);
  });
});

test('the stack of the pipeline has no resource of an environment, so no deployment changes it', () => {
  const types = new Set(Object.values<Json>(template.Resources).map(({ Type }) => Type));
  expect(types).toEqual(
    new Set(['AWS::IAM::ManagedPolicy', 'AWS::IAM::OIDCProvider', 'AWS::IAM::Policy', 'AWS::IAM::Role']),
  );
});
