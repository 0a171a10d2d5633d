import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps as CdkAlarmProps,
  ComparisonOperator,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { whatToDo } from './runbook.js';
import type { ServiceFunction } from './service-function.construct.js';

/** When somebody has to look. No data is no alarm: a queue that nobody uses reports nothing. */
export interface AlarmProps {
  readonly metric: Metric;
  /** Alarms from this value on. */
  readonly threshold: number;
  /** Periods of the metric in a row. @default 1 */
  readonly periods?: number;
  /** What happened, in one sentence; what to do stands in the runbook. */
  readonly means: string;
  readonly topic: ITopic;
}

/**
 * An alarm that tells the topic when it begins and when it is over.
 *
 * @param name a heading of the runbook; CloudFormation makes the physical name from it, and the description begins with it
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

/** A function that a schedule calls wasn't called for `within`. The one alarm for which no data is what it is about. */
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
    alarmDescription: `${name}: ${means}${whatToDo(scope, name)}`,
  });
  const tell = new SnsAction(topic);
  created.addAlarmAction(tell);
  created.addOkAction(tell);
  return created;
}

/** The oldest message waits for longer than a limit: the consumer is down, or slower than what arrives. */
export function alarmOnOldest(
  scope: Construct,
  name: string,
  { queue, limit, means, topic }: { queue: IQueue; limit: Duration; means: string; topic: ITopic },
): Alarm {
  const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: limit.toSeconds(), means, topic });
}

/** Something stays in a queue that is emptied at once as a rule: for `periods` times five minutes. */
export function alarmOnVisible(
  scope: Construct,
  name: string,
  { queue, periods, means, topic }: { queue: IQueue; periods: number; means: string; topic: ITopic },
): Alarm {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5), statistic: 'max' });
  return alarm(scope, name, { metric, threshold: 1, periods, means, topic });
}

/** A function ends with an error in each of three minutes in a row: one crash is retried and may stay alone. */
export function alarmOnErrors(
  scope: Construct,
  name: string,
  { handler, means, topic }: { handler: ServiceFunction; means: string; topic: ITopic },
): Alarm {
  const metric = handler.function.metricErrors({ period: Duration.minutes(1), statistic: 'sum' });
  return alarm(scope, name, { metric, threshold: 1, periods: 3, means, topic });
}

/** A metric that the functions of a service write into their logs (EMF), by its name. */
export function serviceMetric(namespace: string, service: string, metricName: string): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap: { service },
    period: Duration.minutes(5),
    statistic: 'sum',
  });
}
