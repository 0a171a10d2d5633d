import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { SettingsError } from '../../packages/kit/base/settings.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { OperatorApi, type OperatorApiProps } from '../../packages/operator/api/operator-api.construct.js';
import { type Json, newApp, noCode, propertiesIn, statements, synthesized } from '../support/environments.js';

const settings = settingsFor('dev');

/** A service, and the API of its operators in a stack of its own. */
function apiOf(props: Partial<OperatorApiProps> = {}, name = 'orderly-dev-Board'): Template {
  const app = newApp();
  const board = new Stack(app, name);
  const service = new Service(board, 'Default', {
    settings,
    bundles: noCode,
    bus: new EventBus(board, 'Bus'),
    alarmTopic: new Topic(board, 'Alarms'),
    name: 'board',
  });
  const stack = new Stack(app, 'orderly-dev-Operations');
  const api = new OperatorApi(stack, 'Default', { settings, bundles: noCode, services: [service], ...props });
  const get = (path: string) => ({ method: 'GET', path }) as const;
  api.addStatus('GetStatus', get('/status'), 'get-status');
  api.addFailures('GetFailures', get('/failures'), 'get-failures');
  api.addAudit('GetAudit', get('/audit'), 'get-audit', ['Ticket']);
  api.addTrace('GetTrace', get('/trace/{id}'), 'get-trace', { aggregates: ['Ticket'], lists: ['BOARD#'] });
  api.addList('GetTickets', get('/tickets'), 'get-tickets', {
    indexes: ['opened'],
    aggregates: ['Ticket'],
    lists: ['BOARD#'],
  });
  api.addAuditLog('GetAuditLog', get('/audit-log'), 'get-audit-log');
  expect(api.routes.map(({ path, throttle }) => [path, throttle?.rate])).toEqual(
    ['/status', '/failures', '/audit', '/trace/{id}', '/tickets', '/audit-log'].map((path) => [
      path,
      props.throttle?.rate ?? 10,
    ]),
  );
  return Template.fromStack(stack);
}

describe('an API of operators is refused', () => {
  test('an API of operators without services is refused', () => {
    expect(() => apiOf({ services: [] })).toThrow(
      new SettingsError('OperatorApi: there are no services: expected at least one'),
    );
  });

  test('an API for a stack that is not named after the application and the environment is refused', () => {
    const expected = 'expected a name that begins with orderly-dev-';
    expect(() => apiOf({}, 'Board')).toThrow(new SettingsError(`OperatorApi: stack Board: ${expected}`));
    expect(() => apiOf({ otherStacks: ['orderly-prod-Api'] })).toThrow(
      new SettingsError(`OperatorApi: stack orderly-prod-Api: ${expected}`),
    );
  });
});

test('an API of operators is refused if its rights would reach the resources of other stacks', () => {
  const long = 'orderly-dev-BoardOfAirports';
  const expected = `OperatorApi: stack ${long}: its resources can't be told from those of other stacks by the beginning of their names: expected a shorter name of the application or the environment`;
  expect(() => apiOf({ otherStacks: [`${long}Abroad`] }, long)).toThrow(new SettingsError(expected));
  expect(() => apiOf({ otherStacks: ['orderly-dev-Airports'] }, long)).not.toThrow();
});

describe('an API of operators', () => {
  const template = apiOf({ otherStacks: ['orderly-dev-Api'], throttle: { rate: 3, burst: 4 } });
  const { found, statementsOf } = propertiesIn((template.toJSON() as Json).Resources);

  test('passes the names of the stacks to its functions, and gives them the time of the gateway', () => {
    const { Environment, Timeout } = found('GetStatus', 'AWS::Lambda::Function');
    expect(JSON.parse(Environment.Variables.OPERATED_STACKS)).toEqual(['orderly-dev-Board', 'orderly-dev-Api']);
    expect(Timeout).toBe(29);
  });

  test('refers to no other stack, so that a service is deployed and removed without it', () => {
    expect(JSON.stringify((template.toJSON() as Json).Resources)).not.toContain('Fn::ImportValue');
  });

  test('reads items of any key from the tables of services only: the environment has a table of people’s keys', () => {
    for (const role of ['GetStatusRole', 'GetFailuresRole', 'GetAuditRole', 'GetTraceRole']) {
      const [reading, ...more] = statementsOf(role).filter(({ Action }) => Action === 'dynamodb:BatchGetItem');
      expect(more).toEqual([]);
      expect(JSON.stringify(reading.Resource)).toMatch(/:table\/orderly-dev-Board\*"/);
      expect(JSON.stringify(reading.Resource)).not.toContain('orderly-dev-*');
    }
    for (const role of ['GetTicketsRole', 'GetAuditLogRole'])
      expect(JSON.stringify(statementsOf(role))).not.toContain('BatchGetItem');
  });

  test('reads a list by its indexes, and by the keys of its rows and aggregates', () => {
    const reads = statementsOf('GetTicketsRole').filter(({ Action }) => String(Action).startsWith('dynamodb:'));
    const told = reads.map(({ Action, Resource, Condition }) => [
      String(Action),
      [...new Set(JSON.stringify(Resource).match(/index\/[a-z]+/g))].toSorted().toString(),
      Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'].toString(),
    ]);
    expect(told.toSorted()).toEqual(
      [
        ['dynamodb:GetItem', '', 'PROJECTION#*'],
        ['dynamodb:Query', '', 'Ticket#*,BOARD#*'],
        ['dynamodb:Query', 'index/feed,index/opened', undefined],
      ].toSorted(),
    );
  });
});

describe("the functions of Orderly's operators", () => {
  const ACTIONS = {
    GetStatus: [
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'sqs:GetQueueAttributes',
      'sqs:ListQueues',
      'cloudwatch:GetMetricData',
      'cloudwatch:DescribeAlarms',
      'logs:DescribeLogGroups',
      'logs:FilterLogEvents',
    ],
    GetFailures: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
    GetAudit: [
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'sqs:GetQueueAttributes',
      'lambda:InvokeFunction',
      'cloudwatch:GetMetricData',
    ],
    GetTrace: [
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'cloudwatch:GetMetricData',
      'logs:DescribeLogGroups',
      'logs:GetQueryResults',
      'logs:StartQuery',
    ],
    GetOrders: ['dynamodb:GetItem', 'dynamodb:Query'],
    GetAuditLog: ['dynamodb:Query'],
  };

  test.each(['dev', 'prod'])('only read, and have no key of people’s data (%s)', (environment) => {
    const own = statements(synthesized(environment)).filter(({ stack }) => stack === 'Operations');
    const actions = new Map<string, Set<string>>();
    for (const { policy, actions: some } of own) {
      const name = policy.replace(/Role.*/, '');
      actions.set(name, new Set([...(actions.get(name) ?? []), ...some]));
    }
    const common = ['logs:CreateLogStream', 'logs:PutLogEvents', 'cloudformation:DescribeStacks'];
    expect(Object.fromEntries([...actions].map(([name, some]) => [name, [...some].toSorted()]))).toEqual(
      Object.fromEntries(Object.entries(ACTIONS).map(([name, some]) => [name, [...some, ...common].toSorted()])),
    );
    expect(JSON.stringify(own)).not.toMatch(/kms|PERSON#/);
  });

  test('functions may invoke nothing but rebuild functions of projections', () => {
    const invoking = statements(synthesized('prod')).filter(
      ({ stack, actions }) => stack === 'Operations' && actions.includes('lambda:InvokeFunction'),
    );
    expect(invoking.map(({ policy }) => policy.replace(/Role.*/, ''))).toEqual(['GetAudit']);
    expect(JSON.stringify(invoking[0]!.resources)).toMatch(/:function:orderly-prod-\*Rebuild\*"/);
  });
});
