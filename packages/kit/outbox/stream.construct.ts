import type { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping, type FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { acknowledgeWildcard } from '../base/acknowledge.js';
import { lostByDestination } from '../base/alarms.construct.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import type { ServiceFunction } from '../base/service-function.construct.js';

export interface StreamReaderProps {
  readonly reader: ServiceFunction;
  readonly table: TableV2;
  /** Bucket for batches that are given up. */
  readonly batches: Bucket;
  /** Filters of the records, of which one must match. */
  readonly filters: ReturnType<typeof FilterCriteria.filter>[];
  readonly batchSize: number;
  /** Number of batches of one shard at once. With more than 1, the order is kept for each item only. */
  readonly parallelizationFactor: number;
  readonly retryAttempts: number;
  readonly maxRecordAge: Duration;
  readonly alarmTopic: ITopic;
}

/** Connects a function to a table's stream. A batch that fails is divided, and saved as a whole when it is given up. */
export function readStream(
  scope: Construct,
  { reader, table, batches, alarmTopic, ...settings }: StreamReaderProps,
): void {
  const streamArn = table.tableStreamArn;
  if (!streamArn) throw new Error('the table of an outbox has a stream');
  reader.grantActions(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn);
  // ListStreams accepts no narrower resource than all streams of one table.
  reader.grantActions(['dynamodb:ListStreams'], `${table.tableArn}/stream/*`);
  // Lambda chooses the names of the objects: aws/lambda/<mapping>/<shard>/<time>.
  reader.grantActions(['s3:PutObject'], batches.arnForObjects('aws/lambda/*'));
  reader.grantActions(['s3:ListBucket'], batches.bucketArn);
  acknowledgeWildcard(
    reader,
    table,
    '/stream/*',
    "Streams of this service's own table: ListStreams takes no narrower resource.",
  );
  acknowledgeWildcard(
    reader,
    batches,
    '/aws/lambda/*',
    'Lambda chooses the names of the objects that it saves a failed batch in, below this prefix of our own bucket.',
  );
  const mapping = new EventSourceMapping(scope, 'Stream', {
    target: reader.function,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    onFailure: { bind: () => ({ destination: batches.bucketArn }) },
    ...settings,
  });
  // Lambda checks these permissions when it creates the mapping.
  mapping.node.addDependency(reader);
  serviceAlarms(scope, alarmTopic).watch('BatchLost', {
    metric: lostByDestination(reader),
    label: `batches of ${reader.node.id} that could not be saved`,
  });
}
