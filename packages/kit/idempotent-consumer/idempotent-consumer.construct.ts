import { Annotations, Duration, Stack, Token, TokenComparison, Validations } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue, type SqsQueueProps } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { RELAY } from '../outbox/outbox.construct.js';
import { acknowledgeIsDeadLetterQueue } from '../service/acknowledge.js';
import { alarmOnErrors, alarmOnOldest, alarmOnVisible } from '../service/alarms.construct.js';
import type { AnyBus, AnyTable } from '../service/interfaces.js';
import { ServiceFunction } from '../service/service-function.construct.js';
import type { AppSettings } from '../service/settings.js';
import {
  type CommandSubscription,
  commandersOf,
  foreignTo,
  isEvents,
  patternOf,
  ruleOf,
  type Subscription,
} from './subscriptions.construct.js';

export interface IdempotentConsumerProps {
  /** Pinned: it is part of every processed record's key. A new name means that all is processed again. */
  readonly name: string;
  /**
   * Raised to process everything again on purpose: records of another generation don't count.
   * @default 0
   */
  readonly generation?: number;
  readonly bus: AnyBus;
  /** What it hears: events of others, or the commands to its service. */
  readonly events: readonly (Subscription | CommandSubscription)[];
  readonly handler: ServiceFunction;
  /** Where processed and failure records live (TTL on `expiresAt`). */
  readonly records: AnyTable;
  readonly alarmTopic: ITopic;
  /**
   * How long a duplicate is recognised; what is older is quarantined, never processed silently.
   * @default the environment's
   */
  readonly dedupeWindow?: Duration;
  /** How long a message that is being handled stays invisible to others. @default 6 times the handler's timeout */
  readonly visibilityTimeout?: Duration;
}

/**
 * Invocations at once: what a table's hottest keys stand, and how much of the account's concurrency one consumer takes.
 * Times `BATCH_SIZE` it is how many messages are in flight: a fair queue notices a group from 30 of them on.
 */
export const MAX_CONCURRENCY = 10;
const BATCH_SIZE = 10;
/** EventBridge keeps retrying a target for this long. */
const BUS_RETRIES = Duration.hours(24);
const QUEUE_RETENTION = Duration.days(7);
/** A message that comes from the queue keeps its first date there. */
const DLQ_RETENTION = Duration.days(14);
/** The dead-letter queue is for what crashes before its failure record: so the handler's own count comes first. */
const RECEIVES_ABOVE_ATTEMPTS = 2;

/**
 * Events of a bus, each with at most one effect (its run time lies beside it).
 *
 *     bus -> rule -> queue -> handler -> effect and processed record, in one transaction
 *      |       |       | crashed each time
 *      |       |       +-> dead letters --+
 *      |       | never reached the queue  +-> drain -> failure records
 *      |       +---------> undelivered ---+
 *      +-> rule: commands from services that may not command it ---> undelivered
 */
export class IdempotentConsumer extends Construct {
  readonly name: string;
  readonly handler: ServiceFunction;
  readonly records: AnyTable;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly undelivered: Queue;
  readonly generation: number;
  readonly dedupeWindow: Duration;
  /** From its arrival on the bus on: afterwards an event that left no record is nowhere. */
  readonly longestRedelivery = BUS_RETRIES.plus(QUEUE_RETENTION).plus(DLQ_RETENTION);
  /** A message that crashes the handler each time is given up after so long. */
  readonly longestTrying: Duration;
  private readonly app: AppSettings;

  constructor(scope: Construct, id: string, props: IdempotentConsumerProps) {
    super(scope, id);
    const { name, bus, events, handler, records, generation = 0 } = props;
    const { app, consumerAttempts } = handler.context.settings;
    const { dedupeWindow = handler.context.settings.dedupeWindow } = props;
    const { visibilityTimeout = Duration.seconds(6 * handler.timeout.toSeconds()) } = props;
    this.checkName(name);
    this.checkEvents(events);
    this.checkWindow(dedupeWindow);
    this.checkVisibility(visibilityTimeout, handler.timeout);
    this.checkConcurrency(handler);
    this.checkBus(bus);
    this.name = name;
    this.handler = handler;
    this.app = app;
    this.records = records;
    this.generation = generation;
    this.dedupeWindow = dedupeWindow;
    const maxReceiveCount = consumerAttempts + RECEIVES_ABOVE_ATTEMPTS;
    this.longestTrying = Duration.seconds(maxReceiveCount * visibilityTimeout.toSeconds());

    this.deadLetters = this.deadLetterQueue('DeadLetters');
    this.undelivered = this.deadLetterQueue('Undelivered');
    this.queue = new Queue(this, 'Queue', {
      retentionPeriod: QUEUE_RETENTION,
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
      enforceSSL: true,
    });
    // One rule a publisher: a pattern with two sources would let each one's types through from the other, too.
    for (const subscription of events) {
      this.route(subscription, bus);
      if (!isEvents(subscription)) this.refuseForeignCommands(bus, subscription);
    }
    handler.function.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: BATCH_SIZE,
        reportBatchItemFailures: true,
        maxConcurrency: MAX_CONCURRENCY,
      }),
    );
    acknowledgeQueueSource(handler);
    handler.setEnvironment(Env.CONSUMER, name);
    handler.setEnvironment(Env.CONSUMER_GENERATION, String(generation));
    handler.setEnvironment(Env.QUEUE_URL, this.queue.queueUrl);
    handler.setEnvironment(Env.COMMANDERS, JSON.stringify(events.flatMap(commandersOf)));
    handler.setEnvironment(Env.MAX_ATTEMPTS, String(consumerAttempts));
    handler.setEnvironment(Env.DEDUPE_WINDOW_SECONDS, String(dedupeWindow.toSeconds()));
    handler.setEnvironment(Env.RECORDS, records.tableName);
    handler.allowItems(records, ['PutItem', 'GetItem', 'UpdateItem'], `${name}@`);

    this.drain({ name, generation, handler, records });
    this.alarms(handler, props.alarmTopic);
  }

  /**
   * Leads what was subscribed to into the queue, in its message group: the queue is fair, so a customer's burst delays
   * nobody else. AWS doesn't say what EventBridge does where the event lacks the group, so such events (of an earlier
   * release, or replayed from the archive) have a rule of their own, and each is a group by itself.
   */
  private route(subscription: Subscription | CommandSubscription, bus: AnyBus): void {
    const pattern = patternOf(this.app.name, subscription);
    const target = { deadLetterQueue: this.undelivered, maxEventAge: BUS_RETRIES };
    const rule = (id: string, messagegroup: string[], targetProps: SqsQueueProps): Rule =>
      new Rule(this, id, {
        eventBus: bus,
        eventPattern: { ...pattern, detail: { ...pattern.detail, messagegroup } },
        targets: [new SqsQueue(this.queue, targetProps)],
      });
    const id = ruleOf(subscription);
    rule(id, Match.exists(), { ...target, messageGroupId: '$.detail.messagegroup' });
    rule(`${id}Ungrouped`, Match.doesNotExist(), target);
  }

  private deadLetterQueue(id: string): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: DLQ_RETENTION,
      visibilityTimeout: Duration.seconds(6 * DRAIN_TIMEOUT.toSeconds()),
      enforceSSL: true,
    });
    acknowledgeIsDeadLetterQueue(queue);
    return queue;
  }

  /**
   * A command of anybody else becomes a failure record, which somebody sees, and never comes near the handler's own queue:
   * whoever forges commands takes no place from those that count.
   */
  private refuseForeignCommands(bus: AnyBus, subscription: CommandSubscription): void {
    new Rule(this, 'ForeignCommands', {
      eventBus: bus,
      eventPattern: foreignTo(this.app.name, subscription),
      targets: [new SqsQueue(this.undelivered, { deadLetterQueue: this.deadLetters, maxEventAge: BUS_RETRIES })],
    });
  }

  /** Nothing lives in a dead-letter queue: each message becomes a failure record at once. */
  private drain({ name, generation, handler, records }: Drained): void {
    const drain = new ServiceFunction(this, 'DrainDeadLetters', {
      context: handler.context,
      entry: 'kit/failures/drain-dead-letters',
      timeout: DRAIN_TIMEOUT,
      environment: {
        [Env.CONSUMER]: name,
        [Env.CONSUMER_GENERATION]: String(generation),
        [Env.UNDELIVERED]: this.undelivered.queueArn,
        [Env.DEDUPE_WINDOW_SECONDS]: String(this.dedupeWindow.toSeconds()),
        [Env.RECORDS]: records.tableName,
      },
    });
    for (const queue of [this.deadLetters, this.undelivered]) {
      drain.function.addEventSource(
        new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }),
      );
    }
    acknowledgeQueueSource(drain);
    drain.allowItems(records, ['PutItem', 'GetItem', 'UpdateItem'], `${name}@`);
  }

  private alarms(handler: ServiceFunction, topic: ITopic): void {
    alarmOnOldest(this, 'QueueBehind', {
      queue: this.queue,
      limit: Duration.hours(1),
      means: 'a message has waited for over an hour.',
      topic,
    });
    alarmOnErrors(this, 'ConsumerCrashing', {
      handler,
      means: 'the consumer ends with an error instead of an answer per message; whole batches are delivered again.',
      topic,
    });
    alarmOnVisible(this, 'DeadLettersNotDrained', {
      queue: this.deadLetters,
      periods: 2,
      means: 'messages that crashed the consumer are not turned into failure records.',
      topic,
    });
    alarmOnVisible(this, 'UndeliveredNotDrained', {
      queue: this.undelivered,
      periods: 2,
      means: 'events that never reached the queue are not turned into failure records.',
      topic,
    });
  }

  /** The name is followed by `@` in keys, and a right on keys that begin so must not hold for another's. */
  private checkName(name: string): void {
    if (!/^[a-z][a-z0-9-]{0,62}$/.test(name)) {
      this.refuse(`name '${name}' is not 1 to 63 of a-z, 0-9 and -, beginning with a letter`);
    }
    if (name === RELAY) this.refuse(`name '${RELAY}' is the relay's own: their failure records would mix`);
  }

  /** A misspelt type would never arrive, and nobody would miss it. (No type at all is refused by CloudFormation's rules.) */
  private checkEvents(events: IdempotentConsumerProps['events']): void {
    if (events.length === 0) this.refuse('events is empty: a consumer listens to something');
    for (const { contract, types } of events.filter(isEvents)) {
      const known = Object.keys(contract.events);
      for (const type of types.filter((type) => !known.includes(type))) {
        this.refuse(
          `event type '${type}' is not in the contract of ${contract.service}, which has: ${known.join(', ')}`,
        );
      }
    }
  }

  /** A duplicate can arrive as late as the longest way allows: a shorter window would process it twice. */
  private checkWindow(window: Duration): void {
    const longest = this.longestRedelivery;
    if (window.toSeconds() <= longest.toSeconds()) {
      this.refuse(
        `dedupeWindow of ${days(window)} days is not longer than the longest redelivery (${days(longest)} days: bus, queue and dead-letter queue)`,
      );
    }
  }

  /** Lambda may try a throttled batch again within six times the timeout (AWS, "Using Lambda with Amazon SQS"). */
  private checkVisibility(visibility: Duration, timeout: Duration): void {
    if (visibility.toSeconds() < 6 * timeout.toSeconds()) {
      this.refuse(
        `visibilityTimeout of ${visibility.toSeconds()} s is below 6 times the handler's timeout of ${timeout.toSeconds()} s: a message would be handled twice at once`,
      );
    }
  }

  /** A batch that Lambda throttles was received all the same: it would use the message's receives up. */
  private checkConcurrency({ reservedConcurrency = MAX_CONCURRENCY }: ServiceFunction): void {
    if (reservedConcurrency < MAX_CONCURRENCY) {
      this.refuse(
        `reservedConcurrency of ${reservedConcurrency} is below the ${MAX_CONCURRENCY} batches that its queue hands it at once: take ${MAX_CONCURRENCY} or more`,
      );
    }
  }

  /** EventBridge has a rule where its bus is, and CloudFormation makes it where the stack is. */
  private checkBus({ env, eventBusName }: AnyBus): void {
    const { account, region } = Stack.of(this);
    const isElsewhere = [Token.compareStrings(env.account, account), Token.compareStrings(env.region, region)].includes(
      TokenComparison.DIFFERENT,
    );
    if (isElsewhere) {
      this.refuse(
        `bus '${eventBusName}' is in account ${env.account}, region ${env.region}: expected a bus of this stack's own account and region`,
      );
    }
  }

  private refuse(fault: string): void {
    Annotations.of(this).addError(fault);
  }
}

interface Drained extends Pick<IdempotentConsumerProps, 'name' | 'handler' | 'records'> {
  readonly generation: number;
}

const DRAIN_TIMEOUT = Duration.seconds(30);
const days = (duration: Duration): number => duration.toDays({ integral: false });

function acknowledgeQueueSource(handler: ServiceFunction): void {
  Validations.of(handler).acknowledge({
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'Lambda has no on-failure destination for a queue: the queue redrives what fails to its dead-letter queue.',
  });
}
