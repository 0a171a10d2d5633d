import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, EventBridgeEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { readDedupeWindow, requireEnv } from '../aws/read-environment.js';
import { SafeText } from '../aws/safe-error.js';
import { count, describeError, logAndSanitize, logger, publishMetrics } from '../aws/telemetry.js';
import { DeadLettered, findTooOld } from '../failures/failure-kinds.js';
import { FailureRecords, relayConsumer } from '../failures/failure-records.js';
import { isRequest } from '../lane/contract.js';
import { tryReadRequest, type UnreadableRequest } from '../lane/request-item.js';
import { messageIdOf } from '../messages/envelope.js';

const s3 = new S3Client({});
const records = requireEnv(Env.RECORDS);
const window = readDedupeWindow();
const relayFailures = new FailureRecords(records, relayConsumer);

/** Object that Lambda writes into the on-failure bucket ("Using Amazon S3 as an on-failure destination"). */
interface FailedBatch {
  readonly requestContext?: { readonly condition?: string };
  readonly payload?: string | { readonly Records?: readonly DynamoDBRecord[] };
}

/**
 * Turns a batch that a reader of the stream gave up into failure records at once: one of the relay for each commit, and one
 * of its consumer for each request of a lane, or of the relay if its consumer can't be read. The object stays until its
 * bucket's lifecycle rule deletes it.
 * @throws the first error, after each item was tried. EventBridge then retries, and finally keeps the notification in the
 *   target's dead-letter queue.
 */
export async function handler(event: EventBridgeEvent<'Object Created', S3Object>): Promise<void> {
  try {
    await drain(event.detail);
  } catch (error) {
    throw logAndSanitize('a batch of the stream could not be recorded', error, { object: event.detail.object.key });
  } finally {
    publishMetrics();
  }
}

async function drain({ bucket, object }: S3Object): Promise<void> {
  // Reads the version that the event is about. An object that was put or deleted later under the same name is not the
  // batch.
  const named = { Bucket: bucket.name, Key: object.key, VersionId: object['version-id'] ?? UNVERSIONED };
  const { Body } = await s3.send(new GetObjectCommand(named));
  const batch = JSON.parse((await Body?.transformToString()) ?? '{}') as FailedBatch;
  const payload =
    typeof batch.payload === 'string' ? (JSON.parse(batch.payload) as { Records?: DynamoDBRecord[] }) : batch.payload;
  const condition = batch.requestContext?.condition ?? 'unknown';
  const failed: unknown[] = [];
  for (const record of payload?.Records ?? []) {
    try {
      if (isRequest(record.dynamodb?.Keys?.sk?.S)) await recordRequest(record, condition);
      else await recordCommit(record, condition);
    } catch (error) {
      failed.push(error);
      logger.error('an item of the batch could not be recorded', describeError(error));
    }
  }
  if (failed.length > 0) throw failed[0];
  logger.error('a batch of the stream was given up', {
    condition,
    object: object.key,
    items: payload?.Records?.length ?? 0,
  });
}

async function recordCommit({ dynamodb }: DynamoDBRecord, condition: string): Promise<void> {
  const { pk, sk } = dynamodb?.Keys ?? {};
  const outcome = await relayFailures.put({
    id: `${pk?.S ?? ''}/${sk?.S ?? ''}`,
    payload: JSON.stringify(dynamodb ?? null),
    error: new DeadLettered(SafeText.trusted(`the relay gave its batch up: ${condition}`)),
  });
  if (outcome === 'recorded') count(Metric.PUBLISH_FAILURES);
}

/** Records a request as a failure of its message. If the message was processed meanwhile, it changes nothing. */
async function recordRequest({ dynamodb }: DynamoDBRecord, condition: string): Promise<void> {
  const request = tryReadRequest(unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>));
  if ('failure' in request) return recordUnreadable({ dynamodb }, request, condition);
  const { consumer, message, payload } = request;
  const outcome = await new FailureRecords(records, consumer).put({
    id: messageIdOf(message),
    payload,
    error: new DeadLettered(SafeText.trusted(`the lane gave its batch up: ${condition}`)),
    type: message.type,
    source: message.source,
    subject: message.subject,
    correlationId: message.correlationid,
    ...(findTooOld(message, window) ? { unknown: true } : {}),
  });
  if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
}

/** Records a request that can't be read: of its consumer, as its queue would have done, or of the relay if it names none. */
async function recordUnreadable(
  record: DynamoDBRecord,
  { consumer, failure }: UnreadableRequest,
  condition: string,
): Promise<void> {
  if (!consumer) return recordCommit(record, condition);
  const outcome = await new FailureRecords(records, consumer).put(failure);
  if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
}

interface S3Object {
  readonly bucket: { readonly name: string };
  readonly object: {
    readonly key: string;
    /** Version of the object. It is present in buckets with versioning. */
    readonly 'version-id'?: string;
  };
}

/**
 * Version of an object that was put before its bucket had versioning. Amazon S3, "Working with objects in versioned
 * buckets".
 */
const UNVERSIONED = 'null';
