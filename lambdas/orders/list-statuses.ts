import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, type Item } from '@orderly/kit/aws';
import { PROJECTIONS } from '@orderly/kit/projection';
import { ORDERS_LIST, USER_COPIES } from './keys.js';
import { listedKey, type UserStatusCopy } from './user-status.js';

/** Item that says how far the copying has come. */
const PROGRESS = { pk: PROJECTIONS + ORDERS_LIST, sk: 'STATUSES' };

/**
 * Stores each user's status beside their list too, unless that has it or a newer one. It is for statuses from before the setting
 * `userStatuses` was `both`, and may run at any time: a status that changes meanwhile is stored in both places by its consumer.
 * @param hasTime whether one more page may be begun. If not, the next call continues
 * @returns whether all statuses were copied
 */
export async function listStatuses(table: string, hasTime: () => boolean): Promise<boolean> {
  const { Item: progress } = await documentClient.send(
    new GetCommand({ TableName: table, Key: PROGRESS, ConsistentRead: true }),
  );
  let position = (progress?.position ?? undefined) as Item | undefined;
  do {
    if (!hasTime()) return false;
    const { Items = [], LastEvaluatedKey } = await documentClient.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        FilterExpression: 'begins_with(pk, :users) AND sk = :status',
        ExpressionAttributeValues: { ':users': USER_COPIES, ':status': 'STATUS' },
        ...(position && { ExclusiveStartKey: position }),
      }),
    );
    await Promise.all(Items.map((copy) => list(table, copy as StoredCopy)));
    position = LastEvaluatedKey;
    await documentClient.send(
      new UpdateCommand({
        TableName: table,
        Key: PROGRESS,
        UpdateExpression: 'SET #position = :position',
        ExpressionAttributeNames: { '#position': 'position' },
        ExpressionAttributeValues: { ':position': position ?? null },
      }),
    );
  } while (position);
  return true;
}

type StoredCopy = UserStatusCopy & { readonly pk: string };

async function list(table: string, { pk, status, version, epoch }: StoredCopy): Promise<void> {
  const Item = { ...listedKey(pk.slice(USER_COPIES.length)), status, version, epoch };
  const isNewer = 'attribute_not_exists(pk) OR epoch < :epoch OR (epoch = :epoch AND version < :version)';
  try {
    await documentClient.send(
      new PutCommand({
        TableName: table,
        Item,
        ConditionExpression: isNewer,
        ExpressionAttributeValues: { ':epoch': epoch, ':version': version },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
