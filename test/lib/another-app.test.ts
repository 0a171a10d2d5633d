import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ServiceApi } from '../../packages/kit/http/api.construct.js';
import { commandsTo, subscribe } from '../../packages/kit/messages/subscriptions.js';
import { PersonalKeys } from '../../packages/kit/personal-data/personal-keys.construct.js';
import { Backup } from '../../packages/kit/service/backup.construct.js';
import { ServiceFunction } from '../../packages/kit/service/service-function.construct.js';
import { ServiceStack, type ServiceStackProps, stackProps } from '../../packages/kit/service/service-stack.js';
import { type EnvironmentSettings, SettingsError } from '../../packages/kit/service/settings.js';
import { type Json, noCode } from './support/environments.js';

const event = { version: 1, data: z.object({ title: z.string() }) };
const boardContract = { service: 'board', events: { TicketOpened: event }, commands: { CloseTicket: event } };
const salesContract = { service: 'sales', events: {} };

const backup = { retention: Duration.days(7) };
/** Nothing of Orderly's: no payments, no credit limits. */
const settings: EnvironmentSettings = {
  app: { name: 'tickets', roles: ['agent', 'visitor'], operatorRoles: ['agent'] },
  environment: 'test',
  keepsData: true,
  logRetention: RetentionDays.ONE_WEEK,
  auditRetention: RetentionDays.ONE_WEEK,
  logLevel: 'INFO',
  backup,
  dedupeWindow: Duration.days(35),
  consumerAttempts: 8,
  throttle: { rate: 500, burst: 500 },
  firewall: { requestsPerAddress: 1_000, requestsPerToken: 100 },
  concurrency: false,
  auth: {
    issuer: 'https://login.example.com',
    audience: 'tickets',
    roleClaim: 'role',
    maxTokenLifetime: Duration.hours(1),
  },
};

/** One route, one consumer of events and commands: what the smallest service has. */
class BoardStack extends ServiceStack {
  constructor(scope: Construct, props: ServiceStackProps & { readonly personalKeys: PersonalKeys }) {
    super(scope, 'Board', 'board', props);
    const openTicket = this.endpoint('OpenTicket', 'POST', '/tickets', 'board/open-ticket');
    openTicket.grantItems(this.table, ['PutItem'], 'Ticket#');
    props.personalKeys.grantEncrypt(openTicket);
    this.consumer('Closing', {
      name: 'board-closing',
      entry: 'board/on-command',
      hears: [commandsTo(boardContract, { from: [salesContract] }), subscribe(boardContract, ['TicketOpened'])],
    });
  }
}

function templates(): ReadonlyMap<string, Json> {
  const app = new App();
  const platform = new Stack(app, 'Platform', stackProps(settings, 'Platform', 'bus'));
  const alarmTopic = new Topic(platform, 'Alarms');
  const common = { settings, bundles: noCode, bus: EventBus.fromEventBusName(platform, 'Bus', 'shared'), alarmTopic };
  const personalKeys = new PersonalKeys(platform, 'PersonalKeys', common);
  new Backup(platform, 'Backup', { settings, backup });
  const board = new BoardStack(app, { ...common, personalKeys });
  const api = new Stack(app, 'Api', stackProps(settings, 'Api', 'REST API'));
  const authorizer = new ServiceFunction(api, 'Authorize', {
    context: { service: 'platform', settings, bundles: noCode },
    entry: 'kit/http/authorizer',
  });
  new ServiceApi(api, 'Api', { settings, routes: board.routes, authorizer, alarmTopic });
  return new Map([platform, board, api].map((stack) => [stack.stackName, Template.fromStack(stack).toJSON()]));
}

describe('an application that isn’t Orderly', () => {
  const all = templates();
  const text = JSON.stringify([...all]);
  const resources = (type: string): readonly Json[] =>
    [...all.values()].flatMap(({ Resources }) =>
      Object.values<Json>(Resources).filter((resource) => resource.Type === type),
    );

  test('finds its own name in its stacks, and nowhere Orderly’s', () => {
    expect([...all.keys()]).toEqual(['tickets-test-Platform', 'tickets-test-Board', 'tickets-test-Api']);
    expect(text).not.toMatch(/orderly/i);
    for (const { Description } of all.values()) expect(Description).toMatch(/^Tickets \(test\): /);
  });

  test('tells its functions its name, and keeps metrics of its own', () => {
    const functions = resources('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables);
    expect(functions.length).toBeGreaterThan(4);
    for (const variables of functions) {
      expect(variables).toMatchObject({ APP: 'tickets', POWERTOOLS_METRICS_NAMESPACE: 'Tickets/test' });
    }
    expect(text).toContain('"Namespace":"Tickets/test"');
  });

  test('hears and sends by sources of its own', () => {
    const patterns = resources('AWS::Events::Rule').map(({ Properties }) => Properties.EventPattern.source);
    expect(patterns).toContainEqual(['tickets.board']);
    expect(patterns).toContainEqual(['tickets.sales']);
    expect(patterns).toContainEqual([{ 'anything-but': ['tickets.sales'] }]);
    expect(text).toContain('"events:source":"tickets.board"');
  });

  test('answers problems of its own types, by the gateway and by the firewall', () => {
    const answers = resources('AWS::ApiGateway::GatewayResponse').map(({ Properties }) =>
      JSON.parse(Properties.ResponseTemplates['application/json']),
    );
    for (const { type, instance } of answers) {
      expect(type).toMatch(/^urn:tickets:problem:[a-z-]+$/);
      expect(instance).toBe('urn:tickets:request:$context.requestId');
    }
    const [acl] = resources('AWS::WAFv2::WebACL');
    for (const { Content } of Object.values<Json>(acl.Properties.CustomResponseBodies)) {
      expect(JSON.parse(Content).type).toMatch(/^urn:tickets:problem:/);
    }
  });

  test('tags what is copied, and who may open personal data', () => {
    expect(text).toContain('tickets:backup');
    expect(text).toContain('aws:PrincipalTag/tickets-personal-data');
  });

  test.each(['', 't', 'Tickets', 'tick.ets', 'tickets-', '1st', 'x'.repeat(33)])(
    'is refused by the name %j',
    (name) => {
      expect(() => stackProps({ ...settings, app: { ...settings.app, name } }, 'Platform', 'bus')).toThrow(
        new SettingsError(
          `app.name is '${name}': expected 2 to 32 of a-z, 0-9 and -, beginning with a letter and not ending in -`,
        ),
      );
    },
  );

  test.each([
    [{ roles: [] }, "app.roles: expected names of a-z and -, and not 'service': none"],
    [{ roles: ['agent', 'service'] }, "app.roles: expected names of a-z and -, and not 'service': service"],
    [{ roles: ['agent', 'Visitor:1'] }, "app.roles: expected names of a-z and -, and not 'service': Visitor:1"],
    [{ operatorRoles: ['boss'] }, 'app.operatorRoles: not in app.roles: boss'],
  ])('is refused with %j', (app, message) => {
    expect(() => stackProps({ ...settings, app: { ...settings.app, ...app } }, 'Platform', 'bus')).toThrow(
      new SettingsError(message),
    );
  });

  test('tells its functions its roles where they judge tokens', () => {
    const judges = resources('AWS::Lambda::Function')
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter(({ JWT_ISSUER }) => JWT_ISSUER !== undefined);
    expect(judges).not.toEqual([]);
    for (const variables of judges)
      expect(variables).toMatchObject({ ROLES: '["agent","visitor"]', OPERATOR_ROLES: '["agent"]' });
  });
});
