import type { Duration } from 'aws-cdk-lib';
import type { IRuleTarget } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { QueueAccess } from './queue-access.construct.js';

export interface QueueTargetProps {
  /** Queue of what EventBridge could not deliver. */
  readonly deadLetterQueue: Queue;
  /** Time for which EventBridge tries to deliver. */
  readonly maxEventAge: Duration;
  /** Path of the message group in the event: `$.detail.messagegroup`. @default no group */
  readonly messageGroupId?: string;
}

/**
 * Returns a queue as the target of a rule, which may then send to it and to the dead-letter queue. CDK's own `SqsQueue` adds a
 * statement for each rule to a policy of each queue.
 */
export const queueTarget = (
  access: QueueAccess,
  queue: Queue,
  { deadLetterQueue, maxEventAge, messageGroupId }: QueueTargetProps,
): IRuleTarget =>
  access.target(
    {
      bind: () => ({
        arn: queue.queueArn,
        deadLetterConfig: { arn: deadLetterQueue.queueArn },
        retryPolicy: { maximumEventAgeInSeconds: maxEventAge.toSeconds() },
        targetResource: queue,
        ...(messageGroupId !== undefined && { sqsParameters: { messageGroupId } }),
      }),
    },
    queue,
    deadLetterQueue,
  );
