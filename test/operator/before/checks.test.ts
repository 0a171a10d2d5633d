import { describe, expect, test } from 'vitest';
import {
  checkApiRole,
  checkBackup,
  checkConcurrency,
  checkEvents,
  checkNames,
  checkParameters,
  checkRules,
  checkStates,
  checkSubscribed,
  checkTrail,
} from '../../../packages/operator/before/checks.js';
import { defaultEventQuotas } from '../../../packages/operator/before/event-quotas.js';
import { findRequirements } from '../../../packages/operator/before/requirements.js';

const PLACE = { region: 'eu-central-1', settings: 'lib/settings.ts' };
const resource = (type: string, properties: Readonly<Record<string, unknown>> = {}, logicalId = 'One') => ({
  stack: 'Halls',
  logicalId,
  type,
  properties,
});

describe('what templates need of an account', () => {
  test('reservations, rules of the fullest bus, names, parameters and the rest are read from the templates', () => {
    const reading = (parameter: string) => ({
      Action: 'ssm:GetParameter',
      Resource: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:ssm:eu-west-1:1:parameter${parameter}`]] },
    });
    const needs = findRequirements([
      resource('AWS::Lambda::Function', { ReservedConcurrentExecutions: 40 }),
      resource('AWS::Lambda::Function', { ReservedConcurrentExecutions: 2 }),
      resource('AWS::Lambda::Function'),
      resource('AWS::Events::Rule', { EventBusName: { Ref: 'Bus' } }),
      resource('AWS::Events::Rule', { EventBusName: { Ref: 'Bus' } }),
      resource(
        'AWS::Events::Rule',
        { EventPattern: { 'detail-type': ['AWS API Call via CloudTrail'] } },
        'KeyInDanger',
      ),
      resource('AWS::Events::EventBus', { Name: 'shop' }),
      resource('AWS::Events::EventBus', { Name: { 'Fn::Join': ['', []] } }),
      resource('AWS::ApiGateway::Stage', { AccessLogSetting: {} }),
      resource('AWS::Backup::BackupSelection'),
      resource('AWS::SNS::Topic'),
      resource('AWS::SSM::Parameter', { Name: '/shop/own' }),
      resource('AWS::IAM::Policy', { PolicyDocument: { Statement: [reading('/shop/key'), reading('/shop/own')] } }),
      resource('AWS::IAM::Role', { Policies: [{ PolicyDocument: { Statement: [reading('/shop/second')] } }] }),
    ]);
    expect(needs).toEqual({
      reserved: 42,
      rules: 2,
      api: { logs: true, setsRole: false },
      backsUp: true,
      onTrail: ['KeyInDanger'],
      parameters: ['/shop/key', '/shop/second'],
      subscribed: false,
      buses: [{ stack: 'Halls', name: 'shop' }],
    });
  });

  test('templates without such resources need nothing', () => {
    expect(findRequirements([])).toMatchObject({ reserved: 0, rules: 0, parameters: [], subscribed: undefined });
  });
});

describe('concurrency', () => {
  const find = (reserved: number, limit: number, unreserved = limit, own = 0) =>
    checkConcurrency({ reserved }, { limit, unreserved }, own, PLACE);

  test('reservations and the 100 that AWS keeps must fit beside those of others', () => {
    expect(find(868, 1_000)).toEqual([]);
    expect(find(868, 967)).toMatchObject([
      {
        check: 'concurrency',
        text: 'the functions reserve 868 executions at once, and AWS keeps 100 unreserved: the account has 967, of which functions of others reserve 0',
        advice:
          "request 968 or more: https://eu-central-1.console.aws.amazon.com/servicequotas/home/services/lambda/quotas/L-B99A9384; or set concurrency: 'small' in lib/settings.ts, which reserves nothing (there are 867 to reserve)",
      },
    ]);
    expect(find(868, 1_000, 960)).toMatchObject([{ advice: expect.stringMatching(/^request 1008 or more/) }]);
  });

  test('what this environment has reserved before counts once', () => {
    expect(find(868, 1_000, 132, 868)).toEqual([]);
    expect(find(868, 1_000, 132)).toHaveLength(1);
  });

  test('an account of 10 takes an environment that reserves nothing, and no fewer than 10 do', () => {
    expect(find(0, 10)).toEqual([]);
    expect(find(868, 10)).toMatchObject([{ advice: expect.stringContaining('there are 0 to reserve') }]);
    expect(find(0, 9)).toMatchObject([{ advice: expect.stringMatching(/^request 10 or more/) }]);
  });
});

describe("EventBridge's quotas", () => {
  const demand = {
    what: 'orders',
    perSecond: 400,
    invocations: 25,
    putEvents: 15,
    setting: (fits: number) => `rate ${fits}`,
  };
  const find = (region: string) => checkEvents(demand, defaultEventQuotas(region), { region, source: 'default' });

  test('what the API admits is compared with both quotas of the region', () => {
    expect(find('us-east-1')).toEqual([]);
    expect(find('eu-central-1')).toEqual([
      {
        check: 'events',
        text: 'the API admits 400 orders a second, which are 10000 invocations of targets a second, and EventBridge takes 4500 in eu-central-1 (default): above it, they are delayed',
        advice:
          'request 10000: https://eu-central-1.console.aws.amazon.com/servicequotas/home/services/events/quotas/L-5540C5E3; or admit 180 orders a second: rate 180',
      },
      expect.objectContaining({ advice: expect.stringMatching(/L-9B653E91; or admit 160 orders a second: rate 160$/) }),
    ]);
  });

  test('a region that the table does not name has the lowest quotas', () => {
    expect(defaultEventQuotas('eu-south-1')).toEqual({ invocations: 750, putEvents: 400, rules: 100 });
    expect(defaultEventQuotas('xx-new-1')).toEqual({ invocations: 750, putEvents: 400, rules: 300 });
  });

  test('rules of one bus are compared with the quota', () => {
    const find = (rules: number, region: string) =>
      checkRules({ rules }, defaultEventQuotas(region), { region, source: 'default' });
    expect(find(101, 'eu-west-1')).toEqual([]);
    expect(find(101, 'eu-south-1')).toMatchObject([{ check: 'rules', advice: expect.stringContaining('L-244521F2') }]);
  });
});

describe('settings of the account', () => {
  test('an access log needs a role, unless the templates set it', () => {
    const find = (setsRole: boolean, role?: string) => checkApiRole({ api: { logs: true, setsRole } }, role);
    expect([...find(true), ...find(false, 'arn:aws:iam::1:role/logs')]).toEqual([]);
    expect(find(false)).toMatchObject([{ check: 'api-role' }]);
    expect(checkApiRole({ api: { logs: false, setsRole: false } }, undefined)).toEqual([]);
  });

  test('a backup plan needs the opt-in, and a rule on API calls needs a trail', () => {
    expect([...checkBackup({ backsUp: true }, true), ...checkBackup({ backsUp: false }, false)]).toEqual([]);
    expect(checkBackup({ backsUp: true }, false)).toMatchObject([{ check: 'backup' }]);
    expect([...checkTrail({ onTrail: ['K'] }, ['arn']), ...checkTrail({ onTrail: [] }, [])]).toEqual([]);
    expect(checkTrail({ onTrail: ['KeyInDanger'] }, [])).toMatchObject([
      { text: expect.stringContaining('KeyInDanger') },
    ]);
  });

  test('a parameter must be a SecureString', () => {
    const find = (...types: [string, string][]) => checkParameters({ parameters: ['/shop/key'] }, new Map(types));
    expect(find(['/shop/key', 'SecureString'])).toEqual([]);
    expect(find()).toMatchObject([{ text: expect.stringContaining('does not exist: expected a SecureString') }]);
    expect(find(['/shop/key', 'String'])).toMatchObject([
      { text: expect.stringContaining('is a String'), advice: expect.stringMatching(/^aws ssm delete-parameter/) },
    ]);
  });

  test('somebody must subscribe to the alarms, if there is a topic', () => {
    expect([...checkSubscribed({ subscribed: true }, 's'), ...checkSubscribed({ subscribed: undefined }, 's')]).toEqual(
      [],
    );
    expect(checkSubscribed({ subscribed: false }, 'lib/settings.ts')).toMatchObject([
      { advice: 'set alarmEmail in lib/settings.ts, or -c alarmEmail=<address>' },
    ]);
  });

  test('a name that is taken, and a stack that can not be updated, stop a deployment', () => {
    expect(checkNames(['shop'])).toMatchObject([
      { check: 'name', text: expect.stringContaining('shop exists already') },
    ]);
    const statuses = new Map([
      ['Orders', 'ROLLBACK_COMPLETE'],
      ['Api', 'UPDATE_ROLLBACK_COMPLETE'],
    ]);
    expect(checkStates(statuses, 'shop-prod-').map(({ text }) => text)).toEqual([
      "the stack shop-prod-Orders is ROLLBACK_COMPLETE: CloudFormation can't update it",
    ]);
  });
});
