import { Duration, Stack } from 'aws-cdk-lib';
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
import { describeAlarm, type Severity, topicOf } from './alarm-routes.js';
import type { AnyBus } from './interfaces.js';
import { findServiceAlarms, type PartOfPage, type WatchedMetric } from './service-alarms.construct.js';
import type { ServiceFunction } from './service-function.construct.js';
import { STREAM_SCALE } from './shared-alarms.js';

/** Condition and text of an alarm. Missing data raises no alarm, because a queue that nobody uses reports no data. */
export interface AlarmProps {
  readonly metric: IMetric;
  /** Smallest value that raises the alarm. */
  readonly threshold: number;
  /** Number of consecutive periods of the metric. @default 1 */
  readonly periods?: number;
  /** One sentence that says what happened. The runbook says what to do. */
  readonly means: string;
  /** Whether it wakes somebody. @default 'page' */
  readonly severity?: Severity;
  /** Topic of pages. A platform's topic knows the topic of its tickets. */
  readonly topic: ITopic;
}

/**
 * Adds an alarm that notifies the topic of its severity when it begins and when it ends. A page of a service is part of the
 * service's one page (`ServiceAlarms`), which notifies in its place.
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
  { handler, within, ...said }: { handler: ServiceFunction; within: Duration } & AlarmText,
): Alarm {
  const metric = handler.function.metricInvocations({ period: within, statistic: 'sum' });
  return alarmOnNone(scope, name, { metric, ...said });
}

/**
 * Alarms if a metric counts nothing within its period. Missing data raises this alarm.
 * @param props `followsBus`: as a part of its service's page, it is silent while the bus refuses events
 */
export function alarmOnNone(
  scope: Construct,
  name: string,
  { metric, ...said }: Pick<AlarmProps, 'metric'> & AlarmText & PartOfPage,
): Alarm {
  return createAlarm(scope, name, said, {
    metric,
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  });
}

/**
 * Alarms if a metric reaches the threshold in `bad` of the last `periods`, so that it also outlasts what it reports.
 * @param props `bad` and `periods` are numbers of the metric's periods
 */
export function alarmOnSome(
  scope: Construct,
  name: string,
  { metric, threshold, periods, bad, ...said }: AlarmProps & { readonly periods: number; readonly bad: number },
): Alarm {
  return createAlarm(scope, name, said, {
    metric,
    threshold,
    evaluationPeriods: periods,
    datapointsToAlarm: bad,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

function createAlarm(
  scope: Construct,
  name: string,
  { means, topic, severity = 'page', followsBus = false }: AlarmText & PartOfPage,
  rule: CdkAlarmProps,
): Alarm {
  const created = new Alarm(scope, name, { ...rule, alarmDescription: describeAlarm(scope, name, means, severity) });
  const page = severity === 'page' ? findServiceAlarms(scope) : undefined;
  if (page) page.addToPage(created, { followsBus });
  else notify(created, topicOf(topic, severity));
  return created;
}

function notify(created: Alarm, topic: ITopic): void {
  const action = new SnsAction(topic);
  created.addAlarmAction(action);
  created.addOkAction(action);
}

/** Alarms if a function fails in each of three consecutive minutes. A single crash is retried, so it raises no alarm. */
export function alarmOnErrors(
  scope: Construct,
  name: string,
  { handler, ...said }: { handler: ServiceFunction } & AlarmText,
): Alarm {
  const metric = handler.function.metricErrors({ period: Duration.minutes(1), statistic: 'sum' });
  return alarm(scope, name, { metric, threshold: 1, periods: 3, ...said });
}

/** Watches the errors of a function, minute by minute. */
export const functionErrors = (handler: ServiceFunction): WatchedMetric => ({
  metric: handler.function.metricErrors({ period: Duration.minutes(1), statistic: 'sum' }),
  label: labelOf(handler),
});

/** Watches the age of the records that a reader of a stream reads: one is five minutes. */
export const streamAge = (reader: ServiceFunction): WatchedMetric => ({
  metric: reader.function.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'max' }),
  label: `age of what ${labelOf(reader)} reads`,
  scale: STREAM_SCALE,
});

/** Watches the age of a queue's oldest message, in seconds: its consumer is down, or slower than the messages arrive. */
export const oldestMessage = (queue: IQueue & Construct): WatchedMetric => ({
  metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'max' }),
  label: labelOf(queue),
});

/** Watches the messages of a queue that is normally empty. */
export const visibleMessages = (queue: IQueue & Construct): WatchedMetric => ({
  metric: queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5), statistic: 'max' }),
  label: labelOf(queue),
});

/** Returns the name of a part within its stack, as its logical id begins: `ClosingQueue`. */
const labelOf = (part: Construct): string =>
  part.node.scopes
    .slice(Stack.of(part).node.scopes.length)
    .map(({ node }) => node.id)
    .filter((id) => id !== 'Default')
    .join('');

/** Alarms if the oldest message waits for longer than `limit`: the consumer is down, or slower than the messages arrive. */
export function alarmOnOldest(
  scope: Construct,
  name: string,
  { queue, limit, ...said }: { queue: IQueue; limit: Duration } & AlarmText,
): Alarm {
  const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: limit.toSeconds(), ...said });
}

/** Alarms if a queue that is normally empty has messages for `periods` times five minutes. A ticket by default. */
export function alarmOnVisible(
  scope: Construct,
  name: string,
  { queue, periods, severity = 'ticket', ...said }: { queue: IQueue; periods: number } & AlarmText,
): Alarm {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: 1, periods, severity, ...said });
}

/** Text of an alarm, its severity, and the topic that it notifies. */
type AlarmText = Pick<AlarmProps, 'means' | 'topic' | 'severity'>;

/** Returns the count of what a function's on-failure destination did not take. Lambda then drops it: it is the only trace. */
export const lostByDestination = (handler: ServiceFunction): Metric =>
  handler.function.metric('DestinationDeliveryFailures', { period: LOSS_PERIOD, statistic: 'sum' });

/** Returns the count of events that Lambda could not send to the dead-letter queue of a function. */
export const lostByDeadLetterQueue = (handler: ServiceFunction): Metric =>
  handler.function.metric('DeadLetterErrors', { period: LOSS_PERIOD, statistic: 'sum' });

/** Returns the count of asynchronous invocations that Lambda dropped, whether their queue took them or not. */
export const droppedInvocations = (handler: ServiceFunction): Metric =>
  handler.function.metric('AsyncEventsDropped', { period: LOSS_PERIOD, statistic: 'sum' });

/** Returns the count of events that neither the target nor the dead-letter queue of a rule of the default bus took. */
export const lostByRule = (rule: IRule): Metric =>
  new Metric({
    namespace: EVENT_RULES_NAMESPACE,
    metricName: LOST_BY_RULE,
    // "Metrics that specify only the RuleName dimension refer to the default event bus" (EventBridge, "Monitoring").
    dimensionsMap: { RuleName: rule.ruleName },
    period: LOSS_PERIOD,
    statistic: 'sum',
  });

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
