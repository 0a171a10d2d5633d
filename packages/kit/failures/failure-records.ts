import { gzipSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, ItemExists, putNew } from '../aws/dynamodb.js';
import { type Envelope, readSender, sagaStepKey } from '../messages/envelope.js';
import { RELAY, recordsPrefix } from './contract.js';
import { bodyHashId, type Delivery, envelopeOf, PENDING } from './delivery.js';
import { type FailureReason, toFailureReason } from './failure-reasons.js';
import { putStepFailure } from './step-failures.js';

/** A consumer of a service, as the keys of its records name it. */
export interface ConsumerIdentity {
  /** Name of the consumer. Never change it: with a new name, everything is processed again. */
  readonly name: string;
  /** Generation of the consumer. Raise it to process everything again on purpose. */
  readonly generation: number;
}

/** The relay as a consumer. It keeps failure records of commits that cannot be published. */
export const relayConsumer: ConsumerIdentity = { name: RELAY, generation: 0 };

/** Returns the key of a consumer's record of one message. The record is processed or failed, never both. */
export const recordKey = ({ name, generation }: ConsumerIdentity, messageId: string): string =>
  `${recordsPrefix(name)}${generation}#${messageId}`;

interface Failure {
  /** Id of the message, or a substitute. */
  readonly id: string;
  /** Key of its record. @default that of its id */
  readonly pk?: string | undefined;
  /** The message as it arrived. */
  readonly payload: string;
  readonly error: unknown;
  readonly type?: string;
  /** Who published it: `<application>.<service>`, or the source that the bus event of an unreadable message has. */
  readonly source?: string;
  readonly subject?: string;
  /** For an event of an inbox in mode sequential: its place. */
  readonly sequence?: number;
  readonly epoch?: number;
  readonly correlationId?: string;
  /** For a saga's command: the step for which it asks. */
  readonly step?: string;
  /** Number of deliveries so far. */
  readonly attempts?: number;
  /**
   * Whether the effect may have happened before. If so, an operator must confirm that it did not before it is done
   * again.
   */
  readonly unknown?: boolean;
}

/** Number of reasons that a record keeps, newest first. */
export const MAX_REASONS = 10;

/** Largest payload in bytes; it fits into an item of 400 KB. */
const MAX_PAYLOAD_BYTES = 350_000;

/**
 * Store of messages that could not be processed, with their reasons (G5).
 *
 * A failure record is the same item as the processed record, so a message cannot be both processed and failed. It does
 * not expire: an operator ends it.
 */
export class FailureRecords {
  /**
   * @param keyOf returns the key under which the consumer stores a message, if that is not the key of its id: a message has one
   *   key, however far it came. @default each message is stored under its id
   */
  constructor(
    private readonly table: string,
    private readonly consumer: ConsumerIdentity,
    private readonly keyOf: (message: Envelope) => string | undefined = () => undefined,
  ) {}

  /**
   * Stores the failure of a delivery in the record of its message.
   * @returns `recorded`; `failed-again` for a redriven message, whose record gets one more reason; `repeated` for a command whose
   *   step has failed before and waits for an operator; `known` if another delivery was processed, or recorded as failed,
   *   before
   */
  async record(delivery: Delivery, error: unknown): Promise<'recorded' | 'failed-again' | 'repeated' | 'known'> {
    const { id, record, recorded, attempts, tooOld } = delivery;
    const envelope = envelopeOf(delivery);
    const pk = envelope && this.keyOf(envelope);
    if (recorded?.kind === 'redrive') {
      // A failure of an earlier release has the key of its id.
      for (const key of new Set([pk ?? recordKey(this.consumer, id), recordKey(this.consumer, id)]))
        await this.addFailureReason(key, error);
      return 'failed-again';
    }
    if (recorded) return this.failPending(recorded.record, { error, attempts });
    const step = envelope && sagaStepKey(envelope);
    return this.put({
      id,
      payload: record.body,
      error,
      attempts,
      ...(envelope && pk !== undefined ? { pk, sequence: envelope.sequence, epoch: envelope.epoch } : {}),
      ...(envelope
        ? {
            type: envelope.type,
            source: envelope.source,
            subject: envelope.subject,
            correlationId: envelope.correlationid,
          }
        : readSender(record.body)),
      ...(step === undefined ? {} : { step }),
      // Whatever the fault is now, the effect may have happened while the message's record still existed.
      ...(tooOld ? { unknown: true } : {}),
    });
  }

  /** Adds the reason why a redriven message failed again. The record keeps the newest ten reasons. */
  private async addFailureReason(pk: string, error: unknown): Promise<void> {
    const Key = { pk };
    const { Item } = await documentClient.send(new GetCommand({ TableName: this.table, Key, ConsistentRead: true }));
    const at = clock.now();
    const update = documentClient.send(
      new UpdateCommand({
        TableName: this.table,
        Key,
        UpdateExpression: 'SET failures = :failures, failedAt = :at',
        // Another delivery may have processed the message meanwhile. Then it has not failed.
        ConditionExpression: '#status = :failed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':failures': prependReason(error, at, Item?.failures),
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
   * Stores the failure of a stored message in its own record, which already has the other fields.
   * @param record key of that record
   * @returns `recorded`, or `known` if the record is not pending: another delivery was processed or failed, or it was
   *   cleared
   */
  async failPending(
    record: string,
    { error, attempts }: Pick<Failure, 'error' | 'attempts'>,
  ): Promise<'recorded' | 'known'> {
    const at = clock.now();
    try {
      await documentClient.send(
        new UpdateCommand({
          TableName: this.table,
          Key: { pk: record },
          // Moves the record from the index of due timers to the index of failures.
          UpdateExpression:
            'SET #status = :failed, failedConsumer = :consumer, failedAt = :at, failures = :failures, attempts = :attempts REMOVE duePk',
          ConditionExpression: '#status = :pending',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':failed': 'FAILED',
            ':consumer': this.consumer.name,
            ':at': at,
            ':failures': [toFailureReason(error, at)],
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
   * Stores a failure, unless the message was processed, or recorded as failed, before.
   * @returns `recorded`; `repeated` for a command whose step has failed before and waits for an operator; `known` if a
   *   record existed already
   */
  async put(failure: Failure): Promise<'recorded' | 'repeated' | 'known'> {
    const { step, ...stored } = failure;
    const { table, consumer } = this;
    const at = clock.now();
    const record = failureItem(consumer, at, stored);
    if (step !== undefined) {
      return putStepFailure(table, {
        step: `${recordsPrefix(consumer.name)}step#${step}`,
        record,
        keyOf: (messageId) => recordKey(consumer, messageId),
        withReason: (earlier) => prependReason(failure.error, at, earlier),
      });
    }
    try {
      await putNew({ TableName: table, Item: record });
      return 'recorded';
    } catch (refused) {
      if (refused instanceof ItemExists) return 'known';
      throw refused;
    }
  }
}

/** Returns the record of a failure. @param at ISO 8601, UTC */
export const failureItem = (
  consumer: ConsumerIdentity,
  at: string,
  { id, pk = recordKey(consumer, id), payload, error, ...details }: Omit<Failure, 'step'>,
) => ({
  pk,
  status: 'FAILED',
  messageId: id,
  failedConsumer: consumer.name,
  failedAt: at,
  failures: [toFailureReason(error, at)],
  ...details,
  ...encodePayload(payload),
});

/** Adds a reason to those of a record, which keeps the newest ten. @param earlier reasons in the record, if any */
const prependReason = (error: unknown, at: string, earlier: unknown): readonly FailureReason[] =>
  [toFailureReason(error, at), ...((earlier ?? []) as readonly FailureReason[])].slice(0, MAX_REASONS);

/**
 * Returns the payload as text, or compressed if it is too long for an item. A commit has at most 400 KB, so a payload
 * that is still too long was never our event. Of such a payload, the beginning, the length and the hash are kept.
 */
function encodePayload(payload: string) {
  const bytes = Buffer.from(payload);
  if (bytes.byteLength <= MAX_PAYLOAD_BYTES) return { payload };
  const payloadGzip = gzipSync(bytes);
  if (payloadGzip.byteLength <= MAX_PAYLOAD_BYTES) return { payloadGzip };
  const payloadBegin = bytes.subarray(0, MAX_PAYLOAD_BYTES / 2).toString('utf8');
  return { payloadBegin, payloadBytes: bytes.byteLength, payloadHash: bodyHashId(payload) };
}
