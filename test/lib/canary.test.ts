import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { settingsFor } from '../../lib/settings.js';
import type { CanarySettings } from '../../packages/kit/base/canary-settings.js';
import { LIVE_ALIAS } from '../../packages/kit/base/outputs.js';
import { developmentSettings, SettingsError } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import { Api } from '../../packages/kit/http/api.construct.js';
import { subscribe } from '../../packages/kit/messages/subscriptions.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { type Json, noCode } from '../support/environments.js';

const event = { version: 1, data: z.object({ title: z.string() }) };
const contract = { service: 'desk', events: { TicketOpened: event } };

/** Synthesizes a service with an endpoint and a consumer, and an API in a stack of its own. */
function synthesizeDesk(canary?: CanarySettings): { readonly desk: Template; readonly api: Template } {
  const settings = developmentSettings({
    app: { name: 'tickets', roles: ['visitor'] },
    auth: { issuer: 'https://login.example.com', audience: 'tickets' },
    ...(canary && { canary }),
  });
  const app = new App();
  const stack = new Stack(app, 'Desk', stackProps(settings, 'Desk', 'the desk'));
  const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings });
  const common = { settings, bundles: noCode, bus, alarmTopic };
  const service = new Service(stack, 'Desk', { ...common, name: 'desk' });
  service.addEndpoint('Open', { method: 'POST', path: '/tickets' }, 'open');
  service.addConsumer('Assign', { name: 'assign', subscribesTo: [subscribe(contract, ['TicketOpened'])] });
  const outside = new Stack(app, 'Outside', stackProps(settings, 'Outside', 'its API'));
  new Api(outside, 'Api', { ...common, services: [service] });
  return { desk: Template.fromStack(stack), api: Template.fromStack(outside) };
}

const canary = synthesizeDesk({ minutes: 10 });
const plain = synthesizeDesk();

const idOf = (template: Template, type: string, startsWith: string): string => {
  const ids = Object.keys(template.findResources(type)).filter((id) => id.startsWith(startsWith));
  expect(ids).toHaveLength(1);
  return ids[0] ?? '';
};

describe('a progressive deployment', () => {
  test.each(['DeskOpen', 'DeskOnAssign'])(
    'moves the calls of %s by CodeDeploy, and takes a faulty release back',
    (name) => {
      const { desk } = canary;
      const [lambda, alarm, group] = [
        idOf(desk, 'AWS::Lambda::Function', name),
        idOf(desk, 'AWS::CloudWatch::Alarm', `${name}CanaryFaults`),
        idOf(desk, 'AWS::CodeDeploy::DeploymentGroup', name),
      ];
      desk.hasResource('AWS::Lambda::Alias', {
        Properties: { FunctionName: { Ref: lambda }, Name: LIVE_ALIAS },
        UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: group } } },
      });
      desk.hasResourceProperties('AWS::CodeDeploy::DeploymentGroup', {
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
        AlarmConfiguration: { Alarms: [{ Name: { Ref: alarm } }], Enabled: true },
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      });
      const [faults] = Object.entries(desk.findResources('AWS::CloudWatch::Alarm')).find(([id]) => id === alarm) ?? [];
      const metrics: Json = desk.findResources('AWS::CloudWatch::Alarm')[faults ?? '']?.Properties.Metrics;
      expect(metrics.map(({ MetricStat }: Json) => MetricStat?.Metric.MetricName).filter(Boolean)).toEqual([
        'Errors',
        'RequestFaults',
        'ConsumerFailures',
      ]);
    },
  );

  test('sends requests and messages through the aliases, and the stream to the function itself', () => {
    const [open, assign] = ['DeskOpen', 'DeskOnAssign'].map((name) => idOf(canary.desk, 'AWS::Lambda::Alias', name));
    const integrations = Object.values(canary.api.findResources('AWS::ApiGateway::Method')).map(({ Properties }) =>
      JSON.stringify(Properties.Integration),
    );
    expect(integrations.filter((one) => one.includes(`ExportsOutputRef${open}`))).toHaveLength(1);
    const mappings = Object.values(canary.desk.findResources('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
      JSON.stringify(Properties.FunctionName),
    );
    expect(mappings.filter((one) => one.includes(`"${assign}"`))).toHaveLength(1);
    const relay = idOf(canary.desk, 'AWS::Lambda::Function', 'DeskOutboxRelay');
    expect(mappings.filter((one) => one === JSON.stringify({ Ref: relay }))).toHaveLength(1);
  });

  test('gives CodeDeploy the aliases of its functions only', () => {
    const policy = idOf(canary.desk, 'AWS::IAM::Policy', 'CanariesRole');
    const statements: Json[] =
      canary.desk.findResources('AWS::IAM::Policy')[policy]?.Properties.PolicyDocument.Statement;
    const [describing, ...others] = statements;
    expect(describing).toEqual({ Action: 'cloudwatch:DescribeAlarms', Effect: 'Allow', Resource: '*' });
    const functions = ['DeskOpen', 'DeskOnAssign'].map((name) => idOf(canary.desk, 'AWS::Lambda::Function', name));
    const arns = functions.flatMap((id) => {
      const arn = { 'Fn::GetAtt': [id, 'Arn'] };
      return [arn, { 'Fn::Join': ['', [arn, ':live']] }];
    });
    expect(others.flatMap(({ Resource }) => Resource)).toEqual(expect.arrayContaining(arns));
    expect(others.flatMap(({ Resource }) => Resource)).toHaveLength(arns.length);
    const actions = new Set(others.flatMap(({ Action }) => Action));
    expect(actions).toEqual(
      new Set(['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig']),
    );
  });

  test('can be switched on by one deployment, because the API’s import of before is still exported', () => {
    const imported = JSON.stringify(plain.api.toJSON()).match(/ExportsOutputFnGetAttDeskOpenFunction\w+/)?.[0];
    expect(imported).toBeDefined();
    expect(Object.keys(canary.desk.toJSON().Outputs)).toContain(imported);
  });

  test('is in no template without its setting', () => {
    const types = Object.values<Json>(plain.desk.toJSON().Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /CodeDeploy|Alias|Version$/.test(type))).toEqual([]);
  });

  test('refuses minutes that CodeDeploy doesn’t have, and names those that it has', () => {
    expect(() => synthesizeDesk({ minutes: 7 as 5 })).toThrow(
      new SettingsError("canary.minutes of 'dev' is 7: expected one of 5, 10, 15, 30, or no canary"),
    );
    expect(settingsFor('dev', { canary: '15' }).canary).toEqual({ minutes: 15 });
  });
});
