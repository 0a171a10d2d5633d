import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Overrides, settingsFor } from '../../lib/settings.js';
import { Bundles } from '../../packages/kit/base/bundles.js';
import { ServiceFunction } from '../../packages/kit/base/service-function.construct.js';
import { developmentSettings, SettingsError } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import type { TracesSettings } from '../../packages/kit/base/traces-settings.js';
import { subscribe } from '../../packages/kit/messages/subscriptions.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { noCode } from '../support/environments.js';

const event = { version: 1, data: z.object({ title: z.string() }) };
const contract = { service: 'desk', events: { TicketOpened: event } };

type Code = typeof noCode & { readonly traces?: boolean };

const settingsWith = (traces: TracesSettings | undefined) =>
  developmentSettings({
    app: { name: 'tickets', roles: ['visitor'] },
    auth: { issuer: 'https://login.example.com', audience: 'tickets' },
    ...(traces && { traces }),
  });

/** Synthesizes a platform, and a service with an endpoint and a consumer in a stack of its own. */
function synthesizeDesk(traces?: TracesSettings, bundles: Code = noCode, ofPlatform: { bundles?: Code } = { bundles }) {
  const settings = settingsWith(traces);
  const app = new App();
  const shared = new Stack(app, 'Shared', stackProps(settings, 'Shared', 'the bus'));
  const { bus, alarmTopic } = new Platform(shared, 'Platform', { settings, ...ofPlatform });
  const stack = new Stack(app, 'Desk', stackProps(settings, 'Desk', 'the desk'));
  const service = new Service(stack, 'Desk', { settings, bundles, bus, alarmTopic, name: 'desk' });
  service.addEndpoint('Open', { method: 'POST', path: '/tickets' }, 'open');
  service.addConsumer('Assign', { name: 'assign', subscribesTo: [subscribe(contract, ['TicketOpened'])] });
  return { shared: Template.fromStack(shared), desk: Template.fromStack(stack) };
}

const RECEIVER = { exporter: 'otlp', endpoint: 'https://collector.example.org:4318' } as const;
const traced = synthesizeDesk({ exporter: 'x-ray', share: 0.1 });
const plain = synthesizeDesk();

const policies = (template: Template): string =>
  JSON.stringify(Object.values(template.findResources('AWS::IAM::Role')).map(({ Properties }) => Properties.Policies));

describe('an environment with traces', () => {
  test('subscribes one function to each group of logs, but to that of its own stack', () => {
    const { shared, desk } = traced;
    const functions = Object.values(desk.findResources('AWS::Lambda::Function'));
    const logs = functions.map(({ Properties }) => Properties.LoggingConfig.LogGroup.Ref);
    const subscriptions = Object.values(desk.findResources('AWS::Logs::SubscriptionFilter'));
    expect(subscriptions.map(({ Properties }) => Properties.LogGroupName.Ref).sort()).toEqual(
      [...new Set<string>(logs)].sort(),
    );
    for (const { Properties } of subscriptions) {
      expect(Properties.FilterPattern).toBe('{ $.kind = "span" }');
      expect(JSON.stringify(Properties.DestinationArn)).toContain('function:tickets-dev-traces');
    }
    shared.resourceCountIs('AWS::Logs::SubscriptionFilter', 0);
    shared.hasResourceProperties('AWS::Lambda::Function', { FunctionName: 'tickets-dev-traces' });
    const [permission] = Object.values(shared.findResources('AWS::Lambda::Permission'));
    expect(permission?.Properties).toMatchObject({
      Principal: 'logs.amazonaws.com',
      FunctionName: { 'Fn::GetAtt': [expect.stringMatching(/^PlatformTraces/), 'Arn'] },
    });
    for (const { Properties } of functions) expect(Properties.Environment.Variables.TRACES_SHARE).toBe('0.1');
  });

  test('gives the right to send spans to the exporter, and to no other function', () => {
    expect(policies(traced.desk)).not.toContain('xray');
    expect(policies(traced.shared).match(/xray:\w+/g)).toEqual(['xray:PutSpans', 'xray:PutSpansForIndexing']);
    const { shared } = synthesizeDesk(RECEIVER);
    expect(policies(shared)).not.toContain('xray');
    shared.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'tickets-dev-traces',
      Environment: { Variables: { TRACES_ENDPOINT: RECEIVER.endpoint } },
    });
  });

  test('raises a ticket, and no page, if spans do not arrive', () => {
    const [alarm] = Object.values(traced.shared.findResources('AWS::CloudWatch::Alarm')).filter(({ Properties }) =>
      Properties.AlarmDescription.startsWith('TracesLost: '),
    );
    expect(alarm?.Properties).toMatchObject({
      AlarmDescription: expect.stringMatching(/ Severity: ticket\./),
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: expect.stringMatching(/^PlatformTickets/) }],
    });
    const metrics = alarm?.Properties.Metrics as readonly {
      readonly MetricStat?: {
        readonly Metric: { readonly MetricName: string; readonly Dimensions: readonly object[] };
      };
    }[];
    expect(metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []))).toMatchObject([
      { Namespace: 'AWS/Lambda', MetricName: 'AsyncEventsDropped', Dimensions: [{ Name: 'FunctionName' }] },
      { MetricName: 'SpansLost', Dimensions: [{ Name: 'service', Value: 'platform' }] },
    ]);
    // The exporter counts in the name of the same service.
    traced.shared.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'tickets-dev-traces',
      Environment: { Variables: Match.objectLike({ POWERTOOLS_SERVICE_NAME: 'platform' }) },
    });
  });

  test('is refused with bundles that write no spans, and without a platform that exports them', () => {
    const silent = { ...noCode, traces: false };
    expect(() => synthesizeDesk(RECEIVER, silent)).toThrow("the bundles of 'dev' write no spans");
    expect(() => synthesizeDesk(RECEIVER, noCode, {})).toThrow(
      'the platform has no bundles for the function that exports them',
    );
    const app = new App();
    const context = { service: 'desk', settings: settingsWith(RECEIVER), bundles: noCode };
    new ServiceFunction(new Stack(app, 'Desk'), 'Open', { context, entry: 'open' });
    expect(() => app.synth()).toThrow("the settings of 'dev' have traces, and nothing exports them");
  });
});

test('an environment without traces has nothing of them in its templates', () => {
  for (const template of [plain.shared, plain.desk]) {
    template.resourceCountIs('AWS::Logs::SubscriptionFilter', 0);
    expect(JSON.stringify(template.toJSON())).not.toMatch(/traces|TRACES|xray/);
  }
});

describe('bundles', () => {
  /** Returns the code of an entry point of the kit. */
  function code(entry: string, traces: boolean): string {
    const root = mkdtempSync(join(tmpdir(), 'traces-'));
    mkdirSync(join(root, 'lambdas'));
    writeFileSync(join(root, 'package.json'), '{}');
    const bundles = new Bundles(join(root, 'lambdas'), { traces });
    const app = new App({ outdir: join(root, 'out') });
    bundles.code(entry).bind(new Stack(app, 'Asset'));
    const [asset = ''] = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
    bundles.remove();
    return readFileSync(join(app.outdir, asset, 'index.js'), 'utf8');
  }

  test('contain nothing that writes spans without the setting', () => {
    const [off, on] = [code('kit/outbox/relay', false), code('kit/outbox/relay', true)];
    const found = (text: string) => text.match(/KIT_TRACES|TRACES_SHARE|@opentelemetry/g);
    expect(found(off)).toBeNull();
    expect(found(on)).toEqual(['TRACES_SHARE']);
    expect(on.length - off.length).toBeLessThan(3_072);
  });
});

describe('a setting for traces', () => {
  test.each<[string, Overrides, string]>([
    ['an unknown exporter', { traces: 'zipkin' }, "traces.exporter of 'dev': expected 'x-ray' or 'otlp': zipkin"],
    [
      'no receiver',
      { traces: 'otlp' },
      "traces.endpoint of 'dev': expected the https address of an OTLP/HTTP receiver",
    ],
    [
      'a receiver without TLS',
      { traces: 'otlp', tracesEndpoint: 'http://collector.example.org' },
      'expected the https',
    ],
    ['no address', { traces: 'otlp', tracesEndpoint: 'collector' }, 'expected the https'],
    [
      'a receiver for X-Ray',
      { traces: 'x-ray', tracesEndpoint: 'https://x.example.org' },
      "the exporter 'x-ray' has the",
    ],
    ['a share of nothing', { traces: 'x-ray', tracesShare: '0' }, "traces.share of 'dev': expected a number above 0"],
    ['a share that is no number', { traces: 'x-ray', tracesShare: 'some' }, 'expected a number above 0 and at most 1'],
    ['a receiver without traces', { tracesEndpoint: RECEIVER.endpoint }, 'add -c traces=x-ray or -c traces=otlp'],
  ])('is refused with %s', (_, overrides, text) => {
    expect(() => settingsFor('dev', overrides)).toThrow(SettingsError);
    expect(() => settingsFor('dev', overrides)).toThrow(text);
  });

  test('takes X-Ray, a receiver, and one on this machine without TLS', () => {
    expect(settingsFor('dev', { traces: 'x-ray' }).traces).toEqual({ exporter: 'x-ray' });
    const { endpoint } = RECEIVER;
    expect(settingsFor('dev', { traces: 'otlp', tracesEndpoint: endpoint }).traces).toEqual(RECEIVER);
    const local = { traces: 'otlp', tracesEndpoint: 'http://127.0.0.1:4318', tracesShare: '0.5' };
    expect(settingsFor('dev', local).traces).toMatchObject({ share: 0.5 });
  });
});
