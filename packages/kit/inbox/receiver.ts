import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import { Metric } from '../aws/metric-names.js';
import { count, describeError, logger } from '../aws/telemetry.js';
import type { InboxMode } from '../base/outputs.js';
import { type Delivery, envelopeOf, readDelivery } from '../failures/delivery.js';
import { checkSender, isPermanent } from '../failures/failure-kinds.js';
import { FailureRecords } from '../failures/failure-records.js';
import { startAttempt } from '../messages/attempt.js';
import { ContractViolation } from '../messages/contract.js';
import { deliveryFields, logMessage, type MessageLine, messageFields } from '../messages/message-line.js';
import { placeKeyIfSequential } from './sequence-keys.js';
import { SequencedMessages } from './sequenced-messages.js';
import { StoredMessages, type StoredMessagesOptions } from './stored-messages.js';

export interface ReceiverOptions extends StoredMessagesOptions {
  /** Name of the application, whose own messages these must be. */
  readonly app: string;
  /** Deduplication window, in seconds. */
  readonly windowSeconds: DedupeWindow;
  /** Time of the first deployment of the consumer and its generation, if it takes what is replayed from before. */
  readonly since?: string | undefined;
  /** Names of the services that may send commands over the bus. */
  readonly commanders: readonly string[];
  readonly mode: InboxMode;
}

/** Receiving half of an inbox: stores each message of a batch by one conditional put, all of them in parallel. */
export class Receiver {
  private readonly messages: StoredMessages;
  private readonly failures: FailureRecords;

  constructor(private readonly options: ReceiverOptions) {
    this.messages = options.mode === 'sequential' ? new SequencedMessages(options) : new StoredMessages(options);
    const { table, consumer, mode } = options;
    this.failures = new FailureRecords(table, consumer, (message) => placeKeyIfSequential(consumer, mode, message));
  }

  /**
   * Stores the messages of a batch. A message that can never be stored becomes a failure record. Any other failure leaves
   * the message in its queue.
   */
  async receiveBatch({ Records }: SQSEvent): Promise<SQSBatchResponse> {
    const { app, windowSeconds: window, since } = this.options;
    const kept = await Promise.all(
      Records.map(async (record) =>
        (await this.receive(readDelivery(record, { app, window, since }))) ? [] : [record],
      ),
    );
    return { batchItemFailures: kept.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }

  /** @returns whether the queue may delete the message */
  private async receive(delivery: Delivery): Promise<boolean> {
    const attempt =
      process.env.KIT_TRACES === 'on'
        ? startAttempt('receive', envelopeOf(delivery), {
            consumer: this.options.consumer.name,
            attempt: delivery.attempts,
          })
        : undefined;
    try {
      const outcome = await this.store(delivery);
      attempt?.end(outcome === 'known' ? 'duplicate' : outcome);
      if (outcome === 'known') count(Metric.DUPLICATES_SUPPRESSED);
      logMessage(outcome, this.fields(delivery));
      return true;
    } catch (error) {
      if (!isPermanent(error, () => false)) {
        count(Metric.TRANSIENT_FAILURES);
        logger.warn('not stored yet', { ...this.fields(delivery), ...describeError(error) });
        attempt?.end('retrying', { error: describeError(error).name });
        return false;
      }
      attempt?.end('refused', { error: describeError(error).name });
      return this.recordRefusal(delivery, error);
    }
  }

  /** Returns the fields of a line about a delivery. */
  private fields(delivery: Delivery): MessageLine {
    const envelope = envelopeOf(delivery);
    const { consumer } = this.options;
    // A receiver doesn't know which messages are about people.
    return {
      consumer: consumer.name,
      ...(envelope ? messageFields(envelope, true) : { eventId: delivery.id }),
      ...deliveryFields(delivery),
    };
  }

  /**
   * @throws {ContractViolation} for a message that cannot be read, or a command of a service that may not send it
   * @throws {TooOld} if a duplicate might not be recognised any more
   */
  private async store({ message, recorded, tooOld, record: { body } }: Delivery): Promise<'stored' | 'known'> {
    if (message instanceof ContractViolation) throw message;
    const foreign = checkSender(message, this.options.commanders);
    if (foreign) throw foreign;
    if (recorded?.kind === 'redrive') return this.messages.retry(message, body, recorded);
    // The cursor of a subject never expires, and recognises an event of any age.
    if (tooOld && this.options.mode !== 'sequential') throw tooOld;
    return this.messages.store(message, body);
  }

  private async recordRefusal(delivery: Delivery, error: unknown): Promise<boolean> {
    const fields = { ...this.fields(delivery), ...describeError(error) };
    try {
      const outcome = await this.failures.record(delivery, error);
      if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
      logger.error('failed', { outcome, ...fields });
      return true;
    } catch (recording) {
      logger.error('the failure could not be recorded', { ...fields, ...describeError(recording) });
      return false;
    }
  }
}
