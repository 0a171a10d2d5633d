import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { parseText } from '../../wire/embedded-json.js';
import type { Iam } from '../iam/model.js';
import { recognisedBy } from '../sqs/fifo-queue.js';
import type { Message, Queue } from '../sqs/model.js';
import type { Consumer } from './consumer.js';
import { EventSource } from './event-source.js';
import { type Load, rampedConcurrency } from './load.js';
import type { InvocationResult } from './model.js';
import { WatchedBatch } from './watched-batch.js';

/** Milliseconds in which a live queue collects a batch. */
const POLLED_AFTER = 2;

/** Number of batches that Lambda initially reads from a queue at once. */
const DEFAULT_CONCURRENCY = 5;

/**
 * Poller of a queue, for a function or a pipe. AWS, "Using Lambda with Amazon SQS", "Handling errors for an SQS event
 * source in Lambda".
 */
export class QueueMapping extends EventSource {
  private readonly batchSize: number;
  private readonly concurrency: number;
  /** Milliseconds in which messages join a batch, whole: a full batch is not handed over earlier. */
  private readonly window: number;
  private running = 0;
  /** Time since which it has had work, milliseconds since 1970. */
  private busySince = 0;
  private polling = false;

  constructor(
    resource: Resource,
    private readonly queue: Queue,
    fn: Consumer,
    private readonly around: { readonly world: EventLoop; readonly iam: Iam; readonly load?: Load | undefined },
  ) {
    super(resource, fn, around, 'queue', ['MaximumBatchingWindowInSeconds', 'ScalingConfig']);
    const { properties } = resource;
    const scaled = around.load?.queues?.[fn.label];
    this.batchSize = scaled?.batchSize ?? Number(properties.BatchSize ?? 10);
    const { MaximumConcurrency = DEFAULT_CONCURRENCY } = (properties.ScalingConfig ?? {}) as {
      MaximumConcurrency?: number;
    };
    this.concurrency = scaled?.concurrency ?? MaximumConcurrency;
    this.window = Number(properties.MaximumBatchingWindowInSeconds ?? 0) * 1000;
    if (queue.isFifo && (this.batchSize > 10 || this.window > 0))
      throw new Error(`${resource.label}: a FIFO queue has batches of at most 10 messages, and no batching window`);
    queue.onVisible(() => this.wake());
  }

  wake(): void {
    const { world } = this.around;
    if (!this.enabled || this.polling || this.running >= this.most()) return;
    this.polling = true;
    const wait = world.latency((random) => random.between(2, 40), POLLED_AFTER) + this.window;
    world.after(wait, () => {
      this.polling = false;
      this.poll();
    });
  }

  /** Number of batches that it may take at once. */
  private most(): number {
    const { world, load } = this.around;
    const ramp = load ? rampedConcurrency(this.running > 0 ? world.now - this.busySince : 0) : Number.POSITIVE_INFINITY;
    // A batch that would only wait for an environment stays in the queue, where more messages join it.
    return Math.min(this.concurrency, ramp, this.fn.maxConcurrency);
  }

  private poll(): void {
    const { arn } = this.queue.resource;
    const rights = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
    if (!rights.every((right) => this.may(right, arn, ': its mapping stands still'))) return;
    if (this.running === 0) this.busySince = this.around.world.now;
    while (this.running < this.most()) {
      const messages = this.queue.receive(this.batchSize).filter((message) => this.takes(message));
      if (messages.length === 0) return;
      this.running++;
      this.around.world.note(`${this.fn.label} gets ${messages.map(({ id }) => id).join(' ')}`);
      for (const { id, loose } of messages) {
        if (this.queue.handled.has(id) && !loose) this.around.world.note(`${id} OVERLAP: it is being handled already`);
        this.queue.handled.add(id);
      }
      const { world } = this.around;
      const watched = world.isWatched ? new WatchedBatch(this.fn, world, messages) : undefined;
      const stopListening = watched && this.fn.onLine((text) => watched.readLine(text));
      const ended = (result: InvocationResult): void => {
        stopListening?.();
        watched?.end(result, (message) => isDone(result, message, this.reportsFailures, messages));
        this.running--;
        for (const { id } of messages) this.queue.handled.delete(id);
        for (const message of messages)
          if (isDone(result, message, this.reportsFailures, messages)) this.queue.delete(message.receipt);
        this.wake();
      };
      watched?.begin(this.fn.nextInvocation);
      const event = { Records: messages.map((message) => this.record(message)) };
      this.fn.invoke(event, ended, this.queue.findTrouble(messages));
    }
  }

  /** Checks a message against the filter; a message that doesn't match is deleted. */
  private takes(message: Message): boolean {
    if (this.fits(() => ({ ...this.record(message), body: parseText(message.body) }))) return true;
    this.queue.delete(message.receipt);
    return false;
  }

  private record({
    id,
    receipt,
    body,
    group,
    attributes = {},
    trace,
    receiveCount,
    receivedBefore = 0,
    movedFrom,
    sentAt,
    firstReceivedAt,
    sequenceNumber,
    deduplicationId,
  }: Message): object {
    const messageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
          stringListValues: [],
          binaryListValues: [],
        },
      ]),
    );
    return {
      messageId: id,
      receiptHandle: receipt,
      body,
      attributes: {
        ApproximateReceiveCount: String(receivedBefore + receiveCount),
        SentTimestamp: String(sentAt),
        SenderId: 'simulated',
        ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
        ...(group !== undefined && { MessageGroupId: group }),
        ...(sequenceNumber !== undefined && {
          SequenceNumber: sequenceNumber,
          MessageDeduplicationId: recognisedBy(body, deduplicationId),
        }),
        ...(trace !== undefined && { AWSTraceHeader: trace }),
        ...(movedFrom !== undefined && { DeadLetterQueueSourceArn: movedFrom }),
      },
      messageAttributes,
      md5OfBody: 'simulated',
      eventSource: 'aws:sqs',
      eventSourceARN: this.queue.resource.arn,
      awsRegion: this.queue.resource.arn.split(':')[3],
    };
  }
}

/**
 * AWS, "Implementing partial batch responses": the required form of an answer that leaves only its failures in the
 * queue.
 */
function isDone(result: InvocationResult, message: Message, partial: boolean, batch: readonly Message[]): boolean {
  if (result.kind !== 'returned') return false;
  if (!partial) return true;
  const failed = parseBatchFailures(result.value);
  if (failed === undefined || failed.some((id) => !batch.some((other) => other.id === id))) return false;
  return !failed.includes(message.id);
}

/** Returns the identifiers in a partial answer; `undefined` if its form counts as a failure of the whole batch. */
export function parseBatchFailures(value: unknown): readonly string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return undefined;
  const { batchItemFailures = [] } = value as { batchItemFailures?: unknown };
  if (batchItemFailures === null) return [];
  if (!Array.isArray(batchItemFailures)) return undefined;
  const identifiers = batchItemFailures.map(
    (failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier,
  );
  return identifiers.every((id): id is string => typeof id === 'string' && id !== '') ? identifiers : undefined;
}
