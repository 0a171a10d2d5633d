import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inRunbook } from '../../lambdas/operations/runbook.js';
import { matches } from '../../packages/simulator/patterns/matches.js';
import { consumersOf, type Json, referenced, SERVICES, statements, synthesized } from '../support/environments.js';

const prod = synthesized('prod');
const alarms = prod.everywhere('AWS::CloudWatch::Alarm');
const nameOf = (description: string) => description.split(':')[0] ?? '';
const names = [...new Set(alarms.map(({ properties }) => nameOf(properties.AlarmDescription)))].sort();

/** Raised by a rule of EventBridge, so it is no alarm of CloudWatch; it has a page as they have. */
const KEY_IN_DANGER = 'PersonalDataKeyInDanger';
const pageOn = (name: string): string => readFileSync(inRunbook(name), 'utf8');

describe('each alarm', () => {
  test('notifies the topic when it begins and when it is over', () => {
    expect(alarms.length).toBeGreaterThan(20);
    for (const { id, properties } of alarms) {
      expect(properties.AlarmActions, id).toHaveLength(1);
      expect(JSON.stringify(properties.AlarmActions), id).toMatch(/Ref(Alarms|":"Alarms)/);
      expect(properties.OKActions, id).toEqual(properties.AlarmActions);
    }
  });

  test('an alarm is counted in what an idle environment costs', () => {
    const [, written] = /\| (\d+) alarms at 0\.10 \|/.exec(readFileSync('docs/cost.md', 'utf8')) ?? [];
    expect(Number(written), 'alarms of docs/cost.md, "Idle, per month", against those of the templates').toBe(
      alarms.length,
    );
  });

  test('an alarm has its name in its logical id, and treats missing data as OK unless it is about missing data', () => {
    for (const { id, properties } of alarms) {
      const name = nameOf(properties.AlarmDescription);
      expect(id).toContain(name);
      expect(properties.TreatMissingData).toBe(/^(Sweeper|Audit)Stopped$/.test(name) ? 'breaching' : 'notBreaching');
    }
  });

  test('an alarm has a page of the runbook, which its description names and the index lists', () => {
    const pages = readdirSync('docs/operations/alarms').map((file) => file.replace(/\.md$/, ''));
    expect(pages.toSorted()).toEqual([...names, KEY_IN_DANGER].toSorted());
    const index = readFileSync('docs/operations/README.md', 'utf8');
    expect(pages.filter((name) => !index.includes(`[${name}](alarms/${name}.md)`))).toEqual([]);
    for (const { properties } of alarms) {
      const { AlarmDescription } = properties;
      expect(AlarmDescription).toContain(` What to do: ${inRunbook(nameOf(AlarmDescription))}.`);
    }
  });

  test.each([...names, KEY_IN_DANGER])("%s: its page has each alarm's headings", (name) => {
    const headings = [...pageOn(name).matchAll(/^#{1,2} (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([name, 'What it means', 'Look at', 'Do']);
  });

  test('RelayBehind says where to look, for each service', () => {
    const stacks = alarms.filter(({ id }) => id.startsWith('OutboxRelayBehind')).map(({ stack }) => stack);
    expect(stacks.length).toBeGreaterThan(4);
    for (const stack of stacks) expect(pageOn('RelayBehind')).toContain(stack);
  });

  test.each([
    ['QueueBehind', 'Queue'],
    ['DeadLettersNotDrained', 'DeadLetters'],
    ['UndeliveredNotDrained', 'Undelivered'],
  ])('%s says how the alarm’s name leads to its queue, for every consumer', (heading, kind) => {
    expect(pageOn(heading)).toContain(`resource <stack> <construct>${kind} AWS::SQS::Queue`);
    const raised = alarms.flatMap(({ stack, id, properties }) => {
      const [, construct] = new RegExp(`^(\\w+)${heading}[0-9A-F]{8}$`).exec(id) ?? [];
      return construct === undefined ? [] : [{ stack, construct, properties }];
    });
    expect(raised.map(({ stack, construct }) => `${stack}/${construct}`).toSorted()).toEqual(
      consumersOf(prod)
        .map(({ stack, id }) => `${stack}/${id}`)
        .toSorted(),
    );
    for (const { stack, construct, properties } of raised) {
      const found = prod.resources(stack, 'AWS::SQS::Queue').filter(({ id }) => id.startsWith(construct + kind));
      expect(found.map(({ id }) => id)).toEqual([referenced(properties.Dimensions[0].Value)]);
    }
  });

  test('there are exactly these alarms', () => {
    expect(names).toEqual([
      'ApiServerErrors',
      'ApiSlow',
      'AuditBehind',
      'AuditFailing',
      'AuditStopped',
      'AuthorizerFailing',
      'BatchGivenUp',
      'BatchLost',
      'BatchNotDrained',
      'BatchNoticeDropped',
      'BatchNoticeLost',
      'BatchNoticeNotKept',
      'ConsumerCrashing',
      'DeadLettersNotDrained',
      'DeliveryMissing',
      'DispatcherFailing',
      'EventLost',
      'FailureRecorded',
      'InboxBehind',
      'InboxGap',
      'LaneBehind',
      'LaneFailing',
      'PublishFailed',
      'QueueBehind',
      'RefundFailed',
      'RelayBehind',
      'RelayFailing',
      'RunnerCrashing',
      'RunnersBehind',
      'SagaStuck',
      'SweeperFailing',
      'SweeperStopped',
      'TimersLate',
      'UndeliveredNotDrained',
    ]);
  });
});

describe('a last resort that drops data', () => {
  /** Returns the functions, or rules, whose `metric` raises an alarm at its first count. */
  const watchedBy = (metric: string) =>
    alarms
      .filter(({ properties }) => properties.MetricName === metric)
      .map(({ stack, properties }) => {
        expect(properties).toMatchObject({
          Threshold: 1,
          EvaluationPeriods: 1,
          Statistic: 'Sum',
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        });
        expect(properties.Dimensions).toHaveLength(1);
        return `${stack}/${referenced(properties.Dimensions[0].Value)}`;
      })
      .toSorted();
  const among = (type: string, has: (properties: Json) => boolean, named: (resource: Json) => Json) =>
    prod
      .everywhere(type)
      .filter(({ properties }) => has(properties))
      .map((resource) => `${resource.stack}/${named(resource)}`)
      .toSorted();

  test('each on-failure destination is a last resort: of a stream reader, and of an asynchronous invocation', () => {
    const hasDestination = ({ DestinationConfig }: Json) => DestinationConfig?.OnFailure !== undefined;
    const functionOf = ({ properties }: Json) => referenced(properties.FunctionName);
    const readers = among('AWS::Lambda::EventSourceMapping', hasDestination, functionOf);
    const invoked = among('AWS::Lambda::EventInvokeConfig', hasDestination, functionOf);
    expect(readers.filter((reader) => /Relay/.test(reader))).toHaveLength(SERVICES.length);
    expect(readers.filter((reader) => /LaneWriter/.test(reader))).toHaveLength(2);
    expect(invoked).toHaveLength(SERVICES.length);
    expect(watchedBy('DestinationDeliveryFailures')).toEqual([...readers, ...invoked].toSorted());
  });

  test('each asynchronous invocation is a last resort, unless it is a tick of a sweeper or of the audit', () => {
    const isTick = ({ MaximumRetryAttempts }: Json) => MaximumRetryAttempts === 0;
    const invoked = among(
      'AWS::Lambda::EventInvokeConfig',
      (properties) => !isTick(properties),
      ({ properties }) => referenced(properties.FunctionName),
    );
    expect(watchedBy('AsyncEventsDropped')).toEqual(invoked);
    const asynchronous = prod
      .everywhere('AWS::Events::Rule')
      .flatMap(({ stack, properties }) => properties.Targets.map(({ Arn }: Json) => `${stack}/${referenced(Arn)}`));
    const functions = prod.everywhere('AWS::Lambda::Function').map(({ stack, id }) => `${stack}/${id}`);
    const ticked = among('AWS::Lambda::EventInvokeConfig', isTick, ({ properties }) =>
      referenced(properties.FunctionName),
    );
    expect([...new Set(asynchronous.filter((target) => functions.includes(target)))].toSorted()).toEqual(
      [...invoked, ...ticked].toSorted(),
    );
  });

  test('each rule with a dead-letter queue is a last resort: by name on the default bus, else by one query', () => {
    const hasQueue = ({ Targets }: Json) =>
      Targets.some(({ DeadLetterConfig }: Json) => DeadLetterConfig !== undefined);
    const byName = ({ id }: Json) => id;
    const onDefaultBus = among('AWS::Events::Rule', (it) => hasQueue(it) && it.EventBusName === undefined, byName);
    expect(onDefaultBus).toHaveLength(SERVICES.length);
    expect(watchedBy('InvocationsFailedToBeSentToDlq')).toEqual(onDefaultBus);

    const [bus, ...otherBuses] = prod.resources('Platform', 'AWS::Events::EventBus');
    expect(otherBuses).toEqual([]);
    const onBus = prod
      .everywhere('AWS::Events::Rule')
      .filter(({ properties }) => hasQueue(properties) && properties.EventBusName !== undefined);
    expect(onBus.length).toBeGreaterThan(40);
    for (const { id, properties } of onBus) expect(JSON.stringify(properties.EventBusName), id).toContain(bus?.id);
    const [query, ...others] = alarms.filter(({ properties }) => properties.Metrics !== undefined);
    expect(others).toEqual([]);
    expect(query?.properties).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    expect(query?.properties.Metrics[0].Expression['Fn::Join'][1]).toEqual([
      'SELECT SUM(InvocationsFailedToBeSentToDlq) FROM SCHEMA("AWS/Events", EventBusName, RuleName) WHERE EventBusName = \'',
      { Ref: bus?.id },
      "'",
    ]);
  });
});

describe('the key that wraps the personal data keys', () => {
  const [rule, ...others] = prod
    .resources('Platform', 'AWS::Events::Rule')
    .filter(({ id }) => id.includes('PersonalDataKeyInDanger'));
  const [key] = prod.resources('Platform', 'AWS::KMS::Key');
  const { EventPattern, Targets } = rule?.properties ?? {};
  const { requestParameters } = EventPattern.detail;
  const pattern = { ...EventPattern, detail: { ...EventPattern.detail, requestParameters: { keyId: ['id', 'arn'] } } };
  const called = (eventName: string, keyId = 'id') => {
    const detail = { eventSource: 'kms.amazonaws.com', eventName, requestParameters: { keyId } };
    return matches(pattern, { source: 'aws.kms', 'detail-type': 'AWS API Call via CloudTrail', detail });
  };

  test('notifies the topic when someone disables it, schedules its deletion or changes its policy', () => {
    expect(others).toEqual([]);
    expect(requestParameters.keyId).toEqual([{ Ref: key?.id }, { 'Fn::GetAtt': [key?.id, 'Arn'] }]);
    for (const call of ['DisableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion']) {
      expect([called(call), called(call, 'arn')], call).toEqual([true, true]);
      expect(called(call, 'another')).toBe(false);
    }
    expect(called('Decrypt')).toBe(false);
    expect(rule?.properties.State).toBe('ENABLED');
    expect(Targets.map(({ Arn }: Json) => referenced(Arn))).toEqual([
      prod.resources('Platform', 'AWS::SNS::Topic')[0]?.id,
    ]);
  });

  test('the key has a page of the runbook, which the message names', () => {
    expect(JSON.stringify(Targets[0].InputTransformer.InputTemplate)).toContain(inRunbook(KEY_IN_DANGER));
    expect(Object.values(Targets[0].InputTransformer.InputPathsMap)).toEqual([
      '$.detail.userIdentity.arn',
      '$.detail.eventName',
      '$.detail.eventTime',
    ]);
  });
});

describe('the topic of alarms', () => {
  test('accepts messages only of this account’s alarms and roles, over TLS', () => {
    const [policy] = prod.resources('Platform', 'AWS::SNS::TopicPolicy');
    const having = (effect: string) =>
      policy?.properties.PolicyDocument.Statement.filter(({ Effect }: Json) => Effect === effect);
    expect(having('Deny')).toMatchObject([{ Condition: { Bool: { 'aws:SecureTransport': 'false' } } }]);
    expect(having('Allow')).toMatchObject([
      {
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });

  test('the rule of the people’s keys publishes by a role, since a statement for EventBridge would hold for every account', () => {
    const targets = prod
      .everywhere('AWS::Events::Rule')
      .flatMap(({ properties }) => properties.Targets as Json[])
      .filter(({ Arn }) => referenced(Arn) === prod.resources('Platform', 'AWS::SNS::Topic')[0]?.id);
    expect(targets).toHaveLength(1);
    const role = prod.resources('Platform', 'AWS::IAM::Role').find(({ id }) => id === referenced(targets[0]?.RoleArn));
    expect(role?.properties.AssumeRolePolicyDocument.Statement).toMatchObject([
      { Principal: { Service: 'events.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ]);
    const granted = statements(prod).filter(({ policy }) => policy.startsWith('PersonalKeysPublisher'));
    expect(granted).toMatchObject([{ actions: ['sns:Publish'], resources: [{ Ref: referenced(targets[0]?.Arn) }] }]);
  });

  test('the topic has a subscriber if the settings name one', () => {
    expect(prod.resources('Platform', 'AWS::SNS::Subscription')).toEqual([]);
    const told = synthesized('prod', { alarmEmail: 'oncall@example.com' });
    expect(told.resources('Platform', 'AWS::SNS::Subscription').map(({ properties }) => properties)).toMatchObject([
      { Protocol: 'email', Endpoint: 'oncall@example.com' },
    ]);
  });
});
