import { Annotations, Duration } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { acknowledgeQueueSource } from '../base/acknowledge.js';
import { functionErrors, oldestMessage, visibleMessages } from '../base/alarms.construct.js';
import { liveFunction } from '../base/canary.construct.js';
import { queueConcurrency } from '../base/concurrency.js';
import { windowVariable } from '../base/dedupe-window.js';
import { type AnyBus, type AnyTable, refuseForeignBus } from '../base/interfaces.js';
import { type QueueAccess, queueAccess } from '../base/queue-access.construct.js';
import { type QueueTargetProps, queueTarget } from '../base/queue-target.construct.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import type { ServiceFunction } from '../base/service-function.construct.js';
import type { AppSettings, DedupeWindowSetting } from '../base/settings.js';
import { recordsPrefix } from '../failures/contract.js';
import { type CommandSubscription, isEventSubscription, type Subscription } from '../messages/subscriptions.js';
import { checkConsumer, clampConcurrency } from './checks.construct.js';
import { addDeadLetterDrain, createDeadLetterQueue, DLQ_RETENTION } from './dead-letters.construct.js';
import { buildForeignPattern, buildPattern, listCommanders, ruleId } from './subscriptions.construct.js';

export interface IdempotentConsumerProps {
  /**
   * Name of the consumer, which no other consumer with the same records may have. Never change it: it is part of the key of
   * every processed record. With a new name, everything is processed again.
   */
  readonly name: string;
  /**
   * Generation of the consumer. Raise it to process everything again on purpose: records of another generation do not
   * count.
   * @default 0
   */
  readonly generation?: number;
  /**
   * Time of the first deployment of this name and generation: `2026-11-23`, or a time in UTC. With it, an operator may replay
   * events of any age to the consumer (`orderly replay`), until its first records expire. Give it only to a consumer whose
   * name and generation have never been deployed before: with a later time, a replay has effects for the second time. An earlier time
   * is always safe.
   * @default a replay goes back as far as the deduplication window
   */
  readonly since?: string;
  readonly bus: AnyBus;
  /** Subscriptions of the consumer: events of other services, or commands to its own service. */
  readonly subscribesTo: readonly Subscription[];
  readonly handler: ServiceFunction;
  /** Table of the processed records and failure records (TTL on `expiresAt`). */
  readonly records: AnyTable;
  readonly alarmTopic: ITopic;
  /**
   * Maximum number of concurrent invocations, 2 to 1,000. It limits the load on a table's hottest keys, and the share of the
   * account's concurrency that one consumer takes.
   *
   * Multiplied by `BATCH_SIZE`, it is the number of messages in flight. A fair queue detects a noisy group from 30
   * messages in flight on.
   * @default 10
   */
  readonly maxConcurrency?: number;
  /**
   * Whether the queue is fair: a burst of one customer delays nobody else's messages. SQS charges such requests more, so set it to
   * `false` where nobody waits for the messages.
   * @default true
   */
  readonly fair?: boolean;
}

export const DEFAULT_CONCURRENCY = 10;
/** Messages of one invocation, at most. */
export const BATCH_SIZE = 10;
/** Time for which EventBridge retries a target. */
const BUS_RETRIES = Duration.hours(24);
const QUEUE_RETENTION = Duration.days(7);
/**
 * Receives that the queue allows above the handler's own attempts. The dead-letter queue is for messages that crash the
 * handler before it writes a failure record, so the handler's own count must end first.
 */
const RECEIVES_ABOVE_ATTEMPTS = 2;

/**
 * Consumer of a bus. Each message has at most one effect (the run time is in the same folder).
 *
 *     bus -> rule -> queue -> handler -> effect and processed record, in one transaction
 *      |       |       | crashed each time
 *      |       |       +-> dead letters --+
 *      |       | never reached the queue  +-> drain -> failure records
 *      |       +---------> undelivered ---+
 *      +-> rule: commands from services that may not send them -----> undelivered
 *
 * `Service.addConsumer` creates one with its function and outputs.
 * @example
 * const handler = new ServiceFunction(this, 'OnOpened', { context, entry: 'assign-ticket' });
 * new IdempotentConsumer(this, 'Opened', { name: 'assigning', bus, subscribesTo: [opened], handler, records, alarmTopic });
 */
export class IdempotentConsumer extends Construct {
  readonly name: string;
  readonly handler: ServiceFunction;
  /** Function that turns what is in the dead-letter queues into failure records. */
  readonly drain: ServiceFunction;
  readonly records: AnyTable;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly undelivered: Queue;
  readonly generation: number;
  readonly since: string | undefined;
  readonly subscribesTo: readonly Subscription[];
  /** Time for which a duplicate is recognised, now and earlier. An older message is quarantined, never processed silently. */
  readonly dedupeWindow: DedupeWindowSetting;
  /**
   * Longest time between a message's arrival on the bus and its last possible delivery. After it, a message without a
   * record exists nowhere.
   */
  readonly longestRedelivery = BUS_RETRIES.plus(QUEUE_RETENTION).plus(DLQ_RETENTION);
  /** Time after which a message that crashes the handler each time goes to the dead-letter queue. */
  readonly maxRetryTime: Duration;
  private readonly app: AppSettings;
  private readonly access: QueueAccess;

  constructor(scope: Construct, id: string, props: IdempotentConsumerProps) {
    super(scope, id);
    const {
      name,
      bus,
      subscribesTo,
      handler,
      records,
      generation = 0,
      since,
      maxConcurrency = DEFAULT_CONCURRENCY,
      fair = true,
    } = props;
    const { settings } = handler.context;
    const { app, consumerAttempts, dedupeWindow } = settings;
    // Lambda may retry a throttled batch for so long (AWS, "Using Lambda with Amazon SQS").
    const visibilityTimeout = Duration.seconds(6 * handler.timeout.toSeconds());
    checkConsumer(this, {
      name,
      subscribesTo,
      since,
      handler,
      dedupeWindow,
      longestRedelivery: this.longestRedelivery,
      maxConcurrency,
    });
    this.refuseTakenName(name, records);
    refuseForeignBus(this, bus);
    this.name = name;
    this.handler = handler;
    this.app = app;
    this.records = records;
    this.generation = generation;
    this.since = since;
    this.subscribesTo = subscribesTo;
    this.dedupeWindow = dedupeWindow;
    const maxReceiveCount = consumerAttempts + RECEIVES_ABOVE_ATTEMPTS;
    this.maxRetryTime = Duration.seconds(maxReceiveCount * visibilityTimeout.toSeconds());

    this.access = queueAccess(this, settings);
    this.deadLetters = createDeadLetterQueue(this, 'DeadLetters', this.access);
    this.undelivered = createDeadLetterQueue(this, 'Undelivered', this.access);
    this.queue = this.access.createQueue(this, 'Queue', {
      retentionPeriod: QUEUE_RETENTION,
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    // One rule for each publisher. A pattern with two sources would also match one publisher's types from the other
    // source.
    for (const subscription of subscribesTo) {
      this.addRules(subscription, bus, fair);
      if (!isEventSubscription(subscription)) this.refuseForeignCommands(bus, subscription);
    }
    liveFunction(handler).addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: BATCH_SIZE,
        reportBatchItemFailures: true,
        maxConcurrency: queueConcurrency(settings, clampConcurrency(maxConcurrency)),
      }),
    );
    acknowledgeQueueSource(handler);
    handler.setEnvironment(Env.CONSUMER, name);
    handler.setEnvironment(Env.CONSUMER_GENERATION, String(generation));
    if (since !== undefined) handler.setEnvironment(Env.CONSUMER_SINCE, since);
    handler.setEnvironment(Env.QUEUE_URL, this.queue.queueUrl);
    handler.setEnvironment(Env.COMMANDERS, JSON.stringify(subscribesTo.flatMap(listCommanders)));
    handler.setEnvironment(Env.MAX_ATTEMPTS, String(consumerAttempts));
    handler.setEnvironment(Env.DEDUPE_WINDOW_SECONDS, windowVariable(dedupeWindow));
    handler.setEnvironment(Env.RECORDS, records.tableName);
    handler.grantItems(records, ['PutItem', 'GetItem', 'UpdateItem'], recordsPrefix(name));

    this.drain = addDeadLetterDrain(this);
    this.addAlarms(handler, props.alarmTopic);
  }

  /**
   * Routes a subscription into the queue. If the queue is fair, each message has its message group, so a burst of one customer
   * delays nobody else.
   *
   * AWS does not document what EventBridge does if an event lacks the group. So such events (from an earlier release,
   * or replayed from the archive) have a rule of their own, and each of them is a group of its own. A queue that is not fair keeps
   * both rules: with one, an update of the stack would route events by neither or by both for a moment.
   */
  private addRules(subscription: Subscription, bus: AnyBus, fair: boolean): void {
    const pattern = buildPattern(this.app.name, subscription);
    const target = { deadLetterQueue: this.undelivered, maxEventAge: BUS_RETRIES };
    const rule = (id: string, messagegroup: string[], targetProps: QueueTargetProps): Rule =>
      new Rule(this, id, {
        eventBus: bus,
        eventPattern: { ...pattern, detail: { ...pattern.detail, messagegroup } },
        targets: [queueTarget(this.access, this.queue, targetProps)],
      });
    const id = ruleId(subscription);
    rule(id, Match.exists(), { ...target, ...(fair && { messageGroupId: '$.detail.messagegroup' }) });
    rule(`${id}Ungrouped`, Match.doesNotExist(), target);
  }

  /**
   * Routes commands from other services into failure records, where an operator sees them. They never enter the
   * handler's own queue, so forged commands take no capacity from allowed ones.
   */
  private refuseForeignCommands(bus: AnyBus, subscription: CommandSubscription): void {
    new Rule(this, 'ForeignCommands', {
      eventBus: bus,
      eventPattern: buildForeignPattern(this.app.name, subscription),
      targets: [
        queueTarget(this.access, this.undelivered, { deadLetterQueue: this.deadLetters, maxEventAge: BUS_RETRIES }),
      ],
    });
  }

  /**
   * Refuses the name of another consumer with the same records. Both would claim a message by the same key, so only one of
   * them would have its effect; the other one would take the message for a duplicate.
   */
  private refuseTakenName(name: string, { tableName }: AnyTable): void {
    const taken = this.node.root.node
      .findAll()
      .find(
        (other) => other instanceof IdempotentConsumer && other.name === name && other.records.tableName === tableName,
      );
    if (!taken) return;
    const { path } = this.node;
    Annotations.of(this).addError(
      `${taken.node.path} and ${path} are both named '${name}' and share a records table, so each message would have the effect of only one of them: give ${path} a name of its own`,
    );
  }

  private addAlarms(handler: ServiceFunction, topic: ITopic): void {
    const alarms = serviceAlarms(this, topic);
    alarms.watch('QueueBehind', oldestMessage(this.queue));
    alarms.watch('FunctionFailing', functionErrors(handler));
    alarms.watch('DeadLettersNotDrained', visibleMessages(this.deadLetters), visibleMessages(this.undelivered));
  }
}
