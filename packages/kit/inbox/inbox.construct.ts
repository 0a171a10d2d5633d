import { Annotations, Duration, Validations } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { FAILED_INDEX } from '../aws/indexes.js';
import { InboxMetric } from '../aws/metric-names.js';
import { acknowledgeQueueSource } from '../base/acknowledge.js';
import { alarm, functionErrors, oldestMessage, serviceMetric } from '../base/alarms.construct.js';
import { liveFunction } from '../base/canary.construct.js';
import { queueConcurrency } from '../base/concurrency.js';
import { windowVariable } from '../base/dedupe-window.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { queueAccess } from '../base/queue-access.construct.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import type { ItemAction, ServiceFunction } from '../base/service-function.construct.js';
import { recordsPrefix } from '../failures/contract.js';
import { clampConcurrency, findConcurrencyFault } from '../idempotent-consumer/checks.construct.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { isEventSubscription } from '../messages/subscriptions.js';
import { scheduleSweeper } from '../timers/sweeper.construct.js';
import type { BackoffSettings, InboxSettings } from './contract.js';
import type { InboxDispatcher } from './dispatcher.construct.js';
import { clampSweepRate, findInboxFaults, MAX_PAGE_SIZE, MAX_SWEEP_PAGE_SIZE } from './inbox-faults.construct.js';
import { DEFAULT_BACKOFF, type Mode, single } from './modes.construct.js';

/** Settings of an inbox that its service chooses. */
export interface InboxOptions {
  /** How its messages depend on each other. @default single() */
  readonly mode?: Mode;
  /** Attempts of a message before it fails, at least 1. @default 15 */
  readonly attempts?: number;
  /**
   * Pauses between the attempts. Those of up to 15 minutes are kept to the second; a longer one ends with the first sweep
   * after it. An attempt that ends with its function, by a crash or a timeout, is followed by the next one after the lease.
   * @default exponentialBackoff: 30 seconds, doubled up to an hour
   */
  readonly backoff?: BackoffSettings;
  /**
   * Time for which a runner holds a message without a renewal; it renews its lease while it works. After a crash, the next
   * attempt begins when this time is over.
   * @default Duration.minutes(1)
   */
  readonly lease?: Duration;
  /** Messages that are worked on at once, 2 to 1,000. @default 10 */
  readonly parallel?: number;
  /** Stored messages that the sweeper hands out at once, at most 100. In mode batch also the messages of a page, at most 50. @default 20 */
  readonly pageSize?: number;
  /**
   * Time between two sweeps, 1 to 5 whole minutes. A sweep hands out what the stream and the queue have lost, what a crash has
   * left behind, and what pauses for over 15 minutes.
   * @default Duration.minutes(1)
   */
  readonly sweepEvery?: Duration;
  /**
   * Whether its messages wait for systems of others, which may be down for days: how long they wait raises no alarm and makes no status
   * unhealthy. What fails for good does, as everywhere.
   * @default false
   */
  readonly waitsForOthers?: boolean;
}

export interface InboxProps extends InboxOptions {
  /** Consumer that stores the messages: its function runs `kit/inbox/receive`. */
  readonly consumer: IdempotentConsumer;
  /** Function that processes the messages: its handler is made by `inbox`. */
  readonly runner: ServiceFunction;
  readonly dispatcher: InboxDispatcher;
  readonly alarmTopic: ITopic;
}

/** Default number of messages that are worked on at once. */
export const DEFAULT_PARALLELISM = 10;
/** Time after which a message that was handed out, and was not taken, is handed out again. */
const REDISPATCH_INTERVAL = Duration.minutes(15);
const DISPATCH_RETENTION = Duration.days(7);
/** Hand-outs of mode batch: two runners, so that messages are collected while one of them processes a window. */
const BATCH = { batchSize: 10, maxConcurrency: 2 };

/**
 * Processing half of an inbox (the run time is in the same folder). The receiving half is an `IdempotentConsumer` whose
 * function only stores and acknowledges.
 *
 *     bus -> rule -> queue -> receiver -> record PENDING
 *                                           | stream, at once        -> queue -> runner -> effect and PROCESSED,
 *                                           | sweeper, when it is due ->   ^      |         in one transaction
 *                                                                          +------+
 *                                                         after a failure, delayed by its pause
 *
 * `Service.addInbox` creates both halves.
 */
export class Inbox extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: InboxProps) {
    super(scope, id);
    const { consumer, runner, dispatcher, alarmTopic, mode = single(), lease = Duration.minutes(1) } = props;
    const { name, generation, dedupeWindow, records } = consumer;
    const { attempts = 15, backoff = DEFAULT_BACKOFF, parallel = DEFAULT_PARALLELISM, pageSize = 20 } = props;
    const { sweepEvery = Duration.minutes(1) } = props;
    const maxPageSize = mode.mode === 'batch' ? MAX_PAGE_SIZE : MAX_SWEEP_PAGE_SIZE;
    const faults = [
      findConcurrencyFault('parallel', parallel) ?? [],
      findInboxFaults({ attempts, backoff, pageSize, sweepEvery }, maxPageSize),
    ].flat();
    for (const fault of faults) Annotations.of(this).addError(fault);
    if (mode.mode === 'sequential') this.checkSequence(consumer);
    const settings: InboxSettings = {
      ...mode,
      ...findLatestEpoch(runner.context.settings.epochs, mode),
      attempts,
      backoff,
      leaseSeconds: lease.toSeconds(),
      pageSize,
      ...(runner.context.settings.inboxPayloads === 'compressed' ? { payloads: 'compressed' as const } : {}),
    };

    this.queue = queueAccess(this, runner.context.settings).createQueue(this, 'Work', {
      retentionPeriod: DISPATCH_RETENTION,
      visibilityTimeout: Duration.seconds(6 * runner.timeout.toSeconds()),
    });
    const reason = 'Its messages are keys of records. The record counts the attempts and fails after the last one.';
    Validations.of(this.queue).acknowledge({ id: 'AwsSolutions-SQS3', reason });
    Validations.of(this.queue).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason });
    // One message for each invocation: a handler that crashes its function harms no other message. In mode batch, messages
    // that came together get their places in one transaction.
    const maxConcurrency = queueConcurrency(runner.context.settings, clampConcurrency(parallel));
    const batching = mode.mode === 'batch' ? BATCH : { batchSize: 1, maxConcurrency };
    liveFunction(runner).addEventSource(new SqsEventSource(this.queue, { ...batching, reportBatchItemFailures: true }));
    acknowledgeQueueSource(runner);
    runner.setEnvironment(Env.CONSUMER, name);
    runner.setEnvironment(Env.CONSUMER_GENERATION, String(generation));
    runner.setEnvironment(Env.DEDUPE_WINDOW_SECONDS, windowVariable(dedupeWindow));
    runner.setEnvironment(Env.RECORDS, records.tableName);
    // It delays the next attempt of a message by its own queue.
    runner.setEnvironment(Env.QUEUE_URL, this.queue.queueUrl);
    runner.grantActions(['sqs:SendMessage'], this.queue.queueArn);
    for (const fn of [consumer.handler, consumer.drain, runner]) fn.setEnvironment(Env.INBOX, JSON.stringify(settings));
    // Windows and pages are items of their own.
    const windows: readonly ItemAction[] =
      mode.mode === 'batch' ? ['BatchGetItem', 'PutItem', 'ConditionCheckItem'] : [];
    runner.grantItems(records, ['GetItem', 'UpdateItem', ...windows], recordsPrefix(name));
    dispatcher.add(name, this.queue);

    const sweeper = scheduleSweeper(this, {
      context: runner.context,
      entry: 'kit/inbox/sweep',
      owner: name,
      records,
      queue: this.queue,
      interval: REDISPATCH_INTERVAL,
      every: clampSweepRate(sweepEvery),
      alarmTopic,
      environment: { [Env.INBOX]: JSON.stringify(settings) },
    });
    sweeper.grantIndex(records, FAILED_INDEX, name);
    this.addAlarms(name, runner, alarmTopic, props.waitsForOthers);
    if (mode.gapAlarmSeconds !== undefined) this.addGapAlarm(name, runner, mode.gapAlarmSeconds, alarmTopic);
  }

  /** Refuses a subscription that misses events of its subjects: each missing one would be a gap for ever. */
  private checkSequence({ name, subscribesTo }: IdempotentConsumer): void {
    const [only, ...others] = subscribesTo;
    if (only === undefined || others.length > 0 || !isEventSubscription(only)) {
      Annotations.of(this).addError(
        `'${name}' is sequential: expected one subscription, to the events of one publisher`,
      );
      return;
    }
    const missing = Object.keys(only.contract.events).filter((type) => !only.types.includes(type));
    if (missing.length === 0) return;
    Annotations.of(this).addError(
      `'${name}' is sequential and does not subscribe to ${missing.join(', ')}, which take places in the sequence too: expected subscribeToAll`,
    );
  }

  private addGapAlarm(name: string, { context }: ServiceFunction, gapAlarmSeconds: number, topic: ITopic): void {
    const age = serviceMetric(metricsNamespace(context.settings), context.service, InboxMetric.GAP_AGE);
    alarm(this, 'InboxGap', {
      metric: age.with({
        statistic: 'max',
        // Longer than the time after which a parked message is looked at again.
        period: Duration.minutes(15),
        dimensionsMap: { service: context.service, consumer: name },
      }),
      threshold: gapAlarmSeconds,
      means: 'a message waits for its predecessor, which has not arrived; its subject stands still.',
      severity: 'ticket',
      topic,
    });
  }

  private addAlarms(name: string, runner: ServiceFunction, topic: ITopic, waitsForOthers = false): void {
    const { settings, service } = runner.context;
    const oldest = serviceMetric(metricsNamespace(settings), service, InboxMetric.OLDEST_PENDING);
    const alarms = serviceAlarms(this, topic);
    const stored = {
      metric: oldest.with({ statistic: 'max', dimensionsMap: { service, consumer: name } }),
      label: `stored messages of ${name}`,
    };
    alarms.watch('QueueBehind', ...(waitsForOthers ? [] : [stored]), oldestMessage(this.queue));
    alarms.watch('FunctionFailing', functionErrors(runner));
  }
}

/** Returns the highest epoch of any service for an inbox in mode sequential; nothing as long as none was restored. */
function findLatestEpoch(
  epochs: Readonly<Record<string, number>> = {},
  { mode }: Mode,
): Pick<InboxSettings, 'latestEpoch'> {
  const latestEpoch = Math.max(0, ...Object.values(epochs));
  return mode === 'sequential' && latestEpoch > 0 ? { latestEpoch } : {};
}
