import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps as CdkAlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { AnyBus } from './interfaces.js';
import { runbookHint } from './runbook.js';
import type { ServiceFunction } from './service-function.construct.js';

/** Condition and text of an alarm. Missing data raises no alarm, because a queue that nobody uses reports no data. */
export interface AlarmProps {
  readonly metric: IMetric;
  /** Smallest value that raises the alarm. */
  readonly threshold: number;
  /** Number of consecutive periods of the metric. @default 1 */
  readonly periods?: number;
  /** One sentence that says what happened. The runbook says what to do. */
  readonly means: string;
  readonly topic: ITopic;
}

/**
 * Adds an alarm that notifies the topic when it begins and when it ends.
 *
 * @param name heading in the runbook. The description begins with it, and CloudFormation makes the physical name from it.
 */
export function alarm(scope: Construct, name: string, { metric, threshold, periods = 1, ...said }: AlarmProps): Alarm {
  return createAlarm(scope, name, said, {
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Alarms if a scheduled function was not invoked within `within`. Missing data raises this alarm. */
export function alarmOnSilence(
  scope: Construct,
  name: string,
  { handler, within, ...said }: { handler: ServiceFunction; within: Duration } & Pick<AlarmProps, 'means' | 'topic'>,
): Alarm {
  return createAlarm(scope, name, said, {
    metric: handler.function.metricInvocations({ period: within, statistic: 'sum' }),
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  });
}

function createAlarm(
  scope: Construct,
  name: string,
  { means, topic }: Pick<AlarmProps, 'means' | 'topic'>,
  rule: CdkAlarmProps,
): Alarm {
  const created = new Alarm(scope, name, {
    ...rule,
    alarmDescription: `${name}: ${means}${runbookHint(scope, name)}`,
  });
  const tell = new SnsAction(topic);
  created.addAlarmAction(tell);
  created.addOkAction(tell);
  return created;
}

/** Alarms if the oldest message waits for longer than `limit`: the consumer is down, or slower than the messages arrive. */
export function alarmOnOldest(
  scope: Construct,
  name: string,
  { queue, limit, means, topic }: { queue: IQueue; limit: Duration; means: string; topic: ITopic },
): Alarm {
  const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: limit.toSeconds(), means, topic });
}

/** Alarms if a queue that is normally empty has messages for `periods` times five minutes. */
export function alarmOnVisible(
  scope: Construct,
  name: string,
  { queue, periods, means, topic }: { queue: IQueue; periods: number; means: string; topic: ITopic },
): Alarm {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: 1, periods, means, topic });
}

/** Alarms if a function fails in each of three consecutive minutes. A single crash is retried, so it raises no alarm. */
export function alarmOnErrors(
  scope: Construct,
  name: string,
  { handler, means, topic }: { handler: ServiceFunction; means: string; topic: ITopic },
): Alarm {
  const metric = handler.function.metricErrors({ period: Duration.minutes(1), statistic: 'sum' });
  return alarm(scope, name, { metric, threshold: 1, periods: 3, means, topic });
}

/** Text of an alarm about a last resort, and the topic that it notifies. */
type AlarmText = Pick<AlarmProps, 'means' | 'topic'>;

/**
 * Alarms if a function's on-failure destination did not take what it gave up. Lambda then drops it: this metric is the only
 * trace.
 */
export function alarmOnLostDestination(
  scope: Construct,
  name: string,
  { handler, ...said }: AlarmText & { readonly handler: ServiceFunction },
): Alarm {
  return alarm(scope, name, { metric: lossMetric(handler, 'DestinationDeliveryFailures'), threshold: 1, ...said });
}

/** Alarms if Lambda dropped an asynchronous invocation, whether its destination took it or not. */
export function alarmOnDroppedInvocation(
  scope: Construct,
  name: string,
  { handler, ...said }: AlarmText & { readonly handler: ServiceFunction },
): Alarm {
  return alarm(scope, name, { metric: lossMetric(handler, 'AsyncEventsDropped'), threshold: 1, ...said });
}

const lossMetric = (handler: ServiceFunction, metric: 'DestinationDeliveryFailures' | 'AsyncEventsDropped'): Metric =>
  handler.function.metric(metric, { period: LOSS_PERIOD, statistic: 'sum' });

/** Alarms if neither the target nor the dead-letter queue of a rule of the default bus took an event. */
export function alarmOnLostByRule(
  scope: Construct,
  name: string,
  { rule, ...said }: AlarmText & { readonly rule: IRule },
): Alarm {
  const metric = new Metric({
    namespace: EVENT_RULES_NAMESPACE,
    metricName: LOST_BY_RULE,
    // "Metrics that specify only the RuleName dimension refer to the default event bus" (EventBridge, "Monitoring").
    dimensionsMap: { RuleName: rule.ruleName },
    period: LOSS_PERIOD,
    statistic: 'sum',
  });
  return alarm(scope, name, { metric, threshold: 1, ...said });
}

/**
 * Alarms if neither the target nor the dead-letter queue of any rule of a bus took an event. A query, and so one alarm for
 * all rules: an alarm costs as much as the metrics that it reads, and a rule that lost nothing has none.
 */
export function alarmOnLostByBus(
  scope: Construct,
  name: string,
  { bus, ...said }: AlarmText & { readonly bus: AnyBus },
): Alarm {
  const metric = new MathExpression({
    expression: `SELECT SUM(${LOST_BY_RULE}) FROM SCHEMA("${EVENT_RULES_NAMESPACE}", EventBusName, RuleName) WHERE EventBusName = '${bus.eventBusName}'`,
    period: LOSS_PERIOD,
  });
  return alarm(scope, name, { metric, threshold: 1, ...said });
}

const EVENT_RULES_NAMESPACE = 'AWS/Events';
const LOST_BY_RULE = 'InvocationsFailedToBeSentToDlq';
const LOSS_PERIOD = Duration.minutes(5);

/** Returns a metric that the functions of a service write into their logs (EMF). */
export function serviceMetric(namespace: string, service: string, metricName: string): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap: { service },
    period: Duration.minutes(5),
    statistic: 'sum',
  });
}
