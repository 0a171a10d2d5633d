import { existsSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { inRunbook } from '../../lambdas/operations/runbook.js';
import { checkByRulePacks } from '../../lib/checks.js';
import { type Json, keyed, metricsOf, newApp, noCode, propertiesIn, referenced } from '../support/environments.js';
import { WaiterStack } from '../support/waiter/waiter-stack.js';

const template = Template.fromStack(new WaiterStack(newApp(), noCode));
const { Resources } = template.toJSON() as Json;
const { found, statementsOf } = propertiesIn(Resources);

test('the sweeper may query due timers, reschedule its owner’s records, take its lease, use one queue', () => {
  const statements = statementsOf('TimersSweeperRole');
  expect(statements.map(({ Action, Condition }) => [Action, Condition])).toEqual([
    [['logs:CreateLogStream', 'logs:PutLogEvents'], undefined],
    ['dynamodb:Query', keyed('waiter#*')],
    [['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'], keyed('waiter@*')],
    ['dynamodb:PutItem', keyed('lease#*')],
    ['sqs:SendMessage', undefined],
  ]);
  expect(referenced(statements.at(-1).Resource)).toMatch(/^CommandsQueue/);
  expect(JSON.stringify(statements[1].Resource)).toMatch(/"Records","Arn".*\/index\/due"/);
});

test('the owner may set and clear timers, with its own keys only', () => {
  const deleting = statementsOf('OnCommandRole').filter(({ Action }) => Action.includes('dynamodb:DeleteItem'));
  expect(deleting).toMatchObject([{ Resource: { 'Fn::GetAtt': ['Records', 'Arn'] }, Condition: keyed('waiter@*') }]);
});

test('a tick comes every minute without retries, and its function ends before the next one', () => {
  expect(found('TimersEveryMinute', 'AWS::Events::Rule')).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 } }],
  });
  const { Timeout, Environment } = found('TimersSweeperFunction', 'AWS::Lambda::Function');
  expect(Timeout).toBeLessThan(60);
  expect(Environment.Variables).toMatchObject({ CONSUMER: 'waiter', RESEND_SECONDS: '3600' });
});

test('timers have alarms for late timers, failing sweeps and missing sweeps, each with a runbook page', () => {
  const alarms = Object.values<Json>(Resources)
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ Properties }) => Properties);
  const watching = (label: string) =>
    alarms.filter((alarm) => metricsOf(alarm).some((metric) => metric.label?.endsWith(label)));
  const [late] = watching('timers');
  // Ten minutes are as bad as an hour in a queue.
  expect(late).toMatchObject({ Threshold: 3600, TreatMissingData: 'notBreaching' });
  const { Id } = late.Metrics.find(({ Label }: Json) => Label === 'timers');
  expect(late.Metrics.at(-1).Expression).toContain(`FILL(${Id}, 0) * 6`);
  expect(watching('TimersSweeper')).toMatchObject([{ Threshold: 1, EvaluationPeriods: 3 }]);
  expect(alarms).toContainEqual(
    expect.objectContaining({
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    }),
  );
  for (const name of ['TimersLate', 'SweeperFailing', 'SweeperStopped'])
    expect(existsSync(inRunbook(name)), name).toBe(true);
});

test('refuses an owner that retries a message for longer than a timer waits, and says what would be right', () => {
  const faultsOf = (seconds: number): readonly string[] => {
    const stack = new WaiterStack(newApp(), noCode, { timeout: Duration.seconds(seconds) });
    return Annotations.fromStack(stack)
      .findError('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));
  };
  // A message is invisible for 6 times the timeout, and has 8 attempts and 2 receives.
  expect(faultsOf(60)).toEqual([]);
  expect(faultsOf(61)).toEqual([
    "the queue of 'waiter' retries a message that crashes its handler for 3660 s (6 x timeout of 61 s x receives), and a timer is sent again after 3600 s: take a shorter timeout, or fewer consumerAttempts",
  ]);
});

test('timers have no finding of the rule packs', () => {
  const app = newApp();
  checkByRulePacks(app);
  new WaiterStack(app, noCode);
  expect(() => app.synth()).not.toThrow();
});
