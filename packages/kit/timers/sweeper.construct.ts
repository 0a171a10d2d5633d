import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { DUE_INDEX } from '../aws/indexes.js';
import { Metric } from '../aws/metric-names.js';
import { alarmOnSilence, functionErrors, serviceMetric } from '../base/alarms.construct.js';
import type { AnyTable } from '../base/interfaces.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import { TIMERS_SCALE } from '../base/shared-alarms.js';
import { recordsPrefix } from '../failures/contract.js';
import { LEASES } from './contract.js';

const TICK = Duration.minutes(1);
/** Timeout of a sweep. It ends before the next tick, and so does the sweep's lease. */
const SWEEP_TIMEOUT = Duration.seconds(50);
/**
 * Reserved concurrency. The lease lets one sweeper work; the second one keeps a duplicate tick from being throttled.
 */
const SWEEPER_CONCURRENCY = 2;
/** Ticks in a row that nobody got, after which an alarm fires. */
const MISSED_TICKS = 5;

export interface SweeperProps {
  readonly context: ServiceContext;
  readonly entry: string;
  /** Name of the consumer whose stored messages it sends. */
  readonly owner: string;
  readonly records: AnyTable;
  /** Queue that receives what is due. */
  readonly queue: Queue;
  /** Time after which a message that was sent, and has not ended, is sent again. */
  readonly interval: Duration;
  /** Time between two sweeps, in whole minutes. @default a minute */
  readonly every?: Duration;
  readonly alarmTopic: ITopic;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Adds the function that sends the due messages of one owner, every minute by default, and its alarms.
 *
 * A tick carries no data, and the next one comes soon. So a failed tick is not kept: what was due still is at the next one. Lambda
 * retries it twice by itself, which does no harm, because the lease lets one sweep work. An alarm fires if no tick comes at all.
 */
export function scheduleSweeper(scope: Construct, props: SweeperProps): ServiceFunction {
  const { context, entry, owner, records, queue, interval, every = TICK, alarmTopic, environment = {} } = props;
  const sweeper = new ServiceFunction(scope, 'Sweeper', {
    context,
    entry,
    timeout: SWEEP_TIMEOUT,
    reservedConcurrency: SWEEPER_CONCURRENCY,
    environment: {
      [Env.CONSUMER]: owner,
      [Env.QUEUE_URL]: queue.queueUrl,
      [Env.RECORDS]: records.tableName,
      [Env.RESEND_SECONDS]: String(interval.toSeconds()),
      ...environment,
    },
  });
  sweeper.grantIndex(records, DUE_INDEX, `${owner}#`);
  sweeper.grantItems(records, ['BatchGetItem', 'UpdateItem'], recordsPrefix(owner));
  sweeper.grantItems(records, ['PutItem'], LEASES);
  sweeper.grantActions(['sqs:SendMessage'], queue.queueArn);
  const rule = new Rule(scope, 'EveryMinute', {
    schedule: Schedule.rate(every),
    targets: [new FunctionTarget(sweeper.function, { retryAttempts: 0, maxEventAge: TICK })],
  });
  Validations.of(rule).acknowledge({
    id: 'Serverless-EventBusDLQ',
    reason: 'A tick that could not be delivered has nothing in it to keep; that none comes is an alarm.',
  });

  const { settings, service } = context;
  const alarms = serviceAlarms(scope, alarmTopic);
  const lateness = serviceMetric(metricsNamespace(settings), service, Metric.TIMER_LATENESS).with({ statistic: 'max' });
  alarms.watch('QueueBehind', { metric: lateness, label: 'timers', scale: TIMERS_SCALE });
  alarms.watch('FunctionFailing', functionErrors(sweeper));
  alarmOnSilence(scope, 'SweeperStopped', {
    handler: sweeper,
    within: Duration.minutes(MISSED_TICKS * every.toMinutes()),
    means: `nothing invokes the sweeper any more: nothing that is due is sent.`,
    topic: alarmTopic,
  });
  return sweeper;
}
