import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { SettingsError } from '../../packages/kit/base/settings.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { DeliveryAudit, type DeliveryAuditProps } from '../../packages/operator/auditor/auditor.construct.js';
import { type Json, newApp, noCode, propertiesIn } from '../support/environments.js';

const settings = settingsFor('dev');

/** A service, and an audit of it in a stack of its own. */
function auditOf(props: Partial<DeliveryAuditProps> = {}): Template {
  const app = newApp();
  const board = new Stack(app, 'shop-dev-Board');
  const alarmTopic = new Topic(board, 'Alarms');
  const service = new Service(board, 'Default', {
    settings,
    bundles: noCode,
    bus: new EventBus(board, 'Bus'),
    alarmTopic,
    name: 'board',
  });
  const stack = new Stack(app, 'shop-dev-Audit');
  new DeliveryAudit(stack, 'Default', { settings, bundles: noCode, alarmTopic, services: [service], ...props });
  return Template.fromStack(stack);
}

describe('an audit is refused', () => {
  test.each<[string, Partial<DeliveryAuditProps>]>([
    ['every is 0 minutes: expected whole minutes from 1 to 60', { every: Duration.seconds(0) }],
    ['every is 1.5 minutes: expected whole minutes from 1 to 60', { every: Duration.seconds(90) }],
    ['every is 61 minutes: expected whole minutes from 1 to 60', { every: Duration.minutes(61) }],
    ['behind is 59 s: expected a minute or more, as a message needs', { behind: Duration.seconds(59) }],
    ['resends is 0: expected a whole number from 1', { resends: 0 }],
    ['resends is 1.5: expected a whole number from 1', { resends: 1.5 }],
    ['pages is 0: expected a whole number from 1', { pages: 0 }],
    ['there are no services: expected at least one', { services: [] }],
  ])('%s', (message, props) => {
    expect(() => auditOf(props)).toThrow(new SettingsError(`DeliveryAudit: ${message}`));
  });
});

describe('an audit', () => {
  const template = auditOf({ every: Duration.minutes(10), behind: Duration.minutes(20), resends: 7, pages: 9 });
  const { found, statementsOf } = propertiesIn((template.toJSON() as Json).Resources);

  test('runs by its schedule, without retries, with the settings that it was given', () => {
    expect(found('Schedule', 'AWS::Events::Rule')).toMatchObject({
      ScheduleExpression: 'rate(10 minutes)',
      Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 0 } }],
    });
    const { Variables } = found('Auditor', 'AWS::Lambda::Function').Environment;
    expect(Variables).toMatchObject({ AUDIT_BEHIND_SECONDS: '1200', AUDIT_RESENDS: '7', AUDIT_PAGES: '9' });
    expect(JSON.parse(Variables.AUDITED_STACKS)).toEqual(['shop-dev-Board']);
  });

  test('refers to no other stack, so that a service is deployed and removed without it', () => {
    const { Resources } = template.toJSON() as Json;
    const text = JSON.stringify(Object.values(Resources).filter((one: Json) => one.Type !== 'AWS::CloudWatch::Alarm'));
    expect(text).not.toContain('Fn::ImportValue');
  });

  test('writes to tables of services only its entries in the operators’ log, and failures of relays', () => {
    const writing = statementsOf('AuditorRole').filter(({ Action }) => [Action].flat().includes('dynamodb:PutItem'));
    const [own, theirs] = writing;
    expect(JSON.stringify(own)).toContain('"Fn::GetAtt":["Table');
    expect(theirs).toMatchObject({
      // It reads what operators have paused there.
      Action: ['dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*', 'relay@*'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
    expect(JSON.stringify(theirs.Resource)).toContain('table/shop-dev-Board*');
    expect(writing).toHaveLength(2);
  });

  test('sends to queues of the named stacks only', () => {
    const sending = statementsOf('AuditorRole').filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
    expect(sending).toHaveLength(1);
    expect(JSON.stringify(sending[0].Resource)).toMatch(/:shop-dev-Board\*"/);
  });

  test('raises alarms for missing messages, for a late run, for a forgotten pause, for a failed run, and for one never invoked', () => {
    const alarms = Object.values<Json>(template.findResources('AWS::CloudWatch::Alarm'));
    expect(
      alarms.map(({ Properties }) => [Properties.MetricName, Properties.Threshold, Properties.TreatMissingData]),
    ).toEqual([
      ['DeliveriesMissing', 1, 'notBreaching'],
      ['AuditLag', 7_200, 'notBreaching'],
      ['ConsumerPaused', 86_400, 'notBreaching'],
      ['ConsumerPaused', 4 * 86_400, 'notBreaching'],
      ['Errors', 1, 'notBreaching'],
      ['Invocations', 1, 'breaching'],
    ]);
  });

  test('a pause of a day is a ticket, and on the fifth of the seven days that a queue keeps a message, a page', () => {
    const alarms = Object.values<Json>(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties)
      .filter(({ MetricName }) => MetricName === 'ConsumerPaused');
    expect(alarms).toMatchObject([
      { Threshold: 24 * 3_600, AlarmDescription: expect.stringMatching(/^PauseForgotten[\s\S]*ticket/) },
      { Threshold: 4 * 86_400, AlarmDescription: expect.stringMatching(/^PauseLosesMessages[\s\S]*page/) },
    ]);
    // Two runs: a period without a value would end the alarm, and the next run would raise it again.
    for (const one of alarms)
      expect(one).toMatchObject({ Statistic: 'Maximum', Period: 2 * 600, EvaluationPeriods: 1 });
  });
});
