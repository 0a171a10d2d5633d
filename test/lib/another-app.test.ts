import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { Env } from '../../packages/kit/aws/environment.js';
import { Metric } from '../../packages/kit/aws/metric-names.js';
import { Output, servicePrefixes } from '../../packages/kit/base/outputs.js';
import { ServiceFunction } from '../../packages/kit/base/service-function.construct.js';
import { developmentSettings, type EnvironmentSettings, SettingsError } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import { recordsTable } from '../../packages/kit/base/tables.construct.js';
import { Api } from '../../packages/kit/http/api.construct.js';
import { commandsTo, subscribe } from '../../packages/kit/messages/subscriptions.js';
import { Platform, type PlatformProps } from '../../packages/kit/service/platform.construct.js';
import { type EnvironmentProps, Service, type ServiceProps } from '../../packages/kit/service/service.construct.js';
import { simulatedIssuer } from '../../packages/simulator/client/issuer.js';
import { type Json, noCode } from '../support/environments.js';

const event = { version: 1, data: z.object({ title: z.string() }) };
const boardContract = { service: 'board', events: { TicketOpened: event }, commands: { CloseTicket: event } };
const salesContract = { service: 'sales', events: {} };

/** Nothing of Orderly's: no payments, no credit limits. */
const small = developmentSettings({
  app: { name: 'tickets', roles: ['agent', 'visitor'], operatorRoles: ['agent'] },
  auth: { issuer: 'https://login.example.com', audience: 'tickets' },
});
const settings: EnvironmentSettings = {
  ...small,
  environment: 'test',
  keepsData: true,
  failureTexts: 'safe',
  logRetention: RetentionDays.ONE_WEEK,
  backup: { retention: Duration.days(7) },
  firewall: { requestsPerAddress: 1_000, requestsPerToken: 100 },
  epochs: { sales: 2 },
};

/** Two services in one stack: one with a route and a consumer of events and commands, one that only receives. */
class TicketsStack extends Stack {
  constructor(scope: Construct, settings: EnvironmentSettings, props: Partial<PlatformProps> = {}) {
    super(scope, 'Tickets', {
      ...stackProps(settings, 'Tickets', 'all of it'),
      env: { account: '111111111111', region: 'eu-west-1' },
    });
    const { bus, alarmTopic, personalKeys } = new Platform(this, 'Platform', { settings, ...props });
    const common: EnvironmentProps = { settings, bundles: noCode, bus, alarmTopic };
    const board = new Service(this, 'Board', { ...common, name: 'board' });
    const openTicket = board.addEndpoint('OpenTicket', { method: 'POST', path: '/tickets' }, 'board/open-ticket');
    board.grantAppend(openTicket, 'Ticket');
    personalKeys.grantEncrypt(openTicket);
    board.addConsumer('Closing', {
      name: 'board-closing',
      entry: 'board/on-command',
      subscribesTo: [commandsTo(boardContract, { from: [salesContract] }), subscribe(boardContract, ['TicketOpened'])],
    });
    const sales = new Service(this, 'Sales', { ...common, name: 'sales' });
    const receives = [subscribe(boardContract, ['TicketOpened'])];
    const deployed = { generation: 1, since: '2025-11-23' };
    sales.addConsumer('Closing', {
      name: 'sales-tickets',
      entry: 'sales/on-ticket',
      subscribesTo: receives,
      ...deployed,
    });
    new Api(this, 'Api', { ...common, services: [board, sales] });
  }
}

const stackWith = (settings: EnvironmentSettings, props: Partial<PlatformProps> = {}) =>
  new TicketsStack(new App(), settings, props);
const templateOf = (stack: Stack): Json => Template.fromStack(stack).toJSON();
const ofType = ({ Resources }: Json, type: string): readonly Json[] =>
  Object.values<Json>(Resources).filter((resource) => resource.Type === type);
const errorsOf = (stack: Stack): readonly string[] =>
  Annotations.fromStack(stack)
    .findError('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));

describe('an application that isn’t Orderly', () => {
  const stack = stackWith(settings);
  const template = templateOf(stack);
  const text = JSON.stringify(template);
  const resources = (type: string) => ofType(template, type);

  test('finds its own name in its stack, and nowhere Orderly’s', () => {
    expect(stack.stackName).toBe('tickets-test-Tickets');
    expect(text).not.toMatch(/orderly/i);
    expect(template.Description).toBe('Tickets (test): all of it');
  });

  test('gives its functions its name, and keeps metrics of its own', () => {
    const functions = resources('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables);
    expect(functions.length).toBeGreaterThan(4);
    for (const variables of functions) {
      expect(variables).toMatchObject({ APP: 'tickets', POWERTOOLS_METRICS_NAMESPACE: 'Tickets/test' });
    }
    expect(text).toContain('"Namespace":"Tickets/test"');
  });

  test('gives a consumer its generation, and each committing function the number of restores of its service', () => {
    const variables = resources('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables);
    expect(variables).toContainEqual(
      expect.objectContaining({ CONSUMER: 'sales-tickets', CONSUMER_GENERATION: '1', MAX_ATTEMPTS: '8' }),
    );
    const epochs = variables.flatMap(({ SERVICE, EPOCH }) => (EPOCH === undefined ? [] : [`${SERVICE} ${EPOCH}`]));
    expect([...new Set(epochs)].toSorted()).toEqual(['board 0', 'sales 2']);
  });

  test('gives a consumer and its drain the time of their first deployment, and an operator too', () => {
    const variables = resources('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables);
    const since = variables.flatMap(({ CONSUMER, CONSUMER_SINCE }) =>
      CONSUMER_SINCE ? [[CONSUMER, CONSUMER_SINCE]] : [],
    );
    expect(since).toEqual([
      ['sales-tickets', '2025-11-23'],
      ['sales-tickets', '2025-11-23'],
    ]);
    expect(JSON.stringify(template.Outputs)).toContain('since\\":\\"2025-11-23');
  });

  test.each([-1, 1.5, Number.NaN])('an application has no epoch %d', (epoch) =>
    expect(() => stackWith({ ...settings, epochs: { sales: epoch } })).toThrow(
      new SettingsError(`epochs.sales is ${epoch}: expected the number of restores, a whole number from 0 to 900000`),
    ),
  );

  test('names the runbook of the app in its alarms, if it has one', () => {
    const described = (app: object): readonly string[] =>
      ofType(templateOf(stackWith({ ...settings, app: { ...settings.app, ...app } })), 'AWS::CloudWatch::Alarm').map(
        ({ Properties }) => Properties.AlarmDescription,
      );
    for (const text of described({})) expect(text).not.toMatch(/what to do|runbook/i);
    for (const text of described({ runbook: 'https://wiki.example.com/alarms' })) {
      expect(text).toMatch(/ What to do: https:\/\/wiki\.example\.com\/alarms, "\w+"\.$/);
    }
    for (const text of described({ runbook: 'https://wiki.example.com/help/' })) {
      const [name] = text.split(':');
      expect(text).toContain(` What to do: https://wiki.example.com/help/alarms/${name}.md.`);
    }
  });

  test('subscribes and publishes by sources of its own', () => {
    const patterns = resources('AWS::Events::Rule').map(({ Properties }) => Properties.EventPattern.source);
    expect(patterns).toContainEqual(['tickets.board']);
    expect(patterns).toContainEqual(['tickets.sales']);
    expect(patterns).toContainEqual([{ 'anything-but': ['tickets.sales'] }]);
    for (const service of ['board', 'sales']) expect(text).toContain(`"events:source":"tickets.${service}"`);
    const [policy] = resources('AWS::Events::EventBusPolicy');
    expect(policy.Properties.Statement.Condition).toEqual({
      'ForAnyValue:StringNotLike': { 'events:source': 'tickets.*' },
    });
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

  test('gives its functions its roles if they verify tokens', () => {
    const judges = resources('AWS::Lambda::Function')
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter(({ JWT_ISSUER }) => JWT_ISSUER !== undefined);
    expect(judges).not.toEqual([]);
    for (const variables of judges)
      expect(variables).toMatchObject({ ROLES: '["agent","visitor"]', OPERATOR_ROLES: '["agent"]' });
  });

  test('keeps its tables in two services of one stack, under ids of their own', () => {
    const tables = Object.entries<Json>(template.Resources).filter(([, { Type }]) => Type.endsWith('::GlobalTable'));
    expect(tables.map(([id]) => id).sort()).toEqual([
      'BoardRecords',
      'BoardTable',
      'PlatformPersonalKeys',
      'SalesRecords',
      'SalesTable',
    ]);
  });

  test('shows each service by outputs with the service’s prefix', () => {
    const { Outputs } = template;
    const prefixes = servicePrefixes(Object.keys(Outputs));
    expect(prefixes).toEqual(['Board', 'Sales']);
    for (const prefix of prefixes) {
      for (const name of [
        Output.SERVICE,
        Output.TABLE,
        Output.RECORDS,
        Output.RELAY,
        Output.CONSUMERS,
        Output.FUNCTIONS,
      ])
        expect(Outputs).toHaveProperty(prefix + name);
      expect(Outputs[`${prefix}ServiceName`].Value).toBe(prefix.toLowerCase());
      expect(Outputs[`${prefix}TableName`].Value).toEqual({ Ref: `${prefix}Table` });
      expect(JSON.stringify(Outputs[`${prefix}Consumers`].Value)).toContain(prefix.toLowerCase());
    }
    expect(Object.keys(Outputs)).toEqual(
      expect.arrayContaining(['PlatformBusName', 'ApiId', 'ApiUrl', 'ApiFunctions']),
    );
  });

  test('gives no function of one service a right on the other’s tables', () => {
    const policies = Object.entries<Json>(template.Resources).filter(([, { Type }]) => Type === 'AWS::IAM::Role');
    const reach = (service: string, other: string) =>
      policies.filter(([id, policy]) => id.startsWith(service) && JSON.stringify(policy).includes(`"${other}`));
    expect(reach('Board', 'BoardTable')).not.toEqual([]);
    for (const table of ['SalesTable', 'SalesRecords']) expect(reach('Board', table)).toEqual([]);
    for (const table of ['BoardTable', 'BoardRecords']) expect(reach('Sales', table)).toEqual([]);
  });
});

/** A stack with a bus and alarms, and services of it. */
const services = (...props: Partial<ServiceProps>[]) => {
  const app = new App();
  const stack = new Stack(app, 'Tickets');
  const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings: small });
  const common = { settings: small, bundles: noCode, bus, alarmTopic };
  const all = props.map((own, at) => new Service(stack, `Service${at}`, { ...common, name: `service-${at}`, ...own }));
  return { app, stack, common, all };
};

describe('settings of an application', () => {
  test('settings have defaults for development, with no data to keep', () => {
    expect(small).toMatchObject({ environment: 'dev', keepsData: false, firewall: false, auth: { roleClaim: 'role' } });
    expect(templateOf(stackWith(small)).Description).toBe('Tickets (dev): all of it');
  });

  test.each(['', 't', 'Tickets', 'tick.ets', 'tickets-', '1st', 'x'.repeat(33)])(
    'settings with the name %j are refused',
    (name) => {
      const refused = { ...settings, app: { ...settings.app, name } };
      const error = new SettingsError(
        `app.name is '${name}': expected 2 to 32 of a-z, 0-9 and -, beginning with a letter and not ending in -`,
      );
      expect(() => stackProps(refused, 'Platform', 'bus')).toThrow(error);
      expect(() => new Platform(new Stack(), 'Platform', { settings: refused })).toThrow(error);
      const { common } = services();
      expect(() => new Service(new Stack(), 'Board', { ...common, settings: refused, name: 'board' })).toThrow(error);
    },
  );

  test.each([
    [{ roles: [] }, "app.roles: expected names of a-z and -, and not 'service': none"],
    [{ roles: ['agent', 'service'] }, "app.roles: expected names of a-z and -, and not 'service': service"],
    [{ roles: ['agent', 'Visitor:1'] }, "app.roles: expected names of a-z and -, and not 'service': Visitor:1"],
    [{ operatorRoles: ['boss'] }, 'app.operatorRoles: not in app.roles: boss'],
  ])('settings with %j are refused', (app, message) => {
    expect(() => stackProps({ ...settings, app: { ...settings.app, ...app } }, 'Platform', 'bus')).toThrow(
      new SettingsError(message),
    );
  });
});

describe('texts of errors', () => {
  test('error texts are all refused at synth if data is kept, in every construct with a function', () => {
    const kept: EnvironmentSettings = { ...settings, keepsData: true, failureTexts: 'full' };
    const error = new SettingsError(
      `failureTexts of '${kept.environment}' is 'full', and it keeps its data: expected 'safe', since texts of errors may contain data of people`,
    );
    const { common } = services();
    expect(() => new Service(new Stack(), 'Board', { ...common, settings: kept, name: 'board' })).toThrow(error);
    const context = { service: 'board', settings: kept, bundles: noCode };
    expect(() => new ServiceFunction(new Stack(), 'Alone', { context, entry: 'x' })).toThrow(error);
  });

  test('error texts are all kept in development, unless its settings say otherwise', () => {
    const variablesOf = (own: EnvironmentSettings) =>
      ofType(templateOf(stackWith(own)), 'AWS::Lambda::Function').map(
        ({ Properties }) => Properties.Environment?.Variables?.[Env.FAILURE_TEXTS],
      );
    expect(new Set(variablesOf(small))).toEqual(new Set(['full']));
    expect(new Set(variablesOf({ ...small, failureTexts: 'safe' }))).toEqual(new Set([undefined]));
  });
});

describe('an issuer whose signing key is public', () => {
  const jwks = '{"keys":[]}';
  const withAuth = (auth: Partial<EnvironmentSettings['auth']>, context: Readonly<Record<string, unknown>> = {}) =>
    errorsOf(new TicketsStack(new App({ context }), { ...small, auth: { ...small.auth, ...auth } }));
  const issuer = simulatedIssuer.auth.issuer;

  test.each([{}, { simulated: 'false' }, { simulated: '' }])(
    'such an issuer is refused at synth with the context %j',
    (context) => {
      expect(withAuth(simulatedIssuer.auth, context)).toEqual([
        `everybody can sign tokens of the simulated issuer '${issuer}': deploy with your own issuer in 'auth', or synthesize for the simulator only (cdk synth -c simulated=true)`,
      ]);
    },
  );

  test.each(['issuer.invalid', 'https://ISSUER.INVALID/', 'https://issuer.invalid:8443/path'])(
    'any issuer below .invalid counts as one: %s',
    (other) => expect(withAuth({ issuer: other, jwks })).toHaveLength(1),
  );

  test.each([true, 'true'])('such an issuer is allowed for the simulator, by the context %j', (simulated) =>
    expect(withAuth(simulatedIssuer.auth, { simulated })).toEqual([]),
  );

  test.each([{}, { simulated: 'true' }])(
    'such an issuer is refused if data is kept, even with the context %j',
    (context) => {
      const { auth } = simulatedIssuer;
      const prod = {
        ...small,
        environment: 'prod',
        keepsData: true,
        failureTexts: 'safe' as const,
        auth: { ...small.auth, ...auth },
      };
      expect(errorsOf(new TicketsStack(new App({ context }), prod))).toEqual([
        `everybody can sign tokens of the simulated issuer '${issuer}', and 'prod' keeps data: expected your own issuer in 'auth'; the context simulated=true is for environments that keep no data`,
      ]);
    },
  );

  test('an issuer that can exist, or whose keys are fetched, is accepted', () => {
    expect(withAuth({ issuer: 'https://login.example.com/.invalid', jwks })).toEqual([]);
    expect(withAuth({ issuer })).toEqual([]);
  });
});

describe('a bus that is there already', () => {
  const onBus = (arn: string) => {
    const app = new App();
    return new TicketsStack(app, small, { bus: EventBus.fromEventBusArn(new Stack(app, 'Owner'), 'Shared', arn) });
  };

  test('an existing bus is used as it is: without an archive, and without a policy that shuts others out', () => {
    const stack = onBus('arn:aws:events:eu-west-1:111111111111:event-bus/shared');
    const template = templateOf(stack);
    for (const type of ['EventBus', 'EventBusPolicy', 'Archive'])
      expect(ofType(template, `AWS::Events::${type}`)).toEqual([]);
    expect(template.Outputs.PlatformBusName.Value).toBe('shared');
    const onTheBus = ofType(template, 'AWS::Events::Rule').filter(({ Properties }) => Properties.EventBusName);
    expect(onTheBus.length).toBeGreaterThan(0);
    for (const { Properties } of onTheBus) expect(JSON.stringify(Properties.EventBusName)).toContain('shared');
    expect(errorsOf(stack)).toEqual([]);
  });

  test('an existing bus is refused if it is in another account or region', () => {
    const stack = onBus('arn:aws:events:us-east-1:111111111111:event-bus/shared');
    const refusing = Annotations.fromStack(stack)
      .findError(
        '*',
        "bus 'shared' is in account 111111111111, region us-east-1: expected a bus of this stack's own account and region",
      )
      .map(({ id }) => id);
    expect(refusing).toEqual(
      expect.arrayContaining(['/Tickets/Platform', '/Tickets/Board/Outbox', '/Tickets/Board/Closing']),
    );
  });
});

/** Faults that `cdk synth` reports. */
const faultsIn = (app: App): readonly string[] => app.node.findAll().flatMap(({ node }) => node.validate());

describe('a service', () => {
  test('takes a records table of another stack', () => {
    const records = recordsTable(new Stack(new App(), 'Data'), 'BoardRecords', small);
    const { stack, app } = services({ records });
    expect(templateOf(records.stack).Resources).toHaveProperty('BoardRecords');
    expect(faultsIn(app)).toEqual([]);
    expect(stack.node.findChild('Service0').node.tryFindChild('Records')).toBeUndefined();
  });

  test('shares its records table with no other', () => {
    const records = recordsTable(new Stack(), 'Shared', small);
    const { app } = services({ records }, { records });
    expect(faultsIn(app)).toContain(
      'Tickets/Service0 and Tickets/Service1 share a records table: expected one for each service',
    );
  });

  test('declares its endpoints before the API that serves them', () => {
    const { app, stack, common, all } = services({});
    new Api(stack, 'Api', { ...common, services: all });
    all[0]!.addEndpoint('Late', { method: 'GET', path: '/late' }, 'late');
    expect(faultsIn(app)).toContain('GET /late is not served: expected it to be declared before the API');
  });
});

test("a graph with a metric of the kit replaces the kit's, and others come first", () => {
  const graphs = [
    { title: 'Tickets opened', metrics: ['TicketsOpened'] },
    { title: 'What is stuck', metrics: [Metric.SAGAS_STUCK, 'TicketsStuck'] },
  ];
  const [dashboard] = ofType(templateOf(stackWith(small, { graphs })), 'AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(dashboard.Properties.DashboardBody);
  const at = (title: string) => text.indexOf(title);
  expect(at('Tickets opened')).toBeGreaterThan(0);
  expect(at('Tickets opened')).toBeLessThan(at('Duplicates suppressed'));
  expect(at('What is stuck')).toBeGreaterThan(at('Transient failures'));
  expect(text).not.toContain('Sagas that are stuck');
});

test("the app of the kit's README is synthesized, with a function for its one consumer", async () => {
  const out = mkdtempSync(join(tmpdir(), 'statistics-'));
  const ends: [string | symbol, () => void][] = [];
  const once = vi.spyOn(process, 'once').mockImplementation((event, listener) => {
    ends.push([event, listener as () => void]);
    return process;
  });
  vi.stubEnv('CDK_OUTDIR', out);
  try {
    await import('../packages/statistics/app.js');
    // With this variable, which `cdk synth` sets, an app synthesizes when its program ends.
    for (const moment of ['beforeExit', 'exit']) for (const [event, end] of ends) if (event === moment) end();
    const { Outputs } = JSON.parse(readFileSync(join(out, 'Tickets.template.json'), 'utf8'));
    expect(JSON.stringify(Outputs.StatisticsFunctions)).toContain('count-opened');
    expect(JSON.stringify(Outputs.StatisticsConsumers)).toContain('counting');
  } finally {
    vi.unstubAllEnvs();
    once.mockRestore();
    rmSync(out, { recursive: true });
  }
});
