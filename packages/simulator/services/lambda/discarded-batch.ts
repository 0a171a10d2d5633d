import type { EventLoop } from '../../engine/event-loop.js';
import type { Iam } from '../iam/model.js';
import type { Buckets } from '../s3/model.js';
import type { Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';
import type { EventSource } from './event-source.js';

/** Records of a stream that were given up. */
export interface DiscardedBatch {
  /** Why: `RetryAttemptsExhausted`, `RecordAgeExceeded`. */
  readonly condition: string;
  readonly invocations: number;
  readonly shardId: string;
  /** Describes where in the stream the records are. */
  readonly info: object;
  /** The records as the event had them. */
  readonly records: readonly object[];
}

/** Services that may get what a stream's poller gave up. */
interface Around {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly buckets: Buckets;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly topics: { has(arn: string): boolean; publish(arn: string, message: { readonly text: string }): void };
}

/**
 * Sends descriptions of batches that were given up to queues, topics and buckets. AWS Lambda Developer Guide, "Retain discarded records";
 * Amazon EventBridge User Guide, "Amazon EventBridge Pipes error handling and troubleshooting". A bucket gets the records too.
 */
export class DiscardedBatches {
  private saved = 0;

  constructor(private readonly around: Around) {}

  /**
   * Sends a batch to the destination of its poller, if the role of the consumer may do that.
   * @returns whether it was sent
   */
  send({ resource, fn }: EventSource, batch: DiscardedBatch): boolean {
    const { world, iam, buckets, queues, topics } = this.around;
    const { OnFailure } = (resource.properties.DestinationConfig ?? {}) as { OnFailure?: { Destination?: string } };
    const to = OnFailure?.Destination;
    if (to === undefined) return false;
    const may = (action: string, object: string): boolean => iam.roleAllows(fn.role, { action, resource: object });
    const time = new Date(world.now).toISOString();
    const about = { ...this.describe(fn.resource, batch), version: '1.0', timestamp: time, ...batch.info };
    const queue = queues.get(to);
    if (queue) {
      if (!may('sqs:SendMessage', to)) return false;
      return offer(queue, { body: JSON.stringify(about) }) === undefined;
    }
    if (topics.has(to)) {
      if (!may('sns:Publish', to)) return false;
      topics.publish(to, { text: JSON.stringify(about) });
      return true;
    }
    const bucket = to.replace(/^arn:[\w-]+:s3:::/, '');
    const name = `${time.slice(0, 19).replaceAll(':', '.')}-${++this.saved}`;
    const key = `aws/lambda/${resource.ref}/${batch.shardId}/${name}`;
    if (!may('s3:PutObject', `${buckets.findArn(bucket)}/${key}`)) return false;
    buckets.put(bucket, key, JSON.stringify({ ...about, payload: JSON.stringify({ Records: batch.records }) }));
    return true;
  }

  private describe({ type, arn }: EventSource['resource'], { condition, invocations }: DiscardedBatch): object {
    if (type === 'AWS::Pipes::Pipe') return { context: { partnerResourceArn: arn, condition } };
    return {
      requestContext: {
        requestId: this.around.world.random.id(),
        functionArn: arn,
        condition,
        approximateInvokeCount: invocations,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    };
  }
}
