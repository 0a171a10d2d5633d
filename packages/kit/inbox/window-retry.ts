import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ConsumerIdentity } from '../failures/failure-records.js';
import { duePartition } from '../timers/contract.js';
import { shardOf } from '../timers/timers.js';
import { WAKE } from './contract.js';

/** A window of an inbox, by the key of its record. */
interface FailedWindow {
  readonly table: string;
  readonly consumer: ConsumerIdentity;
  readonly pk: string;
  /** Time from which it is due, ISO 8601. */
  readonly now: string;
}

/**
 * Gives a failed window new attempts. It continues with the page whose effect has not committed, at once.
 * @throws {ConditionalCheckFailedException} if it has not failed
 */
export async function retryFailedWindow(
  documents: DynamoDBDocumentClient,
  { table, consumer, pk, now }: FailedWindow,
): Promise<void> {
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk },
      UpdateExpression:
        'SET #status = :pending, executeAt = :now, duePk = :due, #wake = :true, attempts = :none REMOVE failedConsumer, failedAt',
      ConditionExpression: '#status = :failed',
      ExpressionAttributeNames: { '#status': 'status', '#wake': WAKE },
      ExpressionAttributeValues: {
        ':pending': 'PENDING',
        ':failed': 'FAILED',
        ':now': now,
        ':due': duePartition(consumer.name, shardOf(pk)),
        ':true': true,
        ':none': 0,
      },
    }),
  );
}
