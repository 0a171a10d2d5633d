import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { SYNTHETIC_CUSTOMER } from '../../lambdas/environment.js';
import { ApiStack } from '../../lib/api-stack.js';
import { settingsFor } from '../../lib/settings.js';
import { tokenAuthorizer } from '../../packages/kit/http/api.construct.js';
import { notifications, renderRule, type TemplateAlarm } from '../support/alarm-rules.js';
import { type Json, noCode, policyStatements, referenced, STACKS, synthesized } from '../support/environments.js';

const ORDER = {
  customerId: 'probe@clients',
  sku: 'SYNTHETIC-1',
  tokenUrl: 'https://login.example.org/oauth/token',
  clientId: 'probe',
  secretParameter: '/orderly/prod/synthetic-order',
};
const prod = synthesized('prod', { syntheticOrder: ORDER });
const alarms = prod.everywhere('AWS::CloudWatch::Alarm');
const nameOf = ({ properties }: { properties: Json }): string => properties.AlarmDescription.split(':')[0];

describe('an environment without synthetic orders', () => {
  test('has nothing of them in its templates, as prod and dev are', () => {
    const without = synthesized('prod');
    expect(STACKS.filter((stack) => /synthetic/i.test(JSON.stringify(without.template(stack))))).toEqual([]);
    for (const environment of ['prod', 'dev']) expect(settingsFor(environment)).not.toHaveProperty('syntheticOrder');
  });
});

describe('an environment with synthetic orders', () => {
  const own = prod.resources('Api').filter(({ id }) => id.startsWith('ApiSyntheticOrders'));
  const of = (type: string): Json => own.find((resource) => resource.type === type)?.properties;

  test('a function places one every five minutes, by the address that customers use', () => {
    expect(of('AWS::Events::Rule')).toMatchObject({ ScheduleExpression: 'rate(5 minutes)' });
    const { Environment, Timeout } = of('AWS::Lambda::Function');
    expect(Timeout).toBeLessThan(300);
    expect(Environment.Variables.API_URL).toEqual(prod.template('Api').Outputs.ApiUrl.Value);
    expect(JSON.parse(Environment.Variables.SYNTHETIC_ORDER)).toEqual({
      sku: ORDER.sku,
      currency: 'EUR',
      tokenUrl: ORDER.tokenUrl,
      clientId: ORDER.clientId,
      secretParameter: ORDER.secretParameter,
    });
    expect(of('AWS::Lambda::EventInvokeConfig')).toMatchObject({ MaximumRetryAttempts: 0 });
  });

  test('the function may read its secret, write its log, and nothing else', () => {
    const granted = policyStatements(of('AWS::IAM::Role')).map(({ Action, Resource }: Json) => [
      Action,
      JSON.stringify(Resource),
    ]);
    expect(granted).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], expect.any(String)],
      ['ssm:GetParameter', expect.stringMatching(/:parameter\/orderly\/prod\/synthetic-order"/)],
    ]);
  });

  test('reports and points know the customer, and no other function does', () => {
    const told = prod
      .everywhere('AWS::Lambda::Function')
      .filter(({ properties }) => properties.Environment?.Variables[SYNTHETIC_CUSTOMER] === ORDER.customerId)
      .map(({ stack, id }) => `${stack}/${id.replace(/Function[0-9A-F]{8}$/, '')}`);
    expect(told.toSorted()).toEqual(['Reports/RunDays', 'Rewards/RunAccountEvents']);
  });

  test('no order in a quarter of an hour raises the alarm, whatever keeps it from coming', () => {
    const [alarm, ...others] = alarms.filter((one) => nameOf(one) === 'NoSyntheticOrder');
    expect(others).toEqual([]);
    expect(alarm?.properties).toMatchObject({
      Namespace: 'Orderly/prod',
      MetricName: 'SyntheticOrdersSucceeded',
      Dimensions: [{ Name: 'service', Value: 'synthetic-orders' }],
      Statistic: 'Sum',
      Period: 900,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    expect(alarms.map(nameOf), 'an API that nobody reaches has one page').not.toContain('ApiQuiet');
  });
});

describe('one outage is one page', () => {
  const exported = (name: string): string => {
    const output = Object.values<Json>(prod.template('Platform').Outputs).find(({ Export }) => Export?.Name === name);
    return `Platform/${referenced(output.Value)}`;
  };
  const tells = ({ AlarmActions = [] }: Json): readonly string[] =>
    AlarmActions.flatMap(
      (action: Json) => /Ref(Alarms|Tickets)|"Ref":"(Alarms|Tickets)/.exec(JSON.stringify(action)) ?? [],
    ).filter((topic: string | undefined) => topic === 'Alarms' || topic === 'Tickets');
  const every: readonly TemplateAlarm[] = [
    ...alarms.map(({ stack, id, properties }) => ({ id: `${stack}/${id}`, tells: tells(properties) })),
    ...prod.everywhere('AWS::CloudWatch::CompositeAlarm').map(({ stack, id, properties }) => ({
      id: `${stack}/${id}`,
      tells: tells(properties),
      rule: renderRule(properties.AlarmRule, stack, exported),
    })),
  ];
  const told = (...headings: readonly string[]) =>
    notifications(
      every,
      new Set(alarms.filter((one) => headings.includes(nameOf(one))).map(({ stack, id }) => `${stack}/${id}`)),
    );

  test('nobody reaches the API, or it answers with errors, or both', () => {
    const page = ['Alarms: Api/ApiAlarmsServicePage'];
    expect(told('NoSyntheticOrder')).toEqual(page);
    expect(told('ApiServerErrors')).toEqual(page);
    expect(told('NoSyntheticOrder', 'ApiServerErrors')).toEqual(page);
  });

  test('the bus refuses, so that no order is approved', () => {
    expect(told('BusRefuses', 'RelayBehind', 'NoSyntheticOrder')).toEqual(['Alarms: Platform/BusRefuses']);
  });
});

test('paused orders are placed by nobody, and the alarm for a quiet API is back', () => {
  const settings = settingsFor('prod', { syntheticOrder: JSON.stringify({ ...ORDER, paused: true }) });
  const app = new App();
  const alarmTopic = new Topic(new Stack(app, 'Topics'), 'Alarms');
  const handler = tokenAuthorizer(new Stack(app, 'Service'), 'Get', { settings, bundles: noCode });
  const services = [{ routes: [{ method: 'GET', path: '/orders', handler } as const] }];
  const stack = new ApiStack(app, 'Api', { settings, bundles: noCode, alarmTopic, services });
  const template = JSON.stringify(Template.fromStack(stack).toJSON());
  expect(template).not.toMatch(/SyntheticOrder/);
  expect(template).toContain('ApiQuiet');
  expect(settings.syntheticOrder?.customerId).toBe(ORDER.customerId);
});

describe('a setting that could never place an order is refused', () => {
  const read = (environment: string, more: object) => () =>
    settingsFor(environment, { syntheticOrder: { ...ORDER, ...more } });

  test.each<[string, object]>([
    ['expected sku, clientId', { sku: undefined, clientId: '' }],
    [
      'expected customerId, sku, tokenUrl, clientId, secretParameter, audience, scope and paused, and not secret',
      { secret: 's' },
    ],
    ['expected a text for audience', { audience: 1 }],
    ['expected true or false for paused', { paused: 'yes' }],
    ["customerId is 'a b': expected the sub of a token", { customerId: 'a b' }],
    ["customerId is 'ada@example.org': expected the sub of a token", { customerId: 'ada@example.org' }],
    ["sku is '/': expected a SKU", { sku: '/' }],
    ["tokenUrl is 'http://login.example.org': expected an https: address", { tokenUrl: 'http://login.example.org' }],
    ["secretParameter is 'secret': expected the name of a parameter", { secretParameter: 'secret' }],
  ])('%s', (error, more) => {
    expect(read('prod', more)).toThrow(`syntheticOrder of 'prod': ${error}`);
  });

  test('a text that is no JSON object is refused, and so is an issuer that gives no tokens', () => {
    for (const syntheticOrder of ['on', '[]', 'null'])
      expect(() => settingsFor('prod', { syntheticOrder })).toThrow(
        "syntheticOrder of 'prod': expected a JSON object with customerId, sku, tokenUrl, clientId, secretParameter",
      );
    expect(read('dev', {})).toThrow("syntheticOrder of 'dev': the development issuer gives no program a token");
  });
});
