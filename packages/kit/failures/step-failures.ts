import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';

/** Seconds for which a repeated command, and the item that finds the first one, are kept after a failure (35 days). */
const KEPT_SECONDS = 35 * 86_400;

/** Failure of a saga's command. */
export interface StepFailure {
  /** Key of the step's item: it names the message whose record stands for all of the step. */
  readonly step: string;
  /** Record of the failure, complete with its key and `messageId`. */
  readonly record: Item & { readonly pk: string; readonly messageId: string };
  /** Returns the key of the record of another message of the same consumer. */
  readonly keyOf: (messageId: string) => string;
  /** Returns the reasons of a record that failed before, with the present one. */
  readonly withReason: (earlier: unknown) => readonly unknown[];
}

/**
 * Stores the failure of a saga's command. A saga sends a step's command again until it is answered, each time as a new
 * message. All of them ask for the same work, so the first one's record stands for all as long as it is failed:
 *
 *     first command fails     record 1: FAILED; the step's item names record 1
 *     second command fails    record 2: REPEATED, of record 1; record 1 has one repeat and one reason more
 *     an operator ends record 1
 *     third command fails     record 3: FAILED; the step's item names record 3
 *
 * @returns `recorded`; `repeated` if an earlier command of the step has failed and waits for an operator; `known` if the
 *   message was processed, or recorded as failed, before
 * @throws {WriteConflict} after five lost races
 */
export function putStepFailure(
  table: string,
  { step, record, keyOf, withReason }: StepFailure,
): Promise<'recorded' | 'repeated' | 'known'> {
  const at = clock.now();
  const expiresAt = clock.epochSeconds() + KEPT_SECONDS;
  const read = async (key: string): Promise<Item | undefined> => {
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: table, Key: { pk: key }, ConsistentRead: true }),
    );
    return Item;
  };
  const putNew = (item: Item): TransactWriteItem => ({
    Put: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' },
  });
  return retryOnConflict(async () => {
    const seen = (await read(step))?.messageId;
    const first = typeof seen === 'string' ? await read(keyOf(seen)) : undefined;
    const isRepeat = first?.status === 'FAILED' && seen !== record.messageId;
    const own = putNew(
      isRepeat
        ? { pk: record.pk, status: 'REPEATED', messageId: record.messageId, repeats: seen, failedAt: at, expiresAt }
        : record,
    );
    const other: TransactWriteItem = isRepeat
      ? {
          Update: {
            TableName: table,
            Key: { pk: first.pk },
            UpdateExpression: 'SET failedAt = :at, failures = :failures ADD repeated :one',
            // An operator may have ended it meanwhile.
            ConditionExpression: '#status = :failed',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':at': at,
              ':failures': withReason(first.failures),
              ':one': 1,
              ':failed': 'FAILED',
            },
          },
        }
      : {
          Put: {
            TableName: table,
            Item: { pk: step, messageId: record.messageId, expiresAt },
            // Another command of the step may have failed meanwhile.
            ConditionExpression: seen === undefined ? 'attribute_not_exists(pk)' : 'messageId = :seen',
            ...(seen !== undefined && { ExpressionAttributeValues: { ':seen': seen } }),
          },
        };
    try {
      await transact([own, other]);
      return isRepeat ? 'repeated' : 'recorded';
    } catch (error) {
      if (error instanceof TransactionRefused && error.conditionFailedFor(own)) return 'known';
      throw error;
    }
  });
}
