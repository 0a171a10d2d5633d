import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../lambdas/platform/clock.js';
import { Exit, OperatorError } from './errors.js';
import { statusOf } from './failures.js';
import type { Outcome } from './outcome.js';
import { type FoundRecord, findRecord } from './records.js';
import type { Service } from './services.js';
import { command } from './text.js';
import { user } from './user.js';

export interface DiscardRequest {
  readonly consumer: string;
  readonly messageId: string;
  readonly reason: string;
  readonly dryRun: boolean;
}

/**
 * `orderly failures discard`: the message will not be done. Its record stays, for ever, with why, who and when: so a
 * late delivery still counts as a duplicate, and whoever misses the effect finds the reason.
 * @throws {OperatorError} `not-found`, or `refused` where it has not failed
 */
export async function discard(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  { reason, dryRun, ...asked }: DiscardRequest,
): Promise<Outcome> {
  const found = await findRecord(documents, services, asked);
  const { listener, record } = found;
  if (record.status !== 'FAILED') throw notFailed(`it was ${statusOf(record)}`);
  if (dryRun) return outcome(found, 'dry-run', `would be discarded: ${reason}`);
  const by = user();
  // A redrive may be doing it at this moment: what is done can't be discarded.
  const isFailed = '#status = :failed';
  try {
    await documents.send(
      new UpdateCommand({
        TableName: listener.service.records,
        Key: { pk: record.pk },
        // Without `failedConsumer` it leaves the index of failures.
        UpdateExpression:
          'SET #status = :discarded, discardReason = :reason, discardedBy = :by, discardedAt = :at REMOVE failedConsumer',
        ConditionExpression: isFailed,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':failed': 'FAILED',
          ':discarded': 'DISCARDED',
          ':reason': reason,
          ':by': by,
          ':at': clock.now(),
        },
      }),
    );
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFailed('it was done, or discarded, at this moment');
    throw error;
  }
  return outcome(found, 'discarded', `discarded by ${by}: ${reason}`);
}

const notFailed = (what: string): OperatorError =>
  new OperatorError('refused', `Not discarded: it has not failed, ${what}.`, command('failures', 'list'));

function outcome({ listener, messageId }: FoundRecord, result: 'discarded' | 'dry-run', detail: string): Outcome {
  return {
    exitCode: Exit.OK,
    text: `${listener.name} ${messageId}: ${detail}`,
    json: { discard: { service: listener.service.name, consumer: listener.name, messageId, result, detail } },
  };
}
