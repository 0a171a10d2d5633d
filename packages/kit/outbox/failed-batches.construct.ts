import { Duration, Validations } from 'aws-cdk-lib';
import { type IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { acknowledgeCompliance, acknowledgeIsDeadLetterQueue, acknowledgeWildcard } from '../base/acknowledge.js';
import { droppedInvocations, lostByDeadLetterQueue, lostByRule, visibleMessages } from '../base/alarms.construct.js';
import { windowVariable } from '../base/dedupe-window.js';
import type { AnyTable } from '../base/interfaces.js';
import { type QueueAccess, queueAccess } from '../base/queue-access.construct.js';
import { removalPolicyOf } from '../base/retention.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import { RELAY, recordsPrefix } from '../failures/contract.js';

/**
 * Retention of a failed batch after it became failure records. A deleted or overwritten version is kept for the same
 * time.
 */
const FAILED_BATCH_EXPIRY = Duration.days(30);

interface FailedBatchesProps {
  readonly context: ServiceContext;
  /** Table of the failure records. */
  readonly records: AnyTable;
  readonly alarmTopic: ITopic;
}

/** Bucket for batches that a reader of the stream gave up, and the function that turns them into failure records. */
export interface FailedBatches {
  readonly bucket: Bucket;
  readonly drain: ServiceFunction;
}

/** Creates the bucket and its drain, which may record failures of the relay. */
export function addFailedBatches(
  scope: Construct,
  { context, records, alarmTopic }: FailedBatchesProps,
): FailedBatches {
  const bucket = new Bucket(scope, 'FailedBatches', {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    // The bucket may hold the last copy of commits that were not published. If somebody overwrites or deletes an
    // object, a version of it stays.
    versioned: true,
    removalPolicy: removalPolicyOf(context.settings),
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
  // Not `eventBridgeEnabled`: it creates a custom resource, and so a third party's function in this stack.
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
  const access = queueAccess(scope, context.settings);
  const undrained = access.createQueue(scope, 'Undrained', { retentionPeriod: Duration.days(14) });
  acknowledgeIsDeadLetterQueue(undrained);
  const drain = new ServiceFunction(scope, 'DrainFailedBatches', {
    context,
    entry: 'kit/drains/drain-failed-batches',
    timeout: Duration.seconds(60),
    // For a notice that it could not handle in three attempts, which are Lambda's default.
    deadLetterQueue: undrained,
    environment: {
      [Env.RECORDS]: records.tableName,
      [Env.DEDUPE_WINDOW_SECONDS]: windowVariable(context.settings.dedupeWindow),
    },
  });
  drain.grantActions(['s3:GetObjectVersion'], bucket.arnForObjects('aws/lambda/*'));
  acknowledgeWildcard(
    drain,
    bucket,
    '/aws/lambda/*',
    'It reads the objects that Lambda saved below this prefix of its own bucket. Lambda chooses their names.',
  );
  drain.grantItems(records, ['PutItem'], recordsPrefix(RELAY));
  const rule = new Rule(scope, 'BatchFailed', {
    eventPattern: {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [bucket.bucketName] } },
    },
    targets: [drainTarget(drain, undrained, access)],
  });

  const alarms = serviceAlarms(scope, alarmTopic);
  alarms.watch('FailureRecorded', {
    metric: drain.function.metricInvocations({ period: Duration.minutes(5), statistic: 'sum' }),
    label: 'batches of the stream that were given up',
  });
  alarms.watch('DeadLettersNotDrained', visibleMessages(undrained));
  alarms.watch(
    'BatchLost',
    { metric: lostByRule(rule), label: 'notices that neither the drain nor its queue took' },
    { metric: droppedInvocations(drain), label: 'notices that the drain gave up' },
    { metric: lostByDeadLetterQueue(drain), label: 'notices that the drain gave up and its queue did not take' },
  );
  return { bucket, drain };
}

/** Returns the drain as the target of a rule. What EventBridge can't deliver to it goes to the queue. */
function drainTarget(drain: ServiceFunction, undrained: Queue, access: QueueAccess): IRuleTarget {
  const target = new FunctionTarget(drain.function);
  return access.target(
    { bind: (rule, id) => ({ ...target.bind(rule, id), deadLetterConfig: { arn: undrained.queueArn } }) },
    undrained,
  );
}
