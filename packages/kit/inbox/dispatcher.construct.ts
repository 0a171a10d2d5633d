import { Annotations, Duration, Validations } from 'aws-cdk-lib';
import { CfnGlobalTable, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { acknowledgeWildcard } from '../base/acknowledge.js';
import { functionErrors } from '../base/alarms.construct.js';
import type { AnyTable } from '../base/interfaces.js';
import { serviceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import { WAKE } from './contract.js';

/** Age after which the stream's record is worth nothing: the sweeper has handed the message out long ago. */
const MAX_RECORD_AGE = Duration.hours(1);

export interface InboxDispatcherProps {
  readonly context: ServiceContext;
  /** Table of the stored messages. It gets a stream. */
  readonly records: AnyTable;
  readonly alarmTopic: ITopic;
}

/**
 * Hands the stored messages of all inboxes of a service to their runners, through the stream of the records table.
 *
 *     record (wake) -> stream -> dispatcher -> queue of the inbox's runner
 *
 * It is the stream's only reader, however many inboxes there are: a stream has capacity for two. The function sends keys
 * only, so a handler that works for minutes never holds up the stream.
 */
export class InboxDispatcher extends Construct {
  private readonly handler: ServiceFunction;
  private readonly queues: Record<string, string> = {};

  constructor(scope: Construct, id: string, { context, records, alarmTopic }: InboxDispatcherProps) {
    super(scope, id);
    this.handler = new ServiceFunction(this, 'Dispatcher', { context, entry: 'kit/inbox/dispatch', kind: 'message' });
    const streamArn = enableStream(records);
    if (streamArn === undefined) {
      Annotations.of(this).addError(
        `table ${records.node.path} is not a table of this app, so it can't get the stream that an inbox reads: expected one made by recordsTable`,
      );
      return;
    }
    this.handler.grantActions(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      streamArn,
    );
    // ListStreams accepts no narrower resource than all streams of one table.
    this.handler.grantActions(['dynamodb:ListStreams'], `${records.tableArn}/stream/*`);
    acknowledgeWildcard(
      this.handler,
      records,
      '/stream/*',
      "Streams of this service's own records: ListStreams takes no narrower resource.",
    );
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: this.handler.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: MAX_RECORD_AGE,
      filters: [FilterCriteria.filter({ dynamodb: { NewImage: { [WAKE]: { BOOL: [true] } } } })],
    });
    // Lambda checks these permissions when it creates the mapping.
    mapping.node.addDependency(this.handler);
    Validations.of(mapping).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason: 'A record of this stream is a hint. The message itself is in the table, and the sweeper hands it out.',
    });
    serviceAlarms(this, alarmTopic).watch('FunctionFailing', functionErrors(this.handler));
  }

  /** Hands the messages of an inbox to a queue. @param name of the inbox's consumer */
  add(name: string, queue: Queue): void {
    this.queues[name] = queue.queueUrl;
    this.handler.setEnvironment(Env.RUNNER_QUEUES, JSON.stringify(this.queues));
    this.handler.grantActions(['sqs:SendMessage'], queue.queueArn);
  }
}

/** Gives the records table a stream. A table without an inbox has none. @returns its ARN; `undefined` for a foreign table */
function enableStream(records: AnyTable): string | undefined {
  const cfn = records.node.defaultChild;
  if (!(cfn instanceof CfnGlobalTable)) return undefined;
  cfn.streamSpecification = { streamViewType: StreamViewType.NEW_IMAGE };
  return cfn.attrStreamArn;
}
