import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { sourceOf } from '../aws/app-names.js';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { FEED_INDEX } from '../projection/contract.js';
import { acknowledgeCompliance, acknowledgeIsDeadLetterQueue, acknowledgeWildcard } from '../service/acknowledge.js';
import { alarm, alarmOnErrors, alarmOnVisible, serviceMetric } from '../service/alarms.construct.js';
import type { AnyBus, AnyTable } from '../service/interfaces.js';
import { metricsNamespace, type ServiceContext, ServiceFunction } from '../service/service-function.construct.js';
import { acknowledgeNoRestore, pinLogicalId, tableDefaults } from '../service/tables.construct.js';

export interface OutboxProps {
  readonly context: ServiceContext;
  /** Bus on which the relay publishes. */
  readonly bus: AnyBus;
  /** Table of the failure records of commits that can never be published. */
  readonly records: AnyTable;
  /** Number of times that the service was restored from a backup. It is sent in each envelope. @default 0 */
  readonly epoch?: number;
  readonly alarmTopic: ITopic;
}

/** Name under which the relay keeps failure records. No consumer may have this name. */
export const RELAY = 'relay';

/**
 * Age at which a batch is given up. It is below the stream's own 24 h, so that a batch is saved as a whole before its
 * records expire.
 */
const MAX_RECORD_AGE = Duration.hours(22);
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
const SHARDS = 4;
/**
 * Retention of a failed batch after it became failure records. A deleted or overwritten version is kept for the same
 * time.
 */
const FAILED_BATCH_EXPIRY = Duration.days(30);

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
 * The relay does not keep the order, because it publishes 10 batches of a shard at once. A consumer that needs the
 * order uses the sequence number.
 */
export class Outbox extends Construct {
  readonly table: TableV2;
  readonly relay: ServiceFunction;

  constructor(scope: Construct, id: string, props: OutboxProps) {
    super(scope, id);
    const { context, bus, records, epoch = 0, alarmTopic } = props;
    const { settings } = context;

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
    pinLogicalId(this.table, 'Table');
    acknowledgeNoRestore(this.table, settings);

    this.relay = new ServiceFunction(this, 'Relay', {
      context,
      entry: 'kit/outbox/relay',
      timeout: Duration.seconds(60),
      reservedConcurrency: PARALLELIZATION * SHARDS,
      environment: { [Env.BUS]: bus.eventBusName, [Env.RECORDS]: records.tableName, [Env.EPOCH]: String(epoch) },
    });
    // Without this condition, the role of any service could send commands to payments, or publish events in the name of
    // orders.
    // The set operator is correct whether IAM evaluates one entry or a whole request. It also matches a request without
    // a source, so `Null` requires one.
    const ownEvents = {
      'ForAllValues:StringEquals': { 'events:source': sourceOf(settings.app.name, context.service) },
      Null: { 'events:source': 'false' },
    };
    this.relay.allowWhere(ownEvents, ['events:PutEvents'], bus.eventBusArn);
    this.relay.grantItems(records, ['PutItem'], `${RELAY}@`);

    const failedBatches = this.failedBatches(context, records, alarmTopic);
    this.readStream(failedBatches);
    this.alarms(context, alarmTopic);
  }

  /** Connects the relay to the stream: new commits only, many batches at once, and a limit for retries. */
  private readStream(failedBatches: Bucket): void {
    const streamArn = this.table.tableStreamArn;
    if (!streamArn) throw new Error('the table of an outbox has a stream');
    this.relay.allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn);
    // ListStreams accepts no narrower resource than all streams of one table.
    this.relay.allow(['dynamodb:ListStreams'], `${this.table.tableArn}/stream/*`);
    // Lambda chooses the names of the objects: aws/lambda/<mapping>/<shard>/<time>.
    this.relay.allow(['s3:PutObject'], failedBatches.arnForObjects('aws/lambda/*'));
    this.relay.allow(['s3:ListBucket'], failedBatches.bucketArn);
    acknowledgeWildcard(
      this.relay,
      this.table,
      '/stream/*',
      "Streams of this service's own table: ListStreams takes no narrower resource.",
    );
    acknowledgeWildcard(
      this.relay,
      failedBatches,
      '/aws/lambda/*',
      'Lambda chooses the names of the objects that it saves a failed batch in, below this prefix of our own bucket.',
    );

    const mapping = new EventSourceMapping(this, 'Stream', {
      target: this.relay.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      parallelizationFactor: PARALLELIZATION,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      onFailure: { bind: () => ({ destination: failedBatches.bucketArn }) },
      filters: COMMITS_TO_PUBLISH,
    });
    // Lambda checks these permissions when it creates the mapping.
    mapping.node.addDependency(this.relay);
  }

  /**
   * Creates the bucket for batches that the relay gave up, and the function that turns their records into failure
   * records.
   */
  private failedBatches(context: ServiceContext, records: AnyTable, alarmTopic: ITopic): Bucket {
    const { keepsData } = context.settings;
    const bucket = new Bucket(this, 'FailedBatches', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // The bucket may hold the last copy of commits that were not published. If somebody overwrites or deletes an
      // object, a version of it stays.
      versioned: true,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        {
          expiration: FAILED_BATCH_EXPIRY,
          noncurrentVersionExpiration: FAILED_BATCH_EXPIRY,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        // A rule of its own, because S3 does not accept it in a rule with days.
        { expiredObjectDeleteMarker: true },
      ],
    });
    // Not `eventBridgeEnabled`: it creates a custom resource, and so a third party's function in our stack.
    const cfnBucket = bucket.node.defaultChild as CfnBucket;
    cfnBucket.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'One writer (Lambda) and one reader (the drain) by narrow roles, a few objects a year at best: a log bucket of its own would say nothing more.',
    });

    acknowledgeCompliance(bucket, {
      S3BucketLoggingEnabled: 'As for AwsSolutions-S1.',
      S3BucketReplicationEnabled:
        'It is a copy itself, for 30 days: of commits that the table has, once the relay has given a batch of them up.',
      S3DefaultEncryptionKMS: 'S3 encrypts with its own key. Personal data in a batch is sealed before it comes here.',
    });

    // Last resort for notifications that even the drain cannot process. Its alarm fires, and the object stays in the
    // bucket meanwhile.
    const undrained = new Queue(this, 'Undrained', { retentionPeriod: Duration.days(14), enforceSSL: true });
    acknowledgeIsDeadLetterQueue(undrained);
    const drain = new ServiceFunction(this, 'DrainFailedBatches', {
      context,
      entry: 'kit/failures/drain-failed-batches',
      timeout: Duration.seconds(60),
      environment: { [Env.RECORDS]: records.tableName },
    });
    drain.allow(['s3:GetObjectVersion'], bucket.arnForObjects('aws/lambda/*'));
    acknowledgeWildcard(
      drain,
      bucket,
      '/aws/lambda/*',
      'It reads what Lambda saved, whose names nobody knows before, below this prefix of our own bucket.',
    );
    drain.grantItems(records, ['PutItem'], `${RELAY}@`);
    drain.function.configureAsyncInvoke({ onFailure: new SqsDestination(undrained), retryAttempts: 2 });
    new Rule(this, 'BatchFailed', {
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] } },
      },
      targets: [new FunctionTarget(drain.function, { deadLetterQueue: undrained })],
    });

    alarm(this, 'BatchGivenUp', {
      metric: drain.function.metricInvocations({ period: Duration.minutes(5), statistic: 'sum' }),
      threshold: 1,
      means: 'the relay gave a batch of commits up; its events were not published and became failure records.',
      topic: alarmTopic,
    });
    alarmOnVisible(this, 'BatchNotDrained', {
      queue: undrained,
      periods: 1,
      means: 'a batch that the relay gave up could not be turned into failure records.',
      topic: alarmTopic,
    });
    return bucket;
  }

  private alarms({ settings, service }: ServiceContext, topic: ITopic): void {
    alarm(this, 'RelayBehind', {
      metric: this.relay.function.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'max' }),
      threshold: Duration.minutes(5).toMilliseconds(),
      periods: 3,
      means: 'commits wait for longer than 5 minutes before they are published.',
      topic,
    });
    alarmOnErrors(this, 'RelayFailing', {
      handler: this.relay,
      means: 'the relay fails as a whole: a refused permission, a missing bus, or a crash.',
      topic,
    });
    alarm(this, 'PublishFailed', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.PUBLISH_FAILURES),
      threshold: 1,
      means: 'an event can never be published as it is; it became a failure record.',
      topic,
    });
  }
}

const commitWhere = (published: unknown[]) =>
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('COMMIT#') } }, NewImage: { published: { BOOL: published } } },
  });

/**
 * Filters of the relay's stream: only INSERTs of commits pass, so updates and TTL deletions are not sent. A commit with
 * `published: false` (a backfill) is not sent either.
 *
 * There are two filters, of which one must match, because `anything-but` accepts no boolean and does not match a
 * missing attribute.
 */
const COMMITS_TO_PUBLISH = [commitWhere(FilterRule.notExists()), commitWhere([true])];
