import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBRecord, EventBridgeEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { required } from '../aws/read-environment.js';
import { count, logger, publishMetrics } from '../aws/telemetry.js';
import { DeadLettered } from './failure-kinds.js';
import { FailureRecords, relayConsumer } from './failure-records.js';

const s3 = new S3Client({});
const failures = new FailureRecords(required(Env.RECORDS), relayConsumer);

/** Object that Lambda writes into the on-failure bucket ("Using Amazon S3 as an on-failure destination"). */
interface FailedBatch {
  readonly requestContext?: { readonly condition?: string };
  readonly payload?: string | { readonly Records?: readonly DynamoDBRecord[] };
}

/**
 * Turns a batch of commits that the relay gave up into failure records at once, one for each commit. The object stays
 * until its bucket's lifecycle rule deletes it.
 * @throws what the SDK throws. EventBridge then retries, and finally keeps the notification in the target's dead-letter
 *   queue.
 */
export async function handler(event: EventBridgeEvent<'Object Created', S3Object>): Promise<void> {
  const { bucket, object } = event.detail;
  // Reads the version that the event is about. An object that was put or deleted later under the same name is not the
  // batch.
  const named = { Bucket: bucket.name, Key: object.key, VersionId: object['version-id'] ?? UNVERSIONED };
  const { Body } = await s3.send(new GetObjectCommand(named));
  const batch = JSON.parse((await Body?.transformToString()) ?? '{}') as FailedBatch;
  const payload =
    typeof batch.payload === 'string' ? (JSON.parse(batch.payload) as { Records?: DynamoDBRecord[] }) : batch.payload;
  const condition = batch.requestContext?.condition ?? 'unknown';
  for (const { dynamodb } of payload?.Records ?? []) {
    const { pk, sk } = dynamodb?.Keys ?? {};
    const outcome = await failures.put({
      id: `${pk?.S ?? ''}/${sk?.S ?? ''}`,
      payload: JSON.stringify(dynamodb ?? null),
      error: new DeadLettered(`the relay gave its batch up: ${condition}`),
    });
    if (outcome === 'recorded') count(Metric.PUBLISH_FAILURES);
  }
  logger.error('a batch of commits was not published', {
    condition,
    object: object.key,
    commits: payload?.Records?.length ?? 0,
  });
  publishMetrics();
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
