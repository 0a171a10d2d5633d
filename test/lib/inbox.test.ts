import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { inRunbook } from '../../lambdas/operations/runbook.js';
import { checkByRulePacks } from '../../lib/checks.js';
import { settingsFor } from '../../lib/settings.js';
import { batch, linearBackoff, sequential } from '../../packages/kit/inbox/modes.construct.js';
import { subscribe, subscribeToAll } from '../../packages/kit/messages/subscriptions.js';
import { Service, type ServiceInboxProps } from '../../packages/kit/service/service.construct.js';
import {
  type Json,
  keyed,
  metricsOf,
  newApp,
  noCode,
  propertiesIn,
  referenced,
  synthesized,
} from '../support/environments.js';
import { parcels, sales, steps, tillContract } from '../support/inboxes/contract.js';
import { InboxesStack } from '../support/inboxes/stack.js';
import { waiterCommands } from '../support/waiter/contract.js';

const template = Template.fromStack(new InboxesStack(newApp(), noCode));
const { Resources, Outputs } = template.toJSON() as Json;
const { found, statementsOf } = propertiesIn(Resources);

describe('an inbox', () => {
  test('an inbox has a receiver without a handler’s rights: it puts, reads and retries its own records', () => {
    expect(statementsOf('OnParcelsRole').map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], undefined],
      [expect.arrayContaining(['sqs:ReceiveMessage']), undefined],
      [['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], keyed('parcels@*')],
    ]);
  });

  test('an inbox has a runner with its own timeout, one message an invocation, up to its limit in parallel', () => {
    const work = found('ParcelsInboxWork', 'AWS::SQS::Queue');
    const { Timeout, Environment } = found('RunParcelsFunction', 'AWS::Lambda::Function');
    expect(Timeout).toBe(15 * 60);
    expect(work.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    expect(found('RunParcelsFunctionSqsEventSource', 'AWS::Lambda::EventSourceMapping')).toMatchObject({
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 4 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(JSON.parse(Environment.Variables.INBOX)).toEqual({
      mode: 'single',
      attempts: 4,
      backoff: { kind: 'linear', baseSeconds: 2, capSeconds: 300 },
      leaseSeconds: 60,
      pageSize: 20,
    });
  });

  test('an inbox has runners that may delay a message in their own queue, and in no other', () => {
    const sends = statementsOf('RunParcelsRole').filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
    expect(sends.map(({ Resource }) => referenced(Resource))).toEqual([expect.stringMatching(/^ParcelsInboxWork/)]);
    const { QUEUE_URL } = found('RunParcelsFunction', 'AWS::Lambda::Function').Environment.Variables;
    expect(referenced(QUEUE_URL)).toMatch(/^ParcelsInboxWork/);
  });

  test('defaults are 15 attempts, pauses up to an hour, a lease of a minute, 10 runners, pages of 20, a minute each', () => {
    const stack = new Stack(newApp(), 'Kit', { env: { account: '111111111111', region: 'eu-west-1' } });
    const bus = new EventBus(stack, 'Bus');
    const alarmTopic = new Topic(stack, 'Alarms');
    const desk = new Service(stack, 'Desk', {
      settings: settingsFor('dev'),
      bundles: noCode,
      bus,
      alarmTopic,
      name: 'desk',
    });
    desk.addInbox('Parcels', { name: 'parcels', entry: 'on-parcel', subscribesTo: [parcels] });
    desk.addInbox('Steps', { name: 'steps', entry: 'on-step', subscribesTo: [steps], mode: sequential() });
    desk.addInbox('Sales', { name: 'sales', entry: 'on-sale', subscribesTo: [sales], mode: batch() });
    const { found } = propertiesIn(Template.fromStack(stack).toJSON().Resources);
    const inboxOf = (name: string) => {
      const { Timeout, Environment } = found(`DeskRun${name}Function`, 'AWS::Lambda::Function');
      return { Timeout, ...JSON.parse(Environment.Variables.INBOX) };
    };
    const defaults = {
      Timeout: 60,
      attempts: 15,
      backoff: { kind: 'exponential', baseSeconds: 30, capSeconds: 3_600 },
      leaseSeconds: 60,
      pageSize: 20,
    };
    expect(inboxOf('Parcels')).toEqual({ ...defaults, mode: 'single' });
    expect(inboxOf('Steps')).toEqual({ ...defaults, mode: 'sequential', gapAlarmSeconds: 900 });
    expect(inboxOf('Sales')).toEqual({ ...defaults, mode: 'batch', graceSeconds: 900 });
    expect(found('DeskRunParcelsFunctionSqsEventSource', 'AWS::Lambda::EventSourceMapping').ScalingConfig).toEqual({
      MaximumConcurrency: 10,
    });
  });

  test('gives the records table a stream, whose only reader hands out what asks for it', () => {
    expect(found('Records', 'AWS::DynamoDB::GlobalTable').StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
    const readers = Object.values<Json>(Resources).filter(
      ({ Type, Properties }) =>
        Type === 'AWS::Lambda::EventSourceMapping' && JSON.stringify(Properties.EventSourceArn).includes('"Records"'),
    );
    expect(readers).toHaveLength(1);
    expect(readers[0].Properties.FilterCriteria.Filters.map(({ Pattern }: Json) => JSON.parse(Pattern))).toEqual([
      { dynamodb: { NewImage: { wake: { BOOL: [true] } } } },
    ]);
    expect(statementsOf('InboxesDispatcherRole').map(({ Action }) => Action)).toEqual([
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      'dynamodb:ListStreams',
      'sqs:SendMessage',
    ]);
  });

  test("the sweeper runs every minute: it sends the inbox's own messages into its own queue", () => {
    const statements = statementsOf('ParcelsInboxSweeperRole');
    expect(statements.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], undefined],
      ['dynamodb:Query', keyed('parcels#*')],
      [['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'], keyed('parcels@*')],
      ['dynamodb:PutItem', keyed('lease#*')],
      ['sqs:SendMessage', undefined],
      ['dynamodb:Query', keyed('parcels*')],
    ]);
    expect(referenced(statements[4].Resource)).toMatch(/^ParcelsInboxWork/);
  });

  test('the sweeper runs as rarely as its service says, and its alarm on silence waits as many times longer', () => {
    const schedules = Object.entries<Json>(Resources).flatMap(([id, { Type, Properties }]) =>
      Type === 'AWS::Events::Rule' && Properties.ScheduleExpression ? [[id, Properties.ScheduleExpression]] : [],
    );
    const rateOf = (inbox: string) => schedules.find(([id]) => id.startsWith(inbox))?.[1];
    expect([rateOf('ParcelsInbox'), rateOf('StepsInbox')]).toEqual(['rate(1 minute)', 'rate(2 minutes)']);
    const silenceOf = (inbox: string) => found(`${inbox}SweeperStopped`, 'AWS::CloudWatch::Alarm').Period;
    expect([silenceOf('ParcelsInbox'), silenceOf('StepsInbox')]).toEqual([300, 600]);
  });

  test('an inbox is watched by the alarms of its service: its gauge, its queue, its functions, and its ticks', () => {
    const watched = (name: string) => metricsOf(found(`Alarms${name}`, 'AWS::CloudWatch::Alarm'));
    // The gauge of this inbox, not of all of its service's.
    expect(watched('QueueBehind')).toContainEqual({
      name: 'InboxOldestPending',
      label: 'stored messages of parcels',
      of: [
        { Name: 'consumer', Value: 'parcels' },
        { Name: 'service', Value: 'desk' },
      ],
      stat: 'Maximum',
    });
    const labels = ['QueueBehind', 'FunctionFailing'].flatMap((name) => watched(name).map(({ label }) => label));
    expect(labels).toEqual(
      expect.arrayContaining(['timers', 'ParcelsInboxWork', 'RunParcels', 'ParcelsInboxSweeper', 'InboxesDispatcher']),
    );
    expect(found('ParcelsInboxSweeperStopped', 'AWS::CloudWatch::Alarm').TreatMissingData).toBe('breaching');
  });

  test('an inbox in mode sequential has an alarm for a gap, and sweeps its parked messages', () => {
    expect(found('StepsInboxInboxGap', 'AWS::CloudWatch::Alarm')).toMatchObject({
      MetricName: 'InboxGapAge',
      Statistic: 'Maximum',
      Threshold: 600,
      AlarmDescription: expect.stringContaining(inRunbook('InboxGap')),
    });
    const { INBOX } = found('StepsInboxSweeperFunction', 'AWS::Lambda::Function').Environment.Variables;
    expect(JSON.parse(INBOX)).toMatchObject({ mode: 'sequential', gapAlarmSeconds: 600 });
  });

  test('an inbox in mode batch has runners that collect ten messages at once, and may write windows and pages', () => {
    expect(found('RunSalesFunctionSqsEventSource', 'AWS::Lambda::EventSourceMapping')).toMatchObject({
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    expect(statementsOf('RunSalesRole').map(({ Action }) => Action)).toContainEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:ConditionCheckItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
    const { INBOX } = found('RunSalesFunction', 'AWS::Lambda::Function').Environment.Variables;
    expect(JSON.parse(INBOX)).toMatchObject({ mode: 'batch', graceSeconds: 60, pageSize: 2 });
  });

  test('an inbox may begin when several events have come: its service’s consumer has timers', () => {
    expect(statementsOf('PackingOnPartsRole').flatMap(({ Action }) => Action)).toContain('dynamodb:DeleteItem');
    const { QUEUE_URL } = found('PackingPartsTimersSweeperFunction', 'AWS::Lambda::Function').Environment.Variables;
    expect(referenced(QUEUE_URL)).toMatch(/^PackingPartsQueue/);
    // No other consumer has.
    expect(
      Object.keys(Resources).filter((id) => /TimersSweeperRole/.test(id) && !id.startsWith('PackingPartsTimers')),
    ).toEqual([]);
  });

  test('the operator’s commands find an inbox', () => {
    expect(JSON.stringify(Outputs.Consumers.Value)).toContain('\\"inbox\\":{\\"mode\\":\\"single\\"');
  });

  test('an inbox has no finding of the rule packs', () => {
    const app = newApp();
    checkByRulePacks(app);
    new InboxesStack(app, noCode);
    expect(() => app.synth()).not.toThrow();
  });
});

test.each(['dev', 'prod'])('the inboxes of %s have the retries of its settings', (environment) => {
  const { attempts, base, cap, pageSize, sweepEvery } = settingsFor(environment).inboxes;
  const { everywhere } = synthesized(environment);
  const inboxes = everywhere('AWS::Lambda::Function').flatMap(({ stack, properties: { Environment } }) => {
    const { INBOX, RESEND_SECONDS } = Environment?.Variables ?? {};
    return INBOX && RESEND_SECONDS ? [[stack, JSON.parse(INBOX)]] : [];
  });
  const backoff = { kind: 'exponential', baseSeconds: base.toSeconds(), capSeconds: cap.toSeconds() };
  expect(inboxes.toSorted()).toEqual(
    ['Orders', 'Reports', 'Rewards'].map((stack) => [stack, expect.objectContaining({ attempts, backoff, pageSize })]),
  );
  const rates = everywhere('AWS::Events::Rule').flatMap(({ id, properties }) =>
    /Inbox.*EveryMinute/.test(id) ? [properties.ScheduleExpression] : [],
  );
  expect(rates).toEqual(Array(3).fill(`rate(${sweepEvery.toMinutes()} minute)`));
});

describe('an inbox that is refused at synth', () => {
  const WHOLE_MINUTES =
    "expected 1 to 5 whole minutes. No schedule is shorter, and pauses of up to 15 minutes don't wait for a sweep";
  const backoff = (base: number, cap: number) =>
    linearBackoff({ base: Duration.millis(base * 1_000), cap: Duration.seconds(cap) });
  const faultsOf = (props: Partial<ServiceInboxProps>): readonly string[] =>
    errorsOf(new InboxesStack(newApp(), noCode, props));
  const errorsOf = (stack: Stack): readonly string[] =>
    Annotations.fromStack(stack)
      .findError('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));

  test.each<[Partial<ServiceInboxProps>, string]>([
    [{ attempts: 0 }, 'attempts is 0: expected a whole number of at least 1'],
    [{ attempts: Number.NaN }, 'attempts is NaN: expected a whole number of at least 1'],
    [{ parallel: 1 }, 'parallel is 1: expected 2 to 1,000'],
    [{ parallel: 1_001 }, 'parallel is 1001: expected 2 to 1,000'],
    [{ maxConcurrency: 1 }, 'maxConcurrency is 1: expected 2 to 1,000'],
    [{ pageSize: 101 }, 'pageSize is 101: expected 1 to 100'],
    [{ mode: batch(), pageSize: 51 }, 'pageSize is 51: expected 1 to 50'],
    [
      { backoff: backoff(0, 60) },
      'base of the backoff is 0 s: expected whole seconds, at least 1, as a queue delays messages',
    ],
    [
      { backoff: backoff(1.5, 60) },
      'base of the backoff is 1.5 s: expected whole seconds, at least 1, as a queue delays messages',
    ],
    [{ backoff: backoff(60, 2) }, 'cap of the backoff is 2 s: expected whole seconds, at least the base of 60'],
    [{ sweepEvery: Duration.seconds(10) }, `sweepEvery is 10 s: ${WHOLE_MINUTES}`],
    [{ sweepEvery: Duration.seconds(90) }, `sweepEvery is 90 s: ${WHOLE_MINUTES}`],
    [{ sweepEvery: Duration.minutes(6) }, `sweepEvery is 360 s: ${WHOLE_MINUTES}`],
  ])('%j', (props, fault) => expect(faultsOf(props)).toEqual([fault]));

  const { StepTaken, TillCleaned } = tillContract.events;
  const keepsOneInside = { service: 'till', events: { StepTaken, TillCleaned: { ...TillCleaned, onBus: false } } };

  test.each<[string, Partial<ServiceInboxProps>, RegExp]>([
    [
      'events of its subjects that it misses',
      { subscribesTo: [subscribe(tillContract, ['StepTaken'])] },
      /does not subscribe to TillCleaned/,
    ],
    [
      'a type that its publisher keeps inside',
      { subscribesTo: [subscribeToAll(keepsOneInside)] },
      /subscribes to till\.TillCleaned, which its publisher doesn't publish \(onBus: false\): remove the type here, or onBus there/,
    ],
    ['two publishers', { subscribesTo: [parcels, steps] }, /expected one subscription/],
    ['commands', { subscribesTo: [waiterCommands] }, /to the events of one publisher/],
  ])('an inbox in mode sequential is refused: %s', (_, props, fault) => {
    expect(faultsOf({ mode: sequential(), ...props })).toEqual([expect.stringMatching(fault)]);
  });

  test('an inbox whose table of records can get no stream is refused', () => {
    const stack = new Stack(newApp(), 'Kit', { env: { account: '111111111111', region: 'eu-west-1' } });
    const desk = new Service(stack, 'Desk', {
      settings: settingsFor('dev'),
      bundles: noCode,
      bus: new EventBus(stack, 'Bus'),
      alarmTopic: new Topic(stack, 'Alarms'),
      name: 'desk',
      records: TableV2.fromTableName(stack, 'Records', 'records'),
    });
    desk.addInbox('Parcels', { name: 'parcels', entry: 'on-parcel', subscribesTo: [parcels] });
    expect(errorsOf(stack)).toEqual([expect.stringMatching(/can't get the stream.*expected one made by recordsTable/)]);
  });
});
