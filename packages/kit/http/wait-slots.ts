import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient } from '../aws/dynamodb.js';
import { WAITS, WAITS_AT_ONCE } from './contract.js';

/** Seconds that a slot is held beyond the wait: the last read and the answer come behind it. */
const RESERVE_SECONDS = 5;

/** A caller's place among those who wait. */
export interface WaitSlot {
  /** Gives the slot back. If that fails, the slot expires by itself. */
  release(): Promise<void>;
}

/** Returns the keys of a caller's slots. They hold a hash, so no key names a person. */
const slotsOf = (client: string): readonly string[] => {
  const hash = createHash('sha256').update(client).digest('hex');
  return Array.from({ length: WAITS_AT_ONCE }, (_, number) => `${WAITS}${hash}/${number}`);
};

/**
 * Takes one of the slots of a caller for a wait: one conditional write, and one for each slot that is taken already. A function that dies
 * gives nothing back, so a slot is free again when its time is over. Its item is deleted by TTL, up to days later.
 * @param table records table
 * @param client role and id of the caller
 * @param holder id of the request. Nobody else releases the slot
 * @returns `undefined` if all slots are taken
 */
export async function takeWaitSlot(
  table: string,
  client: string,
  holder: string,
  seconds: number,
): Promise<WaitSlot | undefined> {
  const now = clock.epochSeconds();
  const heldUntil = now + seconds + RESERVE_SECONDS;
  for (const pk of slotsOf(client)) {
    try {
      await documentClient.send(
        new PutCommand({
          TableName: table,
          Item: { pk, holder, heldUntil, expiresAt: heldUntil },
          // The holder's own item: the SDK missed the first answer, and repeats the write.
          ConditionExpression: 'attribute_not_exists(pk) OR heldUntil < :now OR holder = :holder',
          ExpressionAttributeValues: { ':now': now, ':holder': holder },
        }),
      );
      return { release: () => releaseSlot(table, pk, holder) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
  return undefined;
}

async function releaseSlot(table: string, pk: string, holder: string): Promise<void> {
  try {
    await documentClient.send(
      new DeleteCommand({
        TableName: table,
        Key: { pk },
        ConditionExpression: 'holder = :holder',
        ExpressionAttributeValues: { ':holder': holder },
      }),
    );
  } catch (error) {
    // Expired, and perhaps taken by another request since then.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
