import { Duration, Stack } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { functionErrors, streamAge } from '../base/alarms.construct.js';
import { windowVariable } from '../base/dedupe-window.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import { ServiceFunction } from '../base/service-function.construct.js';
import { recordsPrefix } from '../failures/contract.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { MAX_RECORD_AGE, type Outbox, SHARDS } from '../outbox/outbox.construct.js';
import { readStream } from '../outbox/stream.construct.js';
import { type HotKeySettings, lanePrefix, REQUEST_PREFIX } from './contract.js';

export interface LaneProps {
  /** Name of the lane. It is part of each request's key, so it never changes. */
  readonly name: string;
  /** Consumers that store requests. The lane returns what it can't decide to the queue of the request's consumer. */
  readonly owners: readonly IdempotentConsumer[];
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
 * Lane for keys under contention (the run time is in the same folder).
 *
 *     owners -> items in the service's table -> stream, by key -> writer -> one transaction for up to 30 requests
 *                                                                   | what it can't decide
 *                                                                   v
 *                                                          queue of the request's owner
 *
 * `Service.addLane` creates it with its consumer, and `Service.addSharedLane` with several.
 */
export class Lane extends Construct {
  readonly writer: ServiceFunction;

  constructor(scope: Construct, id: string, props: LaneProps) {
    super(scope, id);
    const { name, owners, outbox, entry, environment, hotKeys, alarmTopic } = props;
    const [first] = owners;
    if (!first) throw new Error(`lane '${name}' has no consumer: expected one or more`);
    // All consumers of a service share its records and settings.
    const { handler, records, dedupeWindow } = first;
    for (const owner of owners) {
      owner.handler.setEnvironment(Env.LANE, name);
      owner.handler.setEnvironment(Env.LANE_HOT_KEYS, JSON.stringify(hotKeys.always));
      owner.handler.setEnvironment(Env.LANE_CONFLICTS_PER_SECOND, String(hotKeys.conflictsPerSecond));
      owner.handler.grantItems(outbox.table, ['BatchWriteItem'], lanePrefix(name));
    }
    const ownersRecords = owners.map((owner) => recordsPrefix(owner.name));

    this.writer = new ServiceFunction(this, 'Writer', {
      context: handler.context,
      entry,
      kind: 'lane',
      timeout: Duration.seconds(30),
      reservedConcurrency: SHARDS,
      environment: {
        ...environment,
        [Env.RECORDS]: records.tableName,
        [Env.LANE_QUEUES]: Stack.of(this).toJsonString(
          Object.fromEntries(owners.map((owner) => [owner.name, owner.queue.queueUrl])),
        ),
        [Env.DEDUPE_WINDOW_SECONDS]: windowVariable(dedupeWindow),
      },
    });
    this.writer.grantItems(records, ['PutItem'], ...ownersRecords);
    this.writer.grantActions(['sqs:SendMessage'], ...owners.map((owner) => owner.queue.queueArn));
    const { bucket, drain } = outbox.failedBatches;
    drain.grantItems(records, ['PutItem'], ...ownersRecords);
    readStream(this, {
      reader: this.writer,
      table: outbox.table,
      batches: bucket,
      filters: [requestFilter(name)],
      batchSize: BATCH_SIZE,
      // One writer for each shard: with more than one batch of a shard at once, Lambda keeps the order of an item only.
      parallelizationFactor: 1,
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      alarmTopic,
    });

    serviceAlarms(this, alarmTopic).watch('LaneBehind', streamAge(this.writer), functionErrors(this.writer));
  }
}

/**
 * Filter of the writer's stream: requests that are stored, or stored again in a later hour. TTL deletions are not among
 * them.
 */
const requestFilter = (lane: string) =>
  FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith(lanePrefix(lane)) }, sk: { S: FilterRule.beginsWith(REQUEST_PREFIX) } },
    },
  });
