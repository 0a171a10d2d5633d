import { computeExpiry, type DedupeWindow } from '../aws/dedupe-window.js';
import type { Item } from '../aws/dynamodb.js';
import { bodyHashId } from '../failures/delivery.js';
import { type ConsumerIdentity, type FailureRecords, recordKey } from '../failures/failure-records.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, messageIdOf, readEnvelope } from '../messages/envelope.js';
import { laneKey, REQUEST_PREFIX } from './contract.js';

/** A message that is stored for a lane. */
export interface StoredRequest {
  /** Partition key of the lane. */
  readonly pk: string;
  /** Consumer whose record decides whether the message is new, as it was when the message was stored. */
  readonly consumer: ConsumerIdentity;
  readonly message: Envelope;
  /** Body of the message, as a queue delivers it. */
  readonly payload: string;
}

/** Returns the body of a message as a queue delivers it, without what differs from delivery to delivery. */
const serializeMessage = (message: Envelope): string =>
  JSON.stringify({ source: message.source, 'detail-type': message.type, detail: message });

/**
 * Creates the item of a request. A redelivery of the message within the same hour makes the same item, so storing it again
 * changes nothing, and the stream shows nothing. A redelivery in a later hour does reach the stream: if the stream has
 * lost the first one, the second one heals that.
 *
 * It may expire with the window of its message: the stream's record contains the request, and a record that says what
 * became of it lives longer.
 * @param lane name of the lane @param key what the message contends for
 * @param now ISO 8601 @param windowSeconds deduplication window of the consumer
 */
export function buildRequestItem(
  consumer: ConsumerIdentity,
  { lane, key }: { readonly lane: string; readonly key: string },
  message: Envelope,
  { now, windowSeconds }: { readonly now: string; readonly windowSeconds: DedupeWindow },
): Item & { readonly sk: string } {
  return {
    pk: laneKey(lane, key),
    sk: REQUEST_PREFIX + recordKey(consumer, messageIdOf(message)),
    consumer: consumer.name,
    generation: consumer.generation,
    payload: serializeMessage(message),
    storedIn: now.slice(0, 'yyyy-mm-ddThh'.length),
    expiresAt: computeExpiry(windowSeconds, Math.ceil(Date.parse(message.time) / 1000)),
  };
}

/**
 * Reads the item of a request.
 * @throws {ContractViolation} if it contains no valid message
 */
export function readRequest(item: Item): StoredRequest {
  const payload = String(item.payload);
  return {
    pk: String(item.pk),
    consumer: { name: String(item.consumer), generation: Number(item.generation) },
    message: readEnvelope(payload),
    payload,
  };
}

/** A failure of a request that can't be read, as its consumer's queue would have it: under the hash of its body. */
export interface UnreadableRequest {
  /** Consumer that stored it; `undefined` if the item doesn't say it. */
  readonly consumer: ConsumerIdentity | undefined;
  readonly failure: Parameters<FailureRecords['put']>[0];
}

/**
 * Reads the item of a request, or says why it can't be read, so that the items behind it are still processed.
 * @throws any error but a violation of the contract
 */
export function tryReadRequest(item: Item): StoredRequest | UnreadableRequest {
  try {
    return readRequest(item);
  } catch (error) {
    if (!(error instanceof ContractViolation)) throw error;
    const { consumer, generation = 0 } = item;
    // A request without a body is known by its key.
    const payload = typeof item.payload === 'string' ? item.payload : JSON.stringify({ pk: item.pk, sk: item.sk });
    return {
      consumer: typeof consumer === 'string' ? { name: consumer, generation: Number(generation) } : undefined,
      failure: { id: bodyHashId(payload), payload, error },
    };
  }
}
