import { describe, expect, test } from 'vitest';
import { AccountsEnv } from '../../lambdas/accounts/environment.js';
import { AppEnv } from '../../lambdas/environment.js';
import { OrdersEnv } from '../../lambdas/orders/environment.js';
import { PaymentsEnv } from '../../lambdas/payments/environment.js';
import { ReportsEnv } from '../../lambdas/reports/environment.js';
import { RewardsEnv } from '../../lambdas/rewards/environment.js';
import { OrderlyEnvironment } from '../../lib/environment.js';
import { settingsFor } from '../../lib/settings.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { OperatorApiEnv } from '../../packages/operator/api/contract.js';
import { AuditorEnv } from '../../packages/operator/auditor/contract.js';
import {
  consumersOf,
  functionsOf,
  type Json,
  keyed,
  newApp,
  noCode,
  referenced,
  SERVICES,
  statements,
  synthesized,
} from '../support/environments.js';

const dev = synthesized('dev');
const prod = synthesized('prod');
const functions = [dev, prod].flatMap((environment) => environment.everywhere('AWS::Lambda::Function'));

/** Permissions that can't be narrower, by their policy. Each is acknowledged beside its resource, with the reason. */
const WILDCARDS = [
  { policy: /^OutboxRelayRole/, resource: '/stream/*' },
  { policy: /^OutboxRelayRole/, resource: '/aws/lambda/*' },
  { policy: /^OutboxDrainFailedBatchesRole/, resource: '/aws/lambda/*' },
  { policy: /^InboxesDispatcherRole/, resource: '/stream/*' },
  { policy: /^(Commands|Accounts)LaneWriterRole/, resource: '/stream/*' },
  { policy: /^(Commands|Accounts)LaneWriterRole/, resource: '/aws/lambda/*' },
];

/** The delivery audit: it names the resources of the services' stacks by the beginnings of their names. */
const AUDITOR = /^AuditorRole/;
/** Functions of the operator's API, which name resources by the beginnings of their names, too. */
const OPERATIONS = /^Get(Status|Failures|Audit|Trace|Orders|AuditLog)Role/;
/** Ends of their resources: of all stacks of the environment, or of one stack's tables. */
const NAMED_BY_ENVIRONMENT =
  /:(stack\/orderly-(dev|prod)-\*|orderly-(dev|prod)-\*|function:orderly-(dev|prod)-\*Rebuild\*|log-group:orderly-(dev|prod)-\*|table\/orderly-(dev|prod)-(\w+)?\*(\/index\/(failed|due|feed|placed))?)$/;
/** Ends of the delivery audit's resources. */
const NAMED_BY_STACK =
  /:(stack\/orderly-(dev|prod)-\w+\/\*|(table\/|function:|)orderly-(dev|prod)-\w+\*(\/index\/feed)?)$/;

/** Actions of the status, of audits and of traces that IAM grants for all resources only. */
const ASKED_OF_ALL = [
  'sqs:ListQueues',
  'cloudwatch:GetMetricData',
  'cloudwatch:DescribeAlarms',
  'logs:DescribeLogGroups',
  'logs:GetQueryResults',
];

/** Logical id without hash. */
const plain = (id: string): string => id.replace(/(Function)?[0-9A-F]{8}$/, '');

/** Writers of the lanes. */
const LANE_WRITERS = ['Inventory/CommandsLaneWriter', 'Accounts/AccountsLaneWriter'];

/** Returns every function that an environment needs: nothing else of the app or of the CDK runs. */
function expectedIn(environment: typeof prod): readonly string[] {
  const consumers = consumersOf(environment);
  return [
    'Api/Authorize',
    'Api/OpenApi',
    'Audit/Auditor',
    ...SERVICES.flatMap((stack) => [`${stack}/OutboxRelay`, `${stack}/OutboxDrainFailedBatches`]),
    ...consumers.flatMap(({ stack, id }) => [`${stack}/On${id}`, `${stack}/${id}DrainDeadLetters`]),
    ...consumers.flatMap(({ stack, rebuild }) => (rebuild === undefined ? [] : [`${stack}/${plain(rebuild)}`])),
    ...consumers.flatMap(({ stack, id, saga }) => (saga === undefined ? [] : [`${stack}/${id}TimersSweeper`])),
    ...consumers.flatMap(({ stack, id, inbox }) =>
      inbox === undefined ? [] : [`${stack}/Run${id}`, `${stack}/${id}InboxSweeper`],
    ),
    ...new Set(consumers.flatMap(({ stack, inbox }) => (inbox === undefined ? [] : [`${stack}/InboxesDispatcher`]))),
    ...LANE_WRITERS,
    ...endpointsOf(environment),
  ];
}

/** Returns the functions that the API may call, by the outputs that it imports. */
const endpointsOf = (environment: typeof prod): readonly string[] => [
  ...new Set(
    environment.resources('Api', 'AWS::ApiGateway::Method').flatMap(({ properties }) => {
      const [, stack, id] = /-(\w+):ExportsOutputFnGetAtt(\w+?)Arn[0-9A-F]{8}"/.exec(JSON.stringify(properties)) ?? [];
      return stack === undefined || id === undefined ? [] : [`${stack}/${plain(id)}`];
    }),
  ),
];

describe('each function', () => {
  test('functions behind the API keep their log, which names operators, for a year if data is kept', () => {
    const retention = (environment: typeof prod) => {
      const logs = new Map(
        environment.everywhere('AWS::Logs::LogGroup').map(({ stack, id, properties }) => [stack + id, properties]),
      );
      const kept = environment.everywhere('AWS::Lambda::Function').map(({ stack, properties }) => ({
        behindApi: properties.Environment.Variables.JWT_ISSUER !== undefined && stack !== 'Api',
        days: logs.get(stack + referenced(properties.LoggingConfig.LogGroup))?.RetentionInDays,
      }));
      const days = (behind: boolean) => [
        ...new Set(kept.filter(({ behindApi }) => behindApi === behind).map((one) => one.days)),
      ];
      return { behindApi: days(true), others: days(false) };
    };
    expect(retention(prod)).toEqual({ behindApi: [365], others: [90] });
    expect(retention(dev)).toEqual({ behindApi: [3], others: [3] });
  });

  test('runs current Node on arm64, with a set timeout and memory', () => {
    for (const environment of [dev, prod]) {
      const own = environment.everywhere('AWS::Lambda::Function').map(({ stack, id }) => `${stack}/${plain(id)}`);
      expect(own.toSorted()).toEqual(expectedIn(environment).toSorted());
    }
    for (const { properties } of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        // At WARN a timeout and a crash still leave a line. Application lines of metrics have no level, so INFO has to pass.
        LoggingConfig: {
          LogFormat: 'JSON',
          SystemLogLevel: 'WARN',
          ApplicationLogLevel: expect.stringMatching(/^(INFO|DEBUG)$/),
        },
      });
      expect(properties.Timeout).toBeGreaterThan(0);
    }
  });

  test('functions that take messages have 256 MB; those that answer somebody, work on a lane or in the background have 512', () => {
    const of = (megabytes: number) =>
      dev
        .everywhere('AWS::Lambda::Function')
        .filter(({ properties }) => properties.MemorySize === megabytes)
        .map(({ stack, id }) => `${stack}/${plain(id)}`);
    const takesMessages = /\/(?:On\w+|Run(?!Days)\w+|OutboxRelay|InboxesDispatcher)$/;
    expect(of(256).filter((name) => !takesMessages.test(name))).toEqual([]);
    expect(of(512).filter((name) => takesMessages.test(name))).toEqual([]);
    expect(of(256).length + of(512).length).toBe(dev.everywhere('AWS::Lambda::Function').length);
  });

  test('the outputs of its stack name each function', () => {
    for (const environment of [dev, prod]) {
      const told = functionsOf(environment);
      const all = environment.everywhere('AWS::Lambda::Function');
      expect(told.map(({ stack, name }) => `${stack}/${name}`).toSorted()).toEqual(
        all.map(({ stack, id }) => `${stack}/${id}`).toSorted(),
      );
      for (const { stack, name, service, consumer } of told) {
        const found = all.find((one) => one.stack === stack && one.id === name);
        const { Variables } = found?.properties.Environment ?? {};
        expect({ service: Variables.SERVICE, consumer: Variables.CONSUMER }, name).toEqual({ service, consumer });
      }
    }
  });

  test('each function has an entry point of its own in its service, or one of the kit for a consumer', () => {
    const keys = functionsOf(prod).map(({ service, entry, consumer = '' }) => [service, entry, consumer].join(' '));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(functionsOf(prod)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entry: 'orders/place-order', name: expect.stringMatching(/^PlaceOrder/) }),
        expect.objectContaining({ entry: 'kit/http/authorizer', service: 'platform' }),
        expect.objectContaining({ entry: 'orders/on-saga-message', consumer: 'orders-saga' }),
        expect.objectContaining({ entry: 'kit/timers/sweeper', consumer: 'orders-saga' }),
        expect.objectContaining({ entry: 'kit/drains/drain-dead-letters', consumer: 'reservations' }),
      ]),
    );
  });

  test('a function that calls Stripe has time for its four calls and for the tables', () => {
    const talking = functions.filter(({ stack, id }) => stack === 'Payments' && id.startsWith('OnProvider'));
    expect(talking).toHaveLength(2);
    const FOUR_CALLS = 4 * 5;
    for (const { properties } of talking) expect(properties.Timeout).toBeGreaterThan(FOUR_CALLS + 5);
  });

  test('writes to the log of its stack, or of its endpoints, with a retention', () => {
    const days = (environment: typeof dev) =>
      new Set(environment.everywhere('AWS::Logs::LogGroup').map(({ properties }) => properties.RetentionInDays));
    expect([...days(dev)]).toEqual([3]);
    expect([...days(prod)].toSorted()).toEqual([365, 90]);
    const groups = functions.map(
      ({ stack, properties }) => `${stack}/${referenced(properties.LoggingConfig.LogGroup)}`,
    );
    const withoutHash = groups.map((group) => group.replace(/[0-9A-F]{8}$/, ''));
    expect([...new Set(withoutHash)].toSorted()).toEqual(
      [
        'Api/FunctionLogs',
        'Audit/FunctionLogs',
        'Operations/EndpointLogs',
        ...SERVICES.flatMap((stack) => [`${stack}/EndpointLogs`, `${stack}/FunctionLogs`]),
      ].toSorted(),
    );
  });

  test('each function has its own role, without AWS managed policies', () => {
    for (const environment of [dev, prod]) {
      const roles = environment
        .everywhere('AWS::Lambda::Function')
        .map(({ stack, properties }) => `${stack}/${referenced(properties.Role)}`);
      expect(new Set(roles).size).toBe(roles.length);
      for (const { id, properties } of environment.everywhere('AWS::IAM::Role')) {
        // API Gateway's logging role belongs to the account, and AWS Backup has its own. Neither is a function's role.
        if (!/CloudWatchRole|^BackupRole/.test(id)) expect(properties.ManagedPolicyArns, id).toBeUndefined();
      }
    }
  });

  test('each function has only variables with declared names, and its environment’s name', () => {
    const known = new Set<string>([
      ...[Env, AuditorEnv, OperatorApiEnv, AppEnv, AccountsEnv, OrdersEnv, PaymentsEnv, RewardsEnv, ReportsEnv].flatMap(
        Object.values,
      ),
      ...POWERTOOLS,
    ]);
    for (const { id, properties } of functions) {
      const { Variables } = properties.Environment;
      for (const name of Object.keys(Variables)) expect(known, id).toContain(name);
      expect(Variables.POWERTOOLS_SERVICE_NAME).toBe(Variables.SERVICE);
      expect(Variables.POWERTOOLS_METRICS_NAMESPACE).toBe(`Orderly/${Variables.ENVIRONMENT}`);
    }
  });
});

test('every function of dev keeps all texts of errors, and no function of prod does', () => {
  const textsIn = (environment: typeof dev) =>
    environment
      .everywhere('AWS::Lambda::Function')
      .filter(({ properties }) => properties.Environment?.Variables?.[Env.SERVICE])
      .map(({ properties }) => properties.Environment.Variables[Env.FAILURE_TEXTS]);
  expect(new Set(textsIn(dev))).toEqual(new Set(['full']));
  expect(new Set(textsIn(prod))).toEqual(new Set([undefined]));
});

test('consumers that compare addresses have the keys of people, and seal texts of errors with them', () => {
  const consumers = prod.everywhere('AWS::Lambda::Function').flatMap(({ properties }) => {
    const { [Env.CONSUMER]: name, [Env.PERSONAL_DATA_KEY]: key } = properties.Environment?.Variables ?? {};
    return name && key ? [name] : [];
  });
  expect(consumers.toSorted()).toEqual(['orders-reviews', 'orders-saga']);
});

test('every function that limits a customer knows the limits of its environment', () => {
  for (const [environment, customerLimits] of [
    [dev, settingsFor('dev').customerLimits],
    [prod, settingsFor('prod').customerLimits],
  ] as const) {
    const told = environment.everywhere('AWS::Lambda::Function').flatMap(({ stack, id, properties }) => {
      const limits = properties.Environment.Variables[AppEnv.CUSTOMER_LIMITS];
      if (limits === undefined) return [];
      expect(JSON.parse(limits)).toEqual(customerLimits);
      return [`${stack}/${id.replace(/Function.*/, '')}`];
    });
    expect(told.toSorted()).toEqual([
      'Accounts/AccountsLaneWriter',
      'Accounts/OnCommands',
      'Accounts/OnOrderEnds',
      'Accounts/OnSettlements',
      'Orders/OnCommands',
      'Orders/PlaceOrder',
      'Payments/RefundPayment',
      'Payments/RequestPayment',
    ]);
  }
});

describe('reserved concurrency', () => {
  const reserved = (environment: typeof dev) =>
    environment
      .everywhere('AWS::Lambda::Function')
      .flatMap(({ stack, id, properties: { ReservedConcurrentExecutions: kept } }) =>
        kept === undefined ? [] : [[`${stack}/${id.replace(/(Function)?[0-9A-F]{8}$/, '')}`, kept]],
      );

  test('keeps room during a flood of the API for consumers, relays, the sweeper and the authorizer', () => {
    expect(Object.fromEntries(reserved(prod))).toEqual({
      ...Object.fromEntries(consumersOf(prod).map(({ stack, id }) => [`${stack}/On${id}`, 10])),
      'Orders/OnSaga': 50,
      'Payments/OnProvider': 40,
      ...Object.fromEntries(SERVICES.map((service) => [`${service}/OutboxRelay`, 40])),
      ...Object.fromEntries(LANE_WRITERS.map((writer) => [writer, 4])),
      'Orders/SagaTimersSweeper': 2,
      'Orders/JudgementsInboxSweeper': 2,
      'Orders/RunJudgements': 10,
      'Rewards/RunAccountEvents': 10,
      'Rewards/AccountEventsInboxSweeper': 2,
      'Reports/RunDays': 2,
      'Reports/DaysInboxSweeper': 2,
      'Api/Authorize': 200,
    });
  });

  test('no template says whether a mapping is on, so a deployment of what is unchanged leaves a paused consumer paused', () => {
    const mappings = [dev, prod].flatMap((environment) => environment.everywhere('AWS::Lambda::EventSourceMapping'));
    expect(mappings.length).toBeGreaterThan(0);
    expect(mappings.filter(({ properties }) => properties.Enabled !== undefined)).toEqual([]);
  });

  test("reserved concurrency is never below a queue's maximum, since throttled batches use up receives", () => {
    for (const { stack, id, properties } of prod.everywhere('AWS::Lambda::Function')) {
      const { ReservedConcurrentExecutions: kept = Number.POSITIVE_INFINITY } = properties;
      const atOnce = prod
        .resources(stack, 'AWS::Lambda::EventSourceMapping')
        .filter((mapping) => referenced(mapping.properties.FunctionName) === id)
        .reduce((sum, mapping) => sum + (mapping.properties.ScalingConfig?.MaximumConcurrency ?? 0), 0);
      expect(kept, id).toBeGreaterThanOrEqual(atOnce);
    }
  });

  test('dev has no reserved concurrency, since its account may be new', () => expect(reserved(dev)).toEqual([]));

  test('fails synth if it leaves the account less than AWS keeps unreserved', () => {
    const stage = (concurrency: number) => () =>
      new OrderlyEnvironment(newApp(), 'prod', { settings: { ...settingsFor('prod'), concurrency }, bundles: noCode });
    const sum = reserved(prod).reduce((before, [, kept]) => before + Number(kept), 0);
    const least = sum + 100;
    expect(stage(least - 1)).toThrow(
      `the functions of 'prod' reserve ${sum} executions at once, and AWS keeps 100 unreserved: concurrency is ${least - 1}, take ${least} or more (a higher quota of AWS Lambda), or 'small', which fits into an account of 10 and admits fewer orders (-c concurrency=small)`,
    );
    expect(stage(least)).not.toThrow();
  });
});

describe('roles', () => {
  test('roles have no wildcard in their actions', () => {
    for (const { policy, actions } of [...statements(dev), ...statements(prod)]) {
      expect(
        actions.filter((action) => action.includes('*')),
        policy,
      ).toEqual([]);
    }
  });

  test('roles have no wildcard in their resources except the listed ones', () => {
    for (const { policy, resources, actions } of [...statements(dev), ...statements(prod)]) {
      for (const resource of resources.filter((resource) => JSON.stringify(resource).includes('*'))) {
        const rest = resource['Fn::Join']?.[1].at(-1) ?? resource;
        const isListed =
          WILDCARDS.some((listed) => listed.policy.test(policy) && listed.resource === rest) ||
          (AUDITOR.test(policy) && NAMED_BY_STACK.test(rest)) ||
          (OPERATIONS.test(policy) && NAMED_BY_ENVIRONMENT.test(rest)) ||
          (/^(Get(Status|Audit|Trace)|Auditor)Role/.test(policy) &&
            rest === '*' &&
            actions.every((action) => ASKED_OF_ALL.includes(action)));
        expect(isListed, `${policy}: ${JSON.stringify(resource)}`).toBe(true);
      }
    }
  });

  test('rights to items apply only to requests that name their keys', () => {
    const items = [...statements(dev), ...statements(prod)].filter(({ actions }) =>
      actions.some((action) =>
        /^dynamodb:(?!(DescribeStream|GetRecords|GetShardIterator|ListStreams|Scan)$)/.test(action),
      ),
    );
    expect(items.length).toBeGreaterThan(100);
    for (const { policy, condition, actions } of items) {
      // The delivery audit and operators read what every service has committed, and every record.
      if ((AUDITOR.test(policy) || OPERATIONS.test(policy)) && /^dynamodb:(Query|BatchGetItem)$/.test(actions.join()))
        continue;
      expect(condition, policy).toEqual(keyed(...condition['ForAllValues:StringLike']['dynamodb:LeadingKeys']));
    }
  });

  test('the role of place-order permits exactly what a new order needs', () => {
    const own = statements(prod).filter(({ policy }) => policy.startsWith('PlaceOrderRole'));
    expect(own.map(({ actions, condition }) => ({ actions, condition }))).toEqual([
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], condition: undefined },
      {
        actions: ['dynamodb:PutItem', 'dynamodb:Query'],
        condition: keyed('Order#*'),
      },
      {
        actions: ['dynamodb:Query'],
        condition: keyed('CUSTOMER#*'),
      },
      {
        actions: ['dynamodb:GetItem'],
        condition: keyed('PROJECTION#*'),
      },
      {
        actions: ['dynamodb:GetItem'],
        condition: keyed('USER#*'),
      },
      {
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        condition: keyed('PERSON#*'),
      },
      {
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        condition: { StringEquals: { 'kms:EncryptionContext:purpose': 'personal-data' } },
      },
    ]);
  });

  test('permit places among the waits only to routes that wait, and give those time below the 29 s of the gateway', () => {
    const waiting = statements(prod).filter(({ condition }) => JSON.stringify(condition ?? '').includes('"wait#*"'));
    expect(waiting.map(({ stack, policy, actions }) => [stack, policy.replace(/Role.*/, ''), ...actions])).toEqual([
      ['Orders', 'GetOrder', 'dynamodb:DeleteItem', 'dynamodb:PutItem'],
    ]);
    const timeout = (id: string) =>
      prod.resources('Orders', 'AWS::Lambda::Function').find((one) => one.id.startsWith(id))?.properties.Timeout;
    expect([timeout('GetOrder'), timeout('ListOrders')]).toEqual([28, 10]);
  });

  test('permit opening and using sessions, and storing answers by key, only to routes that do so', () => {
    const touching = (prefix: string) =>
      statements(prod)
        .filter(({ condition }) => JSON.stringify(condition ?? '').includes(`"${prefix}*"`))
        .map(({ stack, policy, actions }) => [stack, policy.replace(/Role.*/, ''), ...actions]);
    expect(touching('session#')).toEqual([
      ['Orders', 'CancelOrder', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['Orders', 'OpenSession', 'dynamodb:PutItem'],
      ['Orders', 'GetSession', 'dynamodb:GetItem'],
      ['Payments', 'RequestPayment', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['Payments', 'RefundPayment', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['Payments', 'OpenSession', 'dynamodb:PutItem'],
      ['Payments', 'GetSession', 'dynamodb:GetItem'],
      ['Users', 'PatchMe', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['Users', 'ForgetMe', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['Users', 'OpenSession', 'dynamodb:PutItem'],
      ['Users', 'GetSession', 'dynamodb:GetItem'],
    ]);
    expect(touching('api#').map(([, policy]) => policy)).toEqual([
      'CancelOrder',
      'DispatchOrder',
      'ApplyBonus',
      'RefundPayment',
      'PatchMe',
      'ForgetMe',
    ]);
    // Counts are changed without reading them. A function that counts can neither read nor delete others' counts.
    expect(touching('limit#')).toEqual([
      ['Payments', 'RequestPayment', 'dynamodb:UpdateItem'],
      ['Payments', 'RefundPayment', 'dynamodb:UpdateItem'],
    ]);
    const told = prod.everywhere('AWS::Lambda::Function').map(({ stack, id, properties }) => ({
      at: `${stack}/${id.replace(/Function.*/, '')}`,
      path: properties.Environment.Variables[Env.SESSIONS],
    }));
    expect(told.filter(({ path }) => path !== undefined)).toEqual([
      { at: 'Orders/CancelOrder', path: '/sessions' },
      { at: 'Orders/OpenSession', path: '/sessions' },
      { at: 'Orders/GetSession', path: '/sessions' },
      { at: 'Payments/RequestPayment', path: '/payments/sessions' },
      { at: 'Payments/RefundPayment', path: '/payments/sessions' },
      { at: 'Payments/OpenSession', path: '/payments/sessions' },
      { at: 'Payments/GetSession', path: '/payments/sessions' },
      { at: 'Users/PatchMe', path: '/users/sessions' },
      { at: 'Users/ForgetMe', path: '/users/sessions' },
      { at: 'Users/OpenSession', path: '/users/sessions' },
      { at: 'Users/GetSession', path: '/users/sessions' },
    ]);
  });

  test('permit payments to read only their provider’s secret, and none if no money is moved', () => {
    const readers = (environment: typeof dev) =>
      statements(environment).filter(({ actions }) => actions.some((action) => action.startsWith('ssm:')));
    expect(readers(dev)).toEqual([]);
    const trial = { paymentProvider: 'sandbox', allowSandbox: 'true' } as const;
    expect(readers(synthesized('prod', trial))).toEqual([]);
    const [reader, ...others] = readers(prod);
    expect(others).toEqual([]);
    expect(reader).toMatchObject({ stack: 'Payments', actions: ['ssm:GetParameter'] });
    expect(JSON.stringify(reader?.resources)).toContain(':parameter/orderly/prod/stripe-secret-key"');
    expect(reader?.policy).toMatch(/^OnProviderRole/);
  });

  test('permit only the route of users to erase keys of people; it can neither read keys nor use the KMS key', () => {
    const touching = statements(prod)
      .filter(({ condition }) => JSON.stringify(condition ?? '').includes('"PERSON#*"'))
      .map(({ policy, actions }) => [policy.replace(/Role.*/, ''), ...actions]);
    const erasing = touching.filter(([, ...actions]) =>
      actions.some((action) => !['dynamodb:GetItem', 'dynamodb:PutItem'].includes(action)),
    );
    expect(erasing).toEqual([['ForgetMe', 'dynamodb:UpdateItem']]);
    const own = statements(prod).filter(({ policy }) => policy.startsWith('ForgetMeRole'));
    expect(own.flatMap(({ actions }) => actions).filter((action) => action.startsWith('kms:'))).toEqual([]);
  });

  test("permit payments to store each account's customer at Stripe, and none if no money is moved", () => {
    const keepers = (environment: typeof dev) =>
      statements(environment)
        .filter(({ condition }) => JSON.stringify(condition ?? '').includes('"STRIPE#*"'))
        .map(({ stack, policy, actions }) => [stack, policy.replace(/Role.*/, ''), ...actions]);
    const deleting = ['Payments', 'OnForgettings', 'dynamodb:DeleteItem'];
    expect(keepers(dev)).toEqual([deleting]);
    expect(keepers(synthesized('prod', { paymentProvider: 'sandbox', allowSandbox: 'true' }))).toEqual([deleting]);
    expect(keepers(prod)).toEqual([deleting, ['Payments', 'OnProvider', 'dynamodb:GetItem', 'dynamodb:PutItem']]);
  });

  test("permit only the provider's consumer to change payers, and deleting the payment method of a forgotten user", () => {
    const touching = statements(prod)
      .filter(({ condition }) => /"(Payer|METHOD)#\*"/.test(JSON.stringify(condition ?? '')))
      .map(({ policy, actions, condition }) => [
        policy.replace(/Role.*/, ''),
        actions.map((action) => action.replace('dynamodb:', '')),
        /Payer#/.test(JSON.stringify(condition)),
      ]);
    expect(touching).toEqual([
      ['OnForgettings', ['DeleteItem'], false],
      ['OnProvider', ['GetItem', 'PutItem'], true],
    ]);
  });

  test('a rebuild may scan its table and feed, and access rows, aggregates and its pointer', () => {
    for (const [policy, aggregates, rows, records] of [
      ['RebuildListProjectionRole', 'Order#*', 'CUSTOMER#*', 'orders-list@*'],
      ['RebuildExhaustedProjectionRole', 'Account#*', 'CREDIT#*', 'accounts-exhausted@*'],
    ] as const) {
      const own = statements(prod).filter((statement) => statement.policy.startsWith(policy));
      expect(own.map(({ actions, condition }) => ({ actions, condition }))).toEqual(
        expect.arrayContaining([
          { actions: ['dynamodb:Query'], condition: keyed(aggregates) },
          { actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'], condition: keyed(rows) },
          { actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], condition: keyed('PROJECTION#*') },
          { actions: ['dynamodb:Scan'], condition: undefined },
          { actions: ['dynamodb:GetItem', 'dynamodb:PutItem'], condition: keyed(records) },
        ]),
      );
      expect(own).toHaveLength(6);
    }
    const scanning = statements(prod).filter(({ actions }) => actions.includes('dynamodb:Scan'));
    expect(scanning.map(({ policy }) => policy.slice(0, 7))).toEqual(['Rebuild', 'Rebuild']);
  });

  test("a list's readers and projection may only read its pointer", () => {
    const touching = statements(prod).filter(({ condition }) =>
      JSON.stringify(condition ?? '').includes('PROJECTION#'),
    );
    const others = touching.filter(({ policy }) => !policy.startsWith('Rebuild'));
    expect(others.map(({ policy }) => policy.replace(/Role.*/, '')).toSorted()).toEqual([
      'DispatchOrder',
      'GetOrders',
      'GetTrace',
      'ListAccounts',
      'ListOrders',
      'OnCommands',
      'OnExhaustedProjection',
      'OnListProjection',
      'OnSaga',
      'PlaceOrder',
      'RunJudgements',
    ]);
    for (const { actions } of others) expect(actions).toEqual(['dynamodb:GetItem']);
  });

  test('permit only relays to write to the bus, each for its own service', () => {
    const writers = statements(prod).filter(({ actions }) => actions.includes('events:PutEvents'));
    const told = writers.map(({ stack, policy, condition }) => [`${stack}/${policy.slice(0, 15)}`, condition]);
    const own = (service: string) => ({
      'ForAllValues:StringEquals': { 'events:source': `orderly.${service}` },
      Null: { 'events:source': 'false' },
    });
    expect(Object.fromEntries(told)).toEqual({
      'Accounts/OutboxRelayRole': own('accounts'),
      'Baskets/OutboxRelayRole': own('baskets'),
      'Catalog/OutboxRelayRole': own('catalog'),
      'Inventory/OutboxRelayRole': own('inventory'),
      'Orders/OutboxRelayRole': own('orders'),
      'Payments/OutboxRelayRole': own('payments'),
      'Rewards/OutboxRelayRole': own('rewards'),
      'Reports/OutboxRelayRole': own('reports'),
      'Users/OutboxRelayRole': own('users'),
    });
    expect(told).toHaveLength(9);
  });
});

const POWERTOOLS: Json = ['POWERTOOLS_SERVICE_NAME', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_LOG_LEVEL'];

describe('environment variables', () => {
  /** A synthesis with one text in each function that verifies tokens. */
  const synthWith = (audience: string) => () => {
    const app = newApp();
    const settings = settingsFor('dev');
    new OrderlyEnvironment(app, 'dev', {
      settings: { ...settings, auth: { ...settings.auth, audience } },
      bundles: noCode,
    });
    app.synth();
  };

  test('variables above the limit of Lambda are refused at synth, with the largest, its size and the limit', () => {
    expect(synthWith('x'.repeat(4_000))).toThrow(
      /its environment variables have 4[4-9]\d\d bytes: expected at most 4096, .* The largest is JWT_AUDIENCE with 4012 bytes/,
    );
  });

  test('variables of each deployed function are far below the limit', () => {
    for (const { properties } of functions) {
      expect(JSON.stringify(properties.Environment).length).toBeLessThan(3_500);
    }
  });
});
