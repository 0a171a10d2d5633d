import { Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { recordsOf } from '../failures/contract.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { MAX_RECORD_AGE, type Outbox, SHARDS } from '../outbox/outbox.construct.js';
import { readStream } from '../outbox/stream.construct.js';
import { alarm, alarmOnErrors } from '../service/alarms.construct.js';
import { windowVariable } from '../service/dedupe-window.js';
import { ServiceFunction } from '../service/service-function.construct.js';
import { type HotKeySettings, lanesOf, REQUEST_PREFIX } from './contract.js';

export interface LaneProps {
  /** Consumer that stores requests. The lane returns what it can't decide to the consumer's queue. */
  readonly owner: IdempotentConsumer;
  /** Outbox of the service. Its table holds the requests, and its stream hands them to the writer. */
  readonly outbox: Outbox;
  /** Entry point of the writer. */
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hotKeys: HotKeySettings;
  readonly alarmTopic: ITopic;
}

/** Number of requests in one batch of the stream: ten rounds. */
const BATCH_SIZE = 300;
/**
 * Number of retries of a batch, which last about an hour. A request that crashes the writer each time holds up its shard for
 * so long, like a message that crashes its consumer.
 */
const RETRY_ATTEMPTS = 60;

/**
 * Lane of one consumer for keys under contention (the run time is in the same folder).
 *
 *     owner -> items in the service's table -> stream, by key -> writer -> one transaction for up to 30 requests
 *                                                                  | what it can't decide
 *                                                                  v
 *                                                             owner's queue
 *
 * `Service.lane` creates it with its consumer.
 */
export class Lane extends Construct {
  readonly writer: ServiceFunction;

  constructor(scope: Construct, id: string, props: LaneProps) {
    super(scope, id);
    const { owner, outbox, entry, environment, hotKeys, alarmTopic } = props;
    const { handler, name, records, queue, dedupeWindow } = owner;
    handler.setEnvironment(Env.LANE_HOT_KEYS, JSON.stringify(hotKeys.always));
    handler.setEnvironment(Env.LANE_CONFLICTS_PER_SECOND, String(hotKeys.conflictsPerSecond));
    handler.grantItems(outbox.table, ['BatchWriteItem'], lanesOf(name));

    this.writer = new ServiceFunction(this, 'Writer', {
      context: handler.context,
      entry,
      timeout: Duration.seconds(30),
      reservedConcurrency: SHARDS,
      environment: {
        ...environment,
        [Env.RECORDS]: records.tableName,
        [Env.QUEUE_URL]: queue.queueUrl,
        [Env.DEDUPE_WINDOW_SECONDS]: windowVariable(dedupeWindow),
      },
    });
    this.writer.grantItems(records, ['PutItem'], recordsOf(name));
    this.writer.allow(['sqs:SendMessage'], queue.queueArn);
    const { bucket, drain } = outbox.failedBatches;
    drain.grantItems(records, ['PutItem'], recordsOf(name));
    readStream(this, {
      reader: this.writer,
      table: outbox.table,
      batches: bucket,
      filters: [requestsOf(name)],
      batchSize: BATCH_SIZE,
      // One writer for each key: with more than one batch of a shard at once, Lambda keeps the order of an item only.
      parallelizationFactor: 1,
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      alarmTopic,
    });

    alarm(this, 'LaneBehind', {
      metric: this.writer.function.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'max' }),
      threshold: Duration.minutes(5).toMilliseconds(),
      periods: 3,
      means: 'requests wait in the lane for longer than 5 minutes before they are decided.',
      topic: alarmTopic,
    });
    alarmOnErrors(this, 'LaneFailing', {
      handler: this.writer,
      means: "the lane's writer fails as a whole: a refused permission, a missing table, or a crash.",
      topic: alarmTopic,
    });
  }
}

/**
 * Filter of the writer's stream: requests that are stored, or stored again in a later hour. TTL deletions are not among
 * them.
 */
const requestsOf = (consumer: string) =>
  FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith(lanesOf(consumer)) }, sk: { S: FilterRule.beginsWith(REQUEST_PREFIX) } },
    },
  });
