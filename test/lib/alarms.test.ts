import { readdirSync, readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { inRunbook } from '../../lambdas/operations/runbook.js';
import { settingsFor } from '../../lib/settings.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { matches } from '../../packages/simulator/patterns/matches.js';
import { holds, notifications, renderRule, type TemplateAlarm } from '../support/alarm-rules.js';
import {
  consumersOf,
  type Json,
  metricsOf,
  referenced,
  SERVICES,
  statements,
  synthesized,
} from '../support/environments.js';

const prod = synthesized('prod');
const alarms = prod.everywhere('AWS::CloudWatch::Alarm');
const composites = prod.everywhere('AWS::CloudWatch::CompositeAlarm');
const all = [...alarms, ...composites];
const nameOf = (description: string) => description.split(':')[0] ?? '';
const severityOf = (description: string) => / Severity: (page|ticket)\./.exec(description)?.[1];
const names = [...new Set(all.map(({ properties }) => nameOf(properties.AlarmDescription)))].sort();

/** Raised by a rule of EventBridge, so it is no alarm of CloudWatch; it has a page as they have. */
const KEY_IN_DANGER = 'PersonalDataKeyInDanger';
/** Alarms of settings that prod doesn't have of its own; they have their tests. */
const OF_SETTINGS = ['NoSyntheticOrder', 'TracesLost', 'WebhookDisabled'];
/** Pages about one part of an alarm, by the alarm. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  ApiServerErrors: ['AuthorizerFailing'],
  BatchLost: ['BatchNoticeDropped', 'BatchNoticeLost', 'BatchNoticeNotKept'],
  DeadLettersNotDrained: ['BatchNotDrained', 'UndeliveredNotDrained'],
  FailureRecorded: ['BatchGivenUp', 'PublishFailed'],
  FunctionFailing: ['ConsumerCrashing', 'DispatcherFailing', 'RunnerCrashing', 'SweeperFailing'],
  LaneBehind: ['LaneFailing'],
  QueueBehind: ['InboxBehind', 'RunnersBehind', 'TimersLate'],
  RelayBehind: ['RelayFailing'],
};
const pageOn = (name: string): string => readFileSync(inRunbook(name), 'utf8');

/** Returns the logical ids of the topics that an alarm notifies. */
const toldBy = ({ AlarmActions = [] }: Json): readonly string[] =>
  AlarmActions.map((action: Json) => /Ref(Alarms|Tickets)|"Ref":"(Alarms|Tickets)/.exec(JSON.stringify(action)))
    .map((found: RegExpExecArray | null) => found?.[1] ?? found?.[2])
    .toSorted();

const ruleOf = ({ stack, properties }: { stack: string; properties: Json }): string =>
  renderRule(properties.AlarmRule, stack, (name) => {
    const { Outputs } = prod.template('Platform');
    const output = Object.values<Json>(Outputs).find(({ Export }) => Export?.Name === name);
    return `Platform/${referenced(output.Value)}`;
  });

const rules = composites.map((one) => ({
  id: `${one.stack}/${one.id}`,
  tells: toldBy(one.properties),
  rule: ruleOf(one),
}));
const everyAlarm: readonly TemplateAlarm[] = [
  ...alarms.map(({ stack, id, properties }) => ({ id: `${stack}/${id}`, tells: toldBy(properties) })),
  ...rules,
];

describe('each alarm', () => {
  test('an alarm notifies the topic of its severity when it begins and when it ends, or is a part of the page of its service', () => {
    expect(alarms.length).toBeGreaterThan(20);
    for (const { stack, id, properties } of all) {
      const severity = severityOf(properties.AlarmDescription);
      const told = toldBy(properties);
      if (told.length === 0) {
        const inRules = rules.filter(({ rule }) => rule.includes(`ALARM("${stack}/${id}")`)).map((one) => one.id);
        expect(inRules, id).toEqual([expect.stringMatching(`^${stack}/(AlarmsServicePage|OrdersLateFast)`)]);
        expect(severity, id).toBe('page');
      } else expect(told, id).toEqual([severity === 'page' ? 'Alarms' : 'Tickets']);
      expect(properties.OKActions, id).toEqual(properties.AlarmActions);
    }
  });

  test('an alarm is counted in what an idle environment costs, by its metrics', () => {
    const metrics = alarms.flatMap(({ properties }) => metricsOf(properties)).length;
    const queries = alarms.filter(({ properties }) => metricsOf(properties).length === 0).length;
    const [, written, pages] =
      /\| (\d+) metrics in alarms at 0\.10, (\d+) composite alarms at 0\.50 \|/.exec(
        readFileSync('docs/cost.md', 'utf8'),
      ) ?? [];
    expect([Number(written), Number(pages)], 'docs/cost.md, "Idle, per month", against the templates').toEqual([
      metrics + queries,
      composites.length,
    ]);
  });

  test('an alarm has its name in its logical id, and treats missing data as OK unless it is about missing data', () => {
    for (const { id, properties } of alarms) {
      const name = nameOf(properties.AlarmDescription);
      expect(id).toContain(name);
      expect(properties.TreatMissingData).toBe(
        /^((Sweeper|Audit)Stopped|ApiQuiet)$/.test(name) ? 'breaching' : 'notBreaching',
      );
    }
  });

  test('an alarm watches at most ten metrics, each with a label of its own', () => {
    for (const { id, properties } of alarms) {
      const labels = metricsOf(properties).map(({ label }) => label);
      expect(labels.length, id).toBeLessThanOrEqual(10);
      expect(new Set(labels).size, id).toBe(labels.length);
    }
  });

  test('an alarm has a page of the runbook, which its description names, the index lists, and which says its severity', () => {
    const pages = readdirSync('docs/operations/alarms').map((file) => file.replace(/\.md$/, ''));
    const parts = Object.values(PARTS).flat();
    expect(pages.toSorted()).toEqual([...names, KEY_IN_DANGER, ...OF_SETTINGS, ...parts].toSorted());
    const index = readFileSync('docs/operations/README.md', 'utf8');
    expect(pages.filter((name) => !index.includes(`[${name}](alarms/${name}.md)`))).toEqual([]);
    for (const { properties } of all) {
      const { AlarmDescription } = properties;
      expect(AlarmDescription).toContain(` What to do: ${inRunbook(nameOf(AlarmDescription))}.`);
      expect(pageOn(nameOf(AlarmDescription))).toContain(`\nSeverity: ${severityOf(AlarmDescription)}`);
    }
    for (const [alarm, its] of Object.entries(PARTS))
      for (const part of its) {
        expect(pageOn(alarm), `page of ${alarm}`).toContain(`](${part}.md)`);
        expect(pageOn(part)).toMatch(new RegExp(`\nSeverity: (page|ticket), as a part of \\[${alarm}\\]`));
      }
  });

  test.each([...names, KEY_IN_DANGER, ...OF_SETTINGS, ...Object.values(PARTS).flat()])(
    "%s: its page has each alarm's headings",
    (name) => {
      const headings = [...pageOn(name).matchAll(/^#{1,2} (.+)$/gm)].map(([, heading]) => heading);
      expect(headings).toEqual([name, 'What it means', 'Look at', 'Do']);
    },
  );

  test('RelayBehind says where to look, for each service', () => {
    const stacks = alarms.filter(({ id }) => id.startsWith('AlarmsRelayBehind')).map(({ stack }) => stack);
    expect(stacks.length).toBeGreaterThan(4);
    for (const stack of stacks) expect(pageOn('RelayBehind')).toContain(stack);
  });

  test.each([
    ['QueueBehind', 'QueueBehind', 'Queue'],
    ['DeadLettersNotDrained', 'DeadLettersNotDrained', 'DeadLetters'],
    ['DeadLettersNotDrained', 'UndeliveredNotDrained', 'Undelivered'],
  ])('%s watches each consumer’s queue, and the page %s says how its label leads to it', (heading, page, kind) => {
    expect(pageOn(page)).toContain(`resource <stack> <construct>${kind} AWS::SQS::Queue`);
    const watched = alarms
      .filter(({ properties }) => nameOf(properties.AlarmDescription) === heading)
      .flatMap(({ stack, properties }) =>
        metricsOf(properties)
          .filter(({ label }) => label?.endsWith(kind))
          .map(({ label, of }) => {
            const queues = prod.resources(stack, 'AWS::SQS::Queue').filter(({ id }) => id.startsWith(`${label}`));
            expect(queues.map(({ id }) => id)).toEqual([referenced(of[0].Value)]);
            return `${stack}/${label?.slice(0, -kind.length)}`;
          }),
      );
    expect(watched.toSorted()).toEqual(
      consumersOf(prod)
        .map(({ stack, id }) => `${stack}/${id}`)
        .toSorted(),
    );
  });

  test('there are exactly these alarms', () => {
    expect(names).toEqual([
      'ApiQuiet',
      'ApiServerErrors',
      'ApiSlow',
      'AuditBehind',
      'AuditFailing',
      'AuditStopped',
      'BatchLost',
      'BusRefuses',
      'DeadLettersNotDrained',
      'DeliveryMissing',
      'EventLost',
      'FailureRecorded',
      'FunctionFailing',
      'InboxGap',
      'LaneBehind',
      'OrdersLateFast',
      'OrdersLateSlow',
      'PauseForgotten',
      'PauseLosesMessages',
      'QueueBehind',
      'RefundFailed',
      'RelayBehind',
      'SagaStuck',
      'ServicePage',
      'SweeperStopped',
    ]);
  });
});

describe('one outage is one page', () => {
  /** Returns the metric alarms of some stacks and headings. */
  const on = (stacks: readonly string[], ...headings: readonly string[]): ReadonlySet<string> => {
    const found = alarms
      .filter(
        ({ stack, properties }) => stacks.includes(stack) && headings.includes(nameOf(properties.AlarmDescription)),
      )
      .map(({ stack, id }) => `${stack}/${id}`);
    expect(found.length).toBeGreaterThanOrEqual(headings.length);
    return new Set(found);
  };
  const told = (...sets: readonly ReadonlySet<string>[]) =>
    notifications(everyAlarm, new Set(sets.flatMap((set) => [...set])));

  test('the bus refuses: the relays of all services stand still', () => {
    const relays = on(SERVICES, 'RelayBehind');
    expect(relays.size).toBe(SERVICES.length);
    expect(told(on(['Platform'], 'BusRefuses'), relays)).toEqual(['Alarms: Platform/BusRefuses']);
    // A relay that fails while the bus takes events is a page of its service.
    expect(told(on(['Orders'], 'RelayBehind'))).toEqual(['Alarms: Orders/AlarmsServicePage']);
  });

  test('the bus refuses, and meanwhile a consumer of one service crashes: two outages are two pages', () => {
    expect(
      told(on(['Platform'], 'BusRefuses'), on(SERVICES, 'RelayBehind'), on(['Inventory'], 'FunctionFailing')),
    ).toEqual(['Alarms: Inventory/AlarmsServicePage', 'Alarms: Platform/BusRefuses']);
  });

  test('the payment provider is down: messages wait for over an hour, then fail', () => {
    expect(told(on(['Payments'], 'QueueBehind', 'FailureRecorded'))).toEqual([
      'Alarms: Payments/AlarmsServicePage',
      'Tickets: Payments/AlarmsFailureRecorded',
    ]);
  });

  test('orders are late: once for the customers, and not while the bus refuses', () => {
    const late = on(['Orders'], 'OrdersLateFast');
    expect(told(late)).toEqual(['Alarms: Orders/OrdersLateFast']);
    expect(told(late, on(['Platform'], 'BusRefuses'))).toEqual(['Alarms: Platform/BusRefuses']);
    const minutes = new Set([...late].filter((id) => id.includes('Minutes')));
    expect(told(minutes)).toEqual([]);
  });

  test('a consumer crashes: its queue is behind, and its messages become failures', () => {
    expect(told(on(['Inventory'], 'FunctionFailing', 'QueueBehind', 'FailureRecorded'))).toEqual([
      'Alarms: Inventory/AlarmsServicePage',
      'Tickets: Inventory/AlarmsFailureRecorded',
    ]);
  });

  test('a rule is evaluated with NOT before AND before OR, and with parentheses', () => {
    const isOn = (id: string) => id === 'a' || id === 'b';
    expect(holds('ALARM("a") AND NOT ALARM("b") OR ALARM("c")', isOn)).toBe(false);
    expect(holds('ALARM("c") OR ALARM("a") AND ALARM("b")', isOn)).toBe(true);
    expect(holds('(ALARM("a") AND NOT ALARM("c")) OR ALARM("d")', isOn)).toBe(true);
    expect(holds('ALARM("c") AND (ALARM("a") OR ALARM("b"))', isOn)).toBe(false);
  });
});

describe('a last resort that drops data', () => {
  /** Returns the functions, or rules, whose `metric` raises an alarm at its first count. */
  const watchedBy = (metric: string) =>
    alarms
      .flatMap(({ stack, properties }) => metricsOf(properties).map((watched) => ({ stack, properties, ...watched })))
      .filter(({ name }) => name === metric)
      .map(({ stack, properties, of, stat }) => {
        expect(properties).toMatchObject({
          Threshold: 1,
          EvaluationPeriods: 1,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        });
        expect(stat).toBe('Sum');
        expect(properties.Metrics.at(-1).Expression).toMatch(/^SUM\(\[(FILL\(m\d, 0\)(, )?)+\]\)$/);
        expect(of).toHaveLength(1);
        return `${stack}/${referenced(of[0].Value)}`;
      })
      .toSorted();
  const among = (type: string, has: (properties: Json) => boolean, named: (resource: Json) => Json) =>
    prod
      .everywhere(type)
      .filter(({ properties }) => has(properties))
      .map((resource) => `${resource.stack}/${named(resource)}`)
      .toSorted();

  test('each on-failure destination of a stream reader is a last resort', () => {
    const hasDestination = ({ DestinationConfig }: Json) => DestinationConfig?.OnFailure !== undefined;
    const functionOf = ({ properties }: Json) => referenced(properties.FunctionName);
    const readers = among('AWS::Lambda::EventSourceMapping', hasDestination, functionOf);
    expect(readers.filter((reader) => /Relay/.test(reader))).toHaveLength(SERVICES.length);
    expect(readers.filter((reader) => /LaneWriter/.test(reader))).toHaveLength(2);
    expect(among('AWS::Lambda::EventInvokeConfig', hasDestination, functionOf)).toEqual([]);
    expect(watchedBy('DestinationDeliveryFailures')).toEqual(readers);
  });

  test('each dead-letter queue of a function is a last resort', () => {
    const hasQueue = ({ DeadLetterConfig }: Json) => DeadLetterConfig !== undefined;
    const invoked = among('AWS::Lambda::Function', hasQueue, ({ id }) => id);
    expect(invoked).toHaveLength(SERVICES.length);
    expect(watchedBy('DeadLetterErrors')).toEqual(invoked);
  });

  test('each asynchronous invocation is a last resort, unless it is a tick of a sweeper or of the audit', () => {
    const functions = prod.everywhere('AWS::Lambda::Function').map(({ stack, id }) => `${stack}/${id}`);
    const targets = (isTick: boolean) =>
      prod
        .everywhere('AWS::Events::Rule')
        .filter(({ properties }) => (properties.ScheduleExpression !== undefined) === isTick)
        .flatMap(({ stack, properties }) => properties.Targets.map(({ Arn }: Json) => `${stack}/${referenced(Arn)}`))
        .filter((target) => functions.includes(target))
        .toSorted();
    expect(watchedBy('AsyncEventsDropped')).toEqual(targets(false));
    expect(targets(true).filter((target) => !/Sweeper|Auditor/.test(target))).toEqual([]);
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
    const query = alarms.find(({ id }) => id.startsWith('EventLost'));
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

describe('the topics of alarms', () => {
  test('a topic accepts messages only of this account’s alarms and roles, and tickets those of its budget, over TLS', () => {
    const policies = prod.resources('Platform', 'AWS::SNS::TopicPolicy');
    expect(policies).toHaveLength(2);
    const alarmsOnly = {
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    for (const { id, properties } of policies) {
      const having = (effect: string) =>
        properties.PolicyDocument.Statement.filter(({ Effect }: Json) => Effect === effect);
      expect(having('Deny')).toMatchObject([{ Condition: { Bool: { 'aws:SecureTransport': 'false' } } }]);
      const byBudgets = {
        ...alarmsOnly,
        Principal: { Service: 'budgets.amazonaws.com' },
        Condition: { ...alarmsOnly.Condition, ArnLike: expect.anything() },
      };
      expect(having('Allow')).toMatchObject(id.startsWith('Tickets') ? [alarmsOnly, byBudgets] : [alarmsOnly]);
    }
  });

  test('the rule of the people’s keys publishes by a role, since a statement for EventBridge would hold for every account', () => {
    const targets = prod
      .everywhere('AWS::Events::Rule')
      .flatMap(({ properties }) => properties.Targets as Json[])
      .filter(
        ({ Arn }) =>
          referenced(Arn) ===
          prod.resources('Platform', 'AWS::SNS::Topic').find(({ id }) => id.startsWith('Alarms'))?.id,
      );
    expect(targets).toHaveLength(1);
    const role = prod.resources('Platform', 'AWS::IAM::Role').find(({ id }) => id === referenced(targets[0]?.RoleArn));
    expect(role?.properties.AssumeRolePolicyDocument.Statement).toMatchObject([
      { Principal: { Service: 'events.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ]);
    const granted = statements(prod).filter(({ policy }) => policy.startsWith('PersonalKeysPublisher'));
    expect(granted).toMatchObject([{ actions: ['sns:Publish'], resources: [{ Ref: referenced(targets[0]?.Arn) }] }]);
  });

  test('each topic has a subscriber if the settings name one; tickets go where pages go unless they have their own', () => {
    expect(prod.resources('Platform', 'AWS::SNS::Subscription')).toEqual([]);
    const subscribed = (emails: object) => {
      const app = new App();
      const settings = { ...settingsFor('prod'), ...emails };
      new Platform(new Stack(app, 'Stack'), 'Default', { settings });
      const { Resources } = Template.fromStack(app.node.findChild('Stack') as Stack).toJSON();
      return Object.values<Json>(Resources)
        .filter(({ Type }) => Type === 'AWS::SNS::Subscription')
        .map(({ Properties }) => [Properties.TopicArn.Ref.replace(/[0-9A-F]{8}$/, ''), Properties.Endpoint]);
    };
    expect(subscribed({ alarmEmail: 'oncall@example.com' })).toEqual([
      ['Alarms', 'oncall@example.com'],
      ['Tickets', 'oncall@example.com'],
    ]);
    expect(subscribed({ alarmEmail: 'oncall@example.com', ticketEmail: 'team@example.com' })).toEqual([
      ['Alarms', 'oncall@example.com'],
      ['Tickets', 'team@example.com'],
    ]);
  });
});
