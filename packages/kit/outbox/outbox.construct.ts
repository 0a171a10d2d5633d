import { Duration } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { eventSource } from '../aws/app-names.js';
import { Env } from '../aws/environment.js';
import { FEED_INDEX } from '../aws/indexes.js';
import { Metric } from '../aws/metric-names.js';
import { functionErrors, serviceMetric, streamAge } from '../base/alarms.construct.js';
import { shardConcurrency } from '../base/concurrency.js';
import { type AnyBus, type AnyTable, refuseForeignBus } from '../base/interfaces.js';
import { pinLogicalId } from '../base/logical-ids.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import { resolveEpoch } from '../base/settings.js';
import { acknowledgeNoRestore, tableDefaults } from '../base/tables.construct.js';
import { RELAY, recordsPrefix } from '../failures/contract.js';
import { COMMIT_PREFIX } from '../messages/keys.js';
import { addFailedBatches, type FailedBatches } from './failed-batches.construct.js';
import { MAX_RECORD_AGE_SECONDS } from './limits.js';
import { readStream } from './stream.construct.js';

export interface OutboxProps {
  readonly context: ServiceContext;
  /** Bus on which the relay publishes. */
  readonly bus: AnyBus;
  /** Table of the failure records of commits that can never be published. */
  readonly records: AnyTable;
  readonly alarmTopic: ITopic;
  /** Types of events that stay inside of the service. @default none */
  readonly offBus?: readonly string[];
}

/** Age at which a batch is given up. */
export const MAX_RECORD_AGE = Duration.seconds(MAX_RECORD_AGE_SECONDS);
/**
 * Number of retries of a batch. With backoff up to a minute between retries, they last about as long as
 * `MAX_RECORD_AGE`.
 */
const RETRY_ATTEMPTS = 1000;
/** Number of batches of one shard that are published at once. */
const PARALLELIZATION = 10;
/**
 * Number of shards of a new on-demand table. If the table gets more shards, batches that are throttled for lack of
 * concurrency are retried.
 */
export const SHARDS = 4;
/**
 * Transactional outbox: a service's table, and the relay that publishes its commits on the bus (the run time is in the
 * same folder).
 *
 * Every commit is published at least once (design G1). A commit is ONE item, and the table's stream is the outbox.
 *
 *     table -> stream -> relay -> bus
 *                          | batch given up (retries or age)
 *                          v
 *                       bucket -> rule -> drain -> failure records
 *
 * The relay does not keep the order, because it publishes 10 batches of a shard at once (one in a small account). A consumer that needs the
 * order uses the sequence number.
 */
export class Outbox extends Construct {
  readonly table: TableV2;
  readonly relay: ServiceFunction;
  /** Batches that a reader of the stream gave up. */
  readonly failedBatches: FailedBatches;

  constructor(scope: Construct, id: string, props: OutboxProps) {
    super(scope, id);
    const { context, bus, records, alarmTopic, offBus = [] } = props;
    const { settings } = context;
    refuseForeignBus(this, bus);

    this.table = new TableV2(this, 'Table', {
      ...tableDefaults(settings),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      dynamoStream: StreamViewType.NEW_IMAGE,
      globalSecondaryIndexes: [
        {
          indexName: FEED_INDEX,
          partitionKey: { name: 'feedPk', type: AttributeType.STRING },
          sortKey: { name: 'feedSk', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    pinLogicalId(this.table, scope, 'Table');
    acknowledgeNoRestore(this.table, settings);

    this.relay = new ServiceFunction(this, 'Relay', {
      context,
      entry: 'kit/outbox/relay',
      kind: 'message',
      timeout: Duration.seconds(60),
      reservedConcurrency: PARALLELIZATION * SHARDS,
      environment: {
        [Env.BUS]: bus.eventBusName,
        [Env.RECORDS]: records.tableName,
        ...(offBus.length > 0 && { [Env.OFF_BUS]: JSON.stringify(offBus) }),
        // The relay of 0.3.0 needs it while a deployment changes this function, and after a rollback. The release after 0.4 removes it.
        [Env.EPOCH]: String(resolveEpoch(settings, context.service)),
      },
    });
    // Without this condition, the role of any service could send commands or publish events in the name of another
    // service.
    // The set operator is correct whether IAM evaluates one entry or a whole request. It also matches a request without
    // a source, so `Null` requires one.
    const ownEvents = {
      'ForAllValues:StringEquals': { 'events:source': eventSource(settings.app.name, context.service) },
      Null: { 'events:source': 'false' },
    };
    this.relay.grantActionsWhere(ownEvents, ['events:PutEvents'], bus.eventBusArn);
    this.relay.grantItems(records, ['PutItem'], recordsPrefix(RELAY));

    this.failedBatches = addFailedBatches(this, { context, records, alarmTopic });
    readStream(this, {
      reader: this.relay,
      table: this.table,
      batches: this.failedBatches.bucket,
      filters: COMMITS_TO_PUBLISH,
      batchSize: 100,
      parallelizationFactor: shardConcurrency(settings, PARALLELIZATION),
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      alarmTopic,
    });
    this.addAlarms(context, alarmTopic);
  }

  private addAlarms({ settings, service }: ServiceContext, topic: ITopic): void {
    const alarms = serviceAlarms(this, topic);
    alarms.watch('RelayBehind', streamAge(this.relay), functionErrors(this.relay));
    alarms.watch('FailureRecorded', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.PUBLISH_FAILURES),
      label: 'commits that can not be published',
    });
  }
}

const commitFilter = (published: unknown[]) =>
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: {
      Keys: { sk: { S: FilterRule.beginsWith(COMMIT_PREFIX) } },
      NewImage: { published: { BOOL: published } },
    },
  });

/**
 * Filters of the relay's stream: only INSERTs of commits pass, so updates and TTL deletions are not sent. A commit with
 * `published: false` (a backfill) is not sent either.
 *
 * There are two filters, of which one must match, because `anything-but` accepts no boolean and does not match a
 * missing attribute.
 */
const COMMITS_TO_PUBLISH = [commitFilter(FilterRule.notExists()), commitFilter([true])];
