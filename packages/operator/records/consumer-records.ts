import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { FAILED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { readItems } from '@orderly/kit/internal/aws/read-items.js';
import { bodyHashId } from '@orderly/kit/internal/failures/delivery.js';
import { recordKey } from '@orderly/kit/internal/failures/failure-records.js';
import { COMPRESSED, readStoredPayload, UnknownForm } from '@orderly/kit/internal/failures/stored-payload.js';
import { formatIssues } from '@orderly/kit/internal/messages/contract.js';
import { Sealed } from '@orderly/kit/internal/messages/sealed.js';
import * as z from 'zod/mini';
import { OperatorError } from '../cli/errors.js';
import { findListeners, type Listener, type Service } from '../deployment/services.js';
import { LOCATION_RULES, locateRecord } from './message-locations.js';

const Reason = z.object({
  at: z.string(),
  name: z.string(),
  message: z.string(),
  stack: z.array(z.string()),
  /** Text that may contain data of this person (failures/reasons.ts). */
  sealed: z.exactOptional(z.object({ person: z.string(), text: Sealed })),
});

/** A consumer's record of one message (written by the kit; DISCARDED by this tool). */
export const ConsumerRecord = z.object({
  pk: z.string(),
  status: z.enum(['PENDING', 'PROCESSED', 'FAILED', 'DISCARDED', 'REPEATED']),
  /** For a stored message: time of its next delivery. */
  executeAt: z.optional(z.string()),
  processedAt: z.optional(z.string()),
  messageId: z.optional(z.string()),
  failedAt: z.optional(z.string()),
  /** Newest first. */
  failures: z.optional(z.array(Reason)),
  type: z.optional(z.string()),
  /** Who published it. Absent in records of inboxes, and of release 0.3 and earlier. */
  source: z.optional(z.string()),
  subject: z.optional(z.string()),
  correlationId: z.optional(z.string()),
  attempts: z.optional(z.number()),
  unknown: z.optional(z.boolean()),
  payload: z.optional(z.string()),
  payloadGzip: z.optional(z.instanceof(Uint8Array)),
  [COMPRESSED]: z.optional(z.instanceof(Uint8Array)),
  /** Message group. A compressed message leaves it to its record. */
  group: z.optional(z.string()),
  payloadBegin: z.optional(z.string()),
  payloadBytes: z.optional(z.number()),
  /** For a message of an inbox: what it is about, when it was stored, who holds it until when. */
  topic: z.optional(z.string()),
  sequence: z.optional(z.number()),
  epoch: z.optional(z.number()),
  follows: z.optional(z.string()),
  parkedAt: z.optional(z.string()),
  /** For a message that waits: its partition in the index `due`, which says whether it is parked. */
  duePk: z.optional(z.string()),
  storedAt: z.optional(z.string()),
  /** For a message of an inbox in mode batch: the window in which it has a place. */
  window: z.optional(z.string()),
  heldUntil: z.optional(z.string()),
  runner: z.optional(z.string()),
  progress: z.optional(z.unknown()),
  /** For a saga's command that failed: how many more commands of its step have failed since. */
  repeated: z.optional(z.number()),
  /** For one of those: the message whose record stands for it. */
  repeats: z.optional(z.string()),
  /** Time from which DynamoDB may delete it, in seconds since 1970. Absent in one that does not expire, such as a failure. */
  expiresAt: z.optional(z.number()),
  discardedAt: z.optional(z.string()),
  discardedBy: z.optional(z.string()),
  discardReason: z.optional(z.string()),
});
export type ConsumerRecord = z.infer<typeof ConsumerRecord>;

/**
 * Reads an item as a record. One that can't be read, as of another release, is shown as a failure that says so, and hides no
 * other.
 */
export function parseRecord(item: Readonly<Record<string, unknown>>): ConsumerRecord {
  const { success, data, error } = z.safeParse(ConsumerRecord, item);
  if (success) return data;
  const at = typeof item.failedAt === 'string' ? item.failedAt : '';
  const fault = `the record can't be read: ${formatIssues(error)}`;
  return {
    pk: String(item.pk),
    status: 'FAILED',
    failedAt: at,
    failures: [{ at, name: '', message: fault, stack: [] }],
  };
}

/** Returns the newest reason of a failure, in one line. */
export function describeReason({ failures, unknown }: ConsumerRecord): string {
  const [newest] = failures ?? [];
  const why = newest ? [newest.name, newest.message].filter((part) => part !== '').join(': ') : 'no reason was kept';
  return unknown ? `${why} (may have been done before)` : why;
}

/** Whether a redriven message failed again: a new failure puts its reason first. */
export const failedAgain = (before: ConsumerRecord, now: ConsumerRecord): boolean =>
  now.failures?.[0]?.at !== before.failures?.[0]?.at;

/** A failure and its listener. */
export interface FoundRecord {
  readonly listener: Listener;
  readonly record: ConsumerRecord;
  readonly messageId: string;
}

/** Reads one record, strongly consistent. */
export async function readRecord(
  documents: DynamoDBDocumentClient,
  { records }: Service,
  pk: string,
): Promise<ConsumerRecord | undefined> {
  const { Item } = await documents.send(new GetCommand({ TableName: records, Key: { pk }, ConsistentRead: true }));
  return Item && parseRecord(Item);
}

/** Reads records of a service by their keys, strongly consistent; in any order, without those that don't exist. */
export const readRecords = async (
  documents: DynamoDBDocumentClient,
  { records }: Pick<Service, 'records'>,
  keys: readonly string[],
): Promise<readonly ConsumerRecord[]> => {
  const items = await readItems(
    documents,
    records,
    keys.map((pk) => ({ pk })),
    { consistent: true },
  );
  return items.map(parseRecord);
};

/** The newest failures that are asked for. */
export interface NewestFailuresQuery {
  /** Number of failures, from 1. */
  readonly limit: number;
  /** Time before which they failed, in ISO 8601. @default any time */
  readonly before?: string | undefined;
  /** Whether the messages themselves are left out. @default false */
  readonly withoutMessages?: boolean;
}

/** Attributes of a failure without its message, of which each may have 350 KB. */
const WITHOUT_MESSAGE = {
  ProjectionExpression:
    'pk, #status, messageId, failedAt, failures, #type, #source, subject, correlationId, attempts, #unknown, repeated, payloadBytes',
  ExpressionAttributeNames: { '#status': 'status', '#type': 'type', '#source': 'source', '#unknown': 'unknown' },
};

/**
 * Returns failures of a consumer, newest first; eventually consistent.
 * @param asked part of them. There may be a few more: those of the same millisecond as the last one, and one older one if
 *   there is any. @default all
 */
export async function listFailureRecords(
  documents: DynamoDBDocumentClient,
  listener: Listener,
  asked: NewestFailuresQuery = { limit: Number.POSITIVE_INFINITY },
): Promise<readonly FoundRecord[]> {
  const { limit, before, withoutMessages = false } = asked;
  const found: FoundRecord[] = [];
  const pages = paginateQuery(
    { client: documents, ...(Number.isFinite(limit) && { pageSize: limit + 1 }) },
    {
      TableName: listener.service.records,
      IndexName: FAILED_INDEX,
      KeyConditionExpression: `failedConsumer = :name${before === undefined ? '' : ' AND failedAt < :before'}`,
      ExpressionAttributeValues: { ':name': listener.name, ...(before !== undefined && { ':before': before }) },
      ScanIndexForward: false,
      ...(withoutMessages && WITHOUT_MESSAGE),
    },
  );
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const record = parseRecord(item);
      found.push({ listener, record, messageId: record.messageId ?? record.pk.slice(record.pk.indexOf('#') + 1) });
      if (found.length > limit && record.failedAt !== found[limit - 1]?.record.failedAt) return found;
    }
  }
  return found;
}

/** Minimum number of characters by which a failure is found. */
const MIN_PREFIX_LENGTH = 7;

/**
 * Finds a consumer's record of one message, by the consumer's name and the message's id; a failure also by a beginning of
 * its id that no other failure of the consumer has.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so, with the command that lists the records
 */
export async function findRecord(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  { consumer, messageId }: { readonly consumer: string; readonly messageId: string },
): Promise<FoundRecord> {
  const listeners = findListeners(services, consumer);
  let moved: FoundRecord | undefined;
  for (const listener of listeners) {
    const record = await readRecord(documents, listener.service, recordKey(listener, messageId));
    // A redrive gives a message of a sequential inbox its place, under another key. It may have failed there again.
    const hasPlace = listener.consumer?.inbox?.mode === 'sequential' && record?.status === 'PROCESSED';
    if (record && !hasPlace) return { listener, record, messageId };
    if (record) moved = { listener, record, messageId };
  }
  // Failures of an earlier generation have another key, but the index contains them too.
  const failures = (await Promise.all(listeners.map((listener) => listFailureRecords(documents, listener)))).flat();
  const earlier = failures.find((one) => one.messageId === messageId);
  if (earlier) return earlier;
  if (moved) return moved;
  const begun =
    messageId.length < MIN_PREFIX_LENGTH ? [] : failures.filter((one) => one.messageId.startsWith(messageId));
  const [only, another] = begun;
  if (only && another) {
    const ids = `${only.messageId}, ${another.messageId}`;
    throw new OperatorError('refused', `${begun.length} failures of '${consumer}' begin with '${messageId}': ${ids}`, [
      'failures',
      'list',
      '--consumer',
      consumer,
    ]);
  }
  if (only) return only;
  throw new OperatorError('not-found', `'${consumer}' has no record of a message '${messageId}'.`, [
    'failures',
    'list',
    '--consumer',
    consumer,
  ]);
}

/** Whether the record belongs to the generation that runs now. */
export const isCurrentGeneration = ({ listener, record }: FoundRecord): boolean =>
  record.pk.startsWith(recordKey(listener, ''));

/** Returns a record's message; undefined if only its beginning was stored, or in a form that only a newer release reads. */
export function readPayload(record: ConsumerRecord): string | undefined {
  try {
    return readStoredPayload(record);
  } catch (error) {
    if (error instanceof UnknownForm) return undefined;
    throw error;
  }
}

/**
 * Whether the failure can be redriven at all: its whole message was stored, under an id that its consumer will read,
 * for the generation that runs.
 */
export function isRedrivable(found: FoundRecord): boolean {
  const payload = readPayload(found.record);
  return (
    LOCATION_RULES[locateRecord(found.record, found.listener)].mayRedrive &&
    payload !== undefined &&
    !lacksId(found, payload) &&
    isCurrentGeneration(found)
  );
}

/** An unreadable message has no id: its record's key contains the message's hash, which no consumer looks up. */
export const lacksId = ({ messageId }: FoundRecord, payload: string): boolean => messageId === bodyHashId(payload);
