import { gzipSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documents, ItemExists, putNew } from '../aws/dynamodb.js';
import { describeError } from '../aws/telemetry.js';
import { type Delivery, envelopeOf, idOfBody, PENDING } from './delivery.js';

/** A consumer of a service, as its records' keys name it. */
export interface ConsumerIdentity {
  /** Pinned: a new name means that everything is processed again. */
  readonly name: string;
  /** Raised to reprocess on purpose. */
  readonly generation: number;
}

/** The relay keeps failure records too: of what can't be published. */
export const relayConsumer: ConsumerIdentity = { name: 'relay', generation: 0 };

/** Key of what a consumer knows of one message: processed or failed, never both. */
export const recordKey = ({ name, generation }: ConsumerIdentity, messageId: string): string =>
  `${name}@${generation}#${messageId}`;

/** One reason why a message failed: where and what kind of fault, never a value out of the message. */
export interface FailureReason {
  readonly at: string;
  readonly name: string;
  readonly message: string;
  readonly stack: readonly string[];
}

export interface Failure {
  /** Of the message, or of what stands for it. */
  readonly id: string;
  /** The message as it arrived. */
  readonly payload: string;
  readonly error: unknown;
  readonly type?: string;
  readonly subject?: string;
  readonly correlationId?: string;
  /** Deliveries so far. */
  readonly attempts?: number;
  /** Whether its effect may have happened before: an operator must say that it did not before it is done again. */
  readonly unknown?: boolean;
}

/** Errors that say codes and paths only, so that their message may be kept. */
const SPEAKING = new Set(['ContractViolation', 'TooOld', 'Unsendable', 'DeadLettered', 'TooLarge']);

/** Reasons that a record keeps, newest first. */
const MAX_REASONS = 10;

/** Room for a payload in an item of at most 400 KB. */
const MAX_PAYLOAD_BYTES = 350_000;

/**
 * What could not be processed, with its reasons (G5): the same item as the processed record, so that a message can't
 * be both done and failed. It doesn't expire: an operator ends it.
 */
export class FailureRecords {
  constructor(
    private readonly table: string,
    private readonly consumer: ConsumerIdentity,
  ) {}

  /**
   * Keeps the failure of a delivery in the record of its message.
   * @returns `recorded`; `failed-again` for a redriven message, whose record has one reason more; `known` where another
   *   delivery was processed, or kept as failed, before
   */
  async keep(delivery: Delivery, error: unknown): Promise<'recorded' | 'failed-again' | 'known'> {
    const { id, record, recorded, attempts, tooOld } = delivery;
    if (recorded?.kind === 'redrive') {
      await this.failedAgain(id, error);
      return 'failed-again';
    }
    if (recorded) return this.end(recorded.record, { error, attempts });
    const envelope = envelopeOf(delivery);
    return this.put({
      id,
      payload: record.body,
      error,
      attempts,
      ...(envelope ? { type: envelope.type, subject: envelope.subject, correlationId: envelope.correlationid } : {}),
      // Whatever is wrong with it now, its effect may have happened while its record was still there.
      ...(tooOld ? { unknown: true } : {}),
    });
  }

  /** Adds the reason why a redriven message failed again; the newest ten are kept. */
  private async failedAgain(id: string, error: unknown): Promise<void> {
    const Key = { pk: recordKey(this.consumer, id) };
    const { Item } = await documents.send(new GetCommand({ TableName: this.table, Key, ConsistentRead: true }));
    const earlier = (Item?.failures ?? []) as readonly FailureReason[];
    const at = clock.now();
    const update = documents.send(
      new UpdateCommand({
        TableName: this.table,
        Key,
        UpdateExpression: 'SET failures = :failures, failedAt = :at',
        // Another delivery may have done it meanwhile: then it has not failed.
        ConditionExpression: '#status = :failed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':failures': [reasonOf(error, at), ...earlier].slice(0, MAX_REASONS),
          ':at': at,
          ':failed': 'FAILED',
        },
      }),
    );
    await update.catch((refused) => {
      if (!(refused instanceof ConditionalCheckFailedException)) throw refused;
    });
  }

  /**
   * Keeps the failure of a stored message in its own record, which has everything else of it.
   * @param record key of that record
   * @returns `recorded`, or `known` where it isn't pending: processed or failed by another delivery, or cleared
   */
  async end(record: string, { error, attempts }: Pick<Failure, 'error' | 'attempts'>): Promise<'recorded' | 'known'> {
    const at = clock.now();
    try {
      await documents.send(
        new UpdateCommand({
          TableName: this.table,
          Key: { pk: record },
          // Out of the index of what is due, into that of failures.
          UpdateExpression:
            'SET #status = :failed, failedConsumer = :consumer, failedAt = :at, failures = :failures, attempts = :attempts REMOVE duePk',
          ConditionExpression: '#status = :pending',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':failed': 'FAILED',
            ':consumer': this.consumer.name,
            ':at': at,
            ':failures': [reasonOf(error, at)],
            ':attempts': attempts ?? 0,
            ':pending': PENDING,
          },
        }),
      );
      return 'recorded';
    } catch (refused) {
      if (refused instanceof ConditionalCheckFailedException) return 'known';
      throw refused;
    }
  }

  /**
   * Keeps a failure, unless the message was processed, or kept as failed, before.
   * @returns `recorded`, or `known` where there was a record already
   */
  async put(failure: Failure): Promise<'recorded' | 'known'> {
    const { id, payload, error, ...details } = failure;
    const at = clock.now();
    try {
      await putNew({
        TableName: this.table,
        Item: {
          pk: recordKey(this.consumer, id),
          status: 'FAILED',
          messageId: id,
          failedConsumer: this.consumer.name,
          failedAt: at,
          failures: [reasonOf(error, at)],
          ...details,
          ...payloadOf(payload),
        },
      });
      return 'recorded';
    } catch (refused) {
      if (refused instanceof ItemExists) return 'known';
      throw refused;
    }
  }
}

/**
 * The message as text; packed where it is too long for an item. A commit has 400 KB at most, so what is too long even
 * then never was an event of ours: its beginning is kept, with its length and hash.
 */
function payloadOf(payload: string) {
  const bytes = Buffer.from(payload);
  if (bytes.byteLength <= MAX_PAYLOAD_BYTES) return { payload };
  const payloadGzip = gzipSync(bytes);
  if (payloadGzip.byteLength <= MAX_PAYLOAD_BYTES) return { payloadGzip };
  const payloadBegin = bytes.subarray(0, MAX_PAYLOAD_BYTES / 2).toString('utf8');
  return { payloadBegin, payloadBytes: bytes.byteLength, payloadHash: idOfBody(payload) };
}

function reasonOf(error: unknown, at: string): FailureReason {
  const { name, stack } = describeError(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { at, name, message: error instanceof Error && SPEAKING.has(name) ? error.message : code, stack };
}
