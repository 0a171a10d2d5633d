import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AccountFacts } from '../../../packages/operator/before/account.js';
import { readPlannedResources } from '../../../packages/operator/before/assembly.js';
import { judgeAccount, runBefore } from '../../../packages/operator/before/before.js';

const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
afterAll(() => rmSync(folder, { recursive: true }));
const stack = (stackName: string) => ({
  type: 'aws:cloudformation:stack',
  properties: { stackName, templateFile: 'halls.json' },
});
const artifacts = { a: stack('shop-prod-Halls'), b: stack('shop-dev-Halls'), c: { type: 'cdk:asset-manifest' } };
writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
writeFileSync(
  join(folder, 'halls.json'),
  JSON.stringify({
    Resources: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } },
      Relay: { Type: 'AWS::Lambda::Function', Properties: { ReservedConcurrentExecutions: 40 } },
      Topic: { Type: 'AWS::SNS::Topic' },
    },
  }),
);

const context = {
  app: 'shop',
  environment: 'prod',
  endpoint: { url: undefined, region: 'eu-west-1' },
  stacks: {},
};
const WELL: Omit<AccountFacts, 'close'> = {
  concurrency: async () => ({ limit: 1_000, unreserved: 1_000 }),
  eventQuotas: async () => new Map([['L-5540C5E3', 20_000]]),
  apiRole: async () => undefined,
  backsUpDynamoDb: async () => true,
  managementTrails: async () => [],
  parameterTypes: async () => new Map(),
  hasBus: async () => false,
};
const demand = { what: 'orders', perSecond: 400, invocations: 25, putEvents: 15, setting: (fits: number) => `${fits}` };
const subscription = { stack: 'Halls', logicalId: 'S', type: 'AWS::SNS::Subscription', properties: {} };

/** Judges the account with these facts, for templates that somebody subscribes to. */
const judge = (facts: Partial<typeof WELL> = {}, more: object = {}) =>
  judgeAccount(
    { ...context, ...more },
    {
      planned: [...readPlannedResources(folder, 'shop-prod-'), subscription],
      deployed: [],
      statuses: new Map(),
      demand,
    },
    { ...WELL, ...facts },
  );
const checksOf = ({ json }: { readonly json: Readonly<Record<string, unknown>> }) =>
  (json.findings as readonly { readonly check: string }[]).map(({ check }) => check);

describe('doctor --before', () => {
  test('reads the resources of the stacks of one environment from a cloud assembly', () => {
    const found = readPlannedResources(folder, 'shop-prod-');
    expect(found.map(({ stack: name, logicalId, type }) => [name, logicalId, type])).toEqual([
      ['Halls', 'Bus', 'AWS::Events::EventBus'],
      ['Halls', 'Relay', 'AWS::Lambda::Function'],
      ['Halls', 'Topic', 'AWS::SNS::Topic'],
    ]);
  });

  test.each([
    ['/nowhere', 'shop-prod-', 'No cloud assembly in'],
    [folder, 'shop-test-', "has no stack whose name begins with 'shop-test-'"],
  ])('refuses an assembly in %s without stacks of %s', (place, prefix, message) => {
    expect(() => readPlannedResources(place, prefix)).toThrow(message);
  });

  test('ends with 0 if the account has what the templates need', async () => {
    const outcome = await judge();
    expect([outcome.exitCode, checksOf(outcome)]).toEqual([0, []]);
    expect(outcome.text).toMatch(/^WELL: the account has what the templates need/);
  });

  test('ends with 1 if the account has less, with what to do', async () => {
    const outcome = await judge({
      concurrency: async () => ({ limit: 10, unreserved: 10 }),
      eventQuotas: async () => new Map([['L-5540C5E3', 1_100]]),
      hasBus: async () => true,
    });
    expect([outcome.exitCode, checksOf(outcome)]).toEqual([1, ['concurrency', 'events', 'name']]);
    expect(outcome.text).toContain("this account's quota");
  });

  test('asks for no name whose stack is deployed', async () => {
    expect(checksOf(await judge({ hasBus: async () => true }, { stacks: { Halls: {} } }))).toEqual([]);
  });

  test('takes the defaults of the region if Service Quotas refuses, and says so', async () => {
    const refused = async () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' }));
    const outcome = await judge({ eventQuotas: refused }, { endpoint: { url: undefined, region: 'eu-north-1' } });
    expect(checksOf(outcome)).toEqual(['events', 'events']);
    expect(outcome.text).toContain("AWS's default of 2026-11-29");
    expect(outcome.json.unchecked).toMatchObject([{ check: "EventBridge's quotas" }]);
  });

  test('a refused check is a finding that names the permission', async () => {
    const outcome = await judge({
      concurrency: () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' })),
    });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.text).toContain("concurrency of AWS Lambda can't be checked (AccessDeniedException)");
    expect(outcome.text).toContain('allow the caller lambda:GetAccountSettings');
  });

  test('is refused at an emulator, which has no quotas', async () => {
    const atEmulator = { ...context, endpoint: { url: 'http://127.0.0.1:4566', region: 'eu-west-1' } };
    await expect(runBefore(atEmulator, { assembly: folder })).rejects.toThrow('an emulator has none');
  });
});
