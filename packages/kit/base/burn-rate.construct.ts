import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  type CfnCompositeAlarm,
  ComparisonOperator,
  CompositeAlarm,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { acknowledgeCompliance } from './acknowledge.js';
import { describeAlarm, routesOf, topicOf } from './alarm-routes.js';

export interface ObjectiveProps {
  /** Beginning of the alarms' names and of their headings in the runbook: `OrdersLate`. */
  readonly name: string;
  /** Count of all that happened. */
  readonly total: Metric;
  /** Count of what was not good enough. */
  readonly bad: Metric;
  /** Part of the total that shall be good: 0.999. */
  readonly objective: number;
  /** Failure of the objective, as a clause: `orders are decided later than 30 seconds after they were placed`. */
  readonly means: string;
  /** Topic of pages. */
  readonly topic: ITopic;
}

/** Fewer in a window are no rate: a single bad one of them would be a page. */
const LEAST = 20;
/** Burn rates of Google's SRE Workbook, "Alerting on SLOs", for an objective of 30 days. */
const FAST = { rate: 14.4, windows: { Hour: Duration.hours(1), Minutes: Duration.minutes(5) } };
const SLOW = { rate: 6, window: Duration.hours(6) };

/**
 * Adds the alarms of a service level objective, by how fast its error budget of 30 days is spent.
 *
 * - `<name>Fast` pages if it is spent 14.4 times too fast over an hour and over five minutes: 2 % of the budget within the hour, and it
 *   continues. It is silent while the bus refuses events, which is a page of its own.
 * - `<name>Slow` is a ticket if it is spent 6 times too fast over six hours: 5 % of the budget.
 */
export function addObjective(scope: Construct, { name, topic, ...props }: ObjectiveProps): void {
  const spends = (id: string, heading: string, severity: 'page' | 'ticket', rate: number, period: Duration) =>
    new Alarm(scope, id, {
      metric: badShare(props, period),
      threshold: rate * (1 - props.objective),
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: describeAlarm(
        scope,
        heading,
        `${props.means}: ${rate} times as many as the objective allows, over ${period.toHumanString()}.`,
        severity,
      ),
    });
  const fast = Object.entries(FAST.windows).map(([window, period]) => {
    const part = spends(`${name}Fast${window}`, `${name}Fast`, 'page', FAST.rate, period);
    acknowledgeCompliance(part, { CloudWatchAlarmAction: `The composite alarm ${name}Fast notifies in its place.` });
    return part;
  });
  const { busRefuses } = routesOf(topic);
  const page = new CompositeAlarm(scope, `${name}Fast`, {
    alarmRule: AlarmRule.allOf(
      ...fast,
      ...(busRefuses ? [AlarmRule.not(Alarm.fromAlarmArn(scope, `${name}Bus`, busRefuses.alarmRef.alarmArn))] : []),
    ),
    alarmDescription: describeAlarm(
      scope,
      `${name}Fast`,
      `${props.means}: so many that a month's error budget is spent within two days.`,
      'page',
    ),
  });
  // CDK names it by its path, the same in each deployment. CloudFormation's own name begins with that of the stack.
  (page.node.defaultChild as CfnCompositeAlarm).addPropertyDeletionOverride('AlarmName');
  const slow = spends(`${name}Slow`, `${name}Slow`, 'ticket', SLOW.rate, SLOW.window);
  for (const [alarm, severity] of [
    [page, 'page'],
    [slow, 'ticket'],
  ] as const) {
    const action = new SnsAction(topicOf(topic, severity));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

const badShare = ({ total, bad }: Pick<ObjectiveProps, 'total' | 'bad'>, period: Duration): MathExpression =>
  new MathExpression({
    expression: `IF(total >= ${LEAST}, FILL(bad, 0) / total, 0)`,
    usingMetrics: { total: total.with({ period, label: 'all' }), bad: bad.with({ period, label: 'not good enough' }) },
    period,
  });
