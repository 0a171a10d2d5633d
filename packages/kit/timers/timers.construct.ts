import { Annotations, Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { recordsOf } from '../failures/contract.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { alarm, alarmOnErrors, alarmOnSilence, serviceMetric } from '../service/alarms.construct.js';
import { metricsNamespace, ServiceFunction } from '../service/service-function.construct.js';
import { DUE_INDEX, LEASES } from './contract.js';

export interface TimersProps {
  /** Consumer that sets and clears the timers. Its own queue receives them as messages when they are due. */
  readonly owner: IdempotentConsumer;
  readonly alarmTopic: ITopic;
}

/**
 * Time for which a timer that was sent is left to its owner. If the owner has not processed it by then, it is sent
 * again. A message that was sent is rarely lost, and a message that fails is retried for minutes.
 */
const DISPATCH_INTERVAL = Duration.hours(1);
const TICK = Duration.minutes(1);
/** Timeout of a sweep. It ends before the next tick, and so does the sweep's lease. */
const SWEEP_TIMEOUT = Duration.seconds(50);
/**
 * Reserved concurrency. The lease lets one sweeper work; the second one keeps a duplicate tick from being throttled.
 */
const SWEEPERS = 2;
const LATE = Duration.minutes(10);

/**
 * Timers of one consumer (the run time is in the same folder). They are stored in the consumer's records and sent to it
 * when they are due.
 *
 *     owner's commit -> record, in the index "due"
 *     every minute -> sweeper -> owner's queue -> owner: effect, and record PROCESSED
 *
 * A tick carries no data, and the next one comes in a minute. So a failed tick is neither retried nor kept. An alarm
 * fires if no tick comes at all.
 */
export class Timers extends Construct {
  constructor(scope: Construct, id: string, props: TimersProps) {
    super(scope, id);
    const { owner, alarmTopic } = props;
    const { handler, name, records, queue } = owner;
    this.checkInterval(owner);

    // The owner may already put timers, by its permission on its own records.
    handler.grantItems(records, ['DeleteItem'], recordsOf(name));

    const sweeper = new ServiceFunction(this, 'Sweeper', {
      context: handler.context,
      entry: 'kit/timers/sweeper',
      timeout: SWEEP_TIMEOUT,
      reservedConcurrency: SWEEPERS,
      environment: {
        [Env.CONSUMER]: name,
        [Env.QUEUE_URL]: queue.queueUrl,
        [Env.RECORDS]: records.tableName,
        [Env.RESEND_SECONDS]: String(DISPATCH_INTERVAL.toSeconds()),
      },
    });
    sweeper.grantIndex(records, DUE_INDEX, `${name}#`);
    sweeper.grantItems(records, ['BatchGetItem', 'UpdateItem'], recordsOf(name));
    sweeper.grantItems(records, ['PutItem'], LEASES);
    sweeper.allow(['sqs:SendMessage'], queue.queueArn);
    sweeper.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: TICK });
    Validations.of(sweeper).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'A tick that fails has nothing in it to keep: what was due still is at the next one, a minute later.',
    });
    const rule = new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(TICK),
      targets: [new FunctionTarget(sweeper.function, { retryAttempts: 0, maxEventAge: TICK })],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'A tick that could not be delivered has nothing in it to keep; that none comes is an alarm.',
    });

    const { settings, service } = handler.context;
    alarm(this, 'TimersLate', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.TIMER_LATENESS).with({ statistic: 'max' }),
      threshold: LATE.toSeconds(),
      means: 'a timer was sent over 10 minutes after its due time: the sweeper is behind, or its owner is.',
      topic: alarmTopic,
    });
    alarmOnErrors(this, 'SweeperFailing', {
      handler: sweeper,
      means: 'sweeps end with an error: timers are late, or are not sent.',
      topic: alarmTopic,
    });
    alarmOnSilence(this, 'SweeperStopped', {
      handler: sweeper,
      within: Duration.minutes(5),
      means: 'nothing invokes the sweeper any more: no timer is sent.',
      topic: alarmTopic,
    });
  }

  /**
   * Refuses an owner that retries a message for longer than the interval. Otherwise a second copy would join a message
   * that is still being retried, each with attempts of its own.
   */
  private checkInterval({ handler, name, longestTrying }: IdempotentConsumer): void {
    const interval = DISPATCH_INTERVAL.toSeconds();
    if (interval >= longestTrying.toSeconds()) return;
    Annotations.of(this).addError(
      `the queue of '${name}' retries a message that crashes its handler for ${longestTrying.toSeconds()} s (6 x timeout of ${handler.timeout.toSeconds()} s x receives), and a timer is sent again after ${interval} s: take a shorter timeout, or fewer consumerAttempts`,
    );
  }
}
