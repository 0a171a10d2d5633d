import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { queryItems } from '@orderly/kit/internal/aws/read-items.js';
import { AUDIT_PREFIX } from '@orderly/kit/internal/base/outputs.js';
import * as z from 'zod/mini';
import type { Service } from '../deployment/services.js';

/** Partition of the pauses of a service. It begins as those of the audit log do, so a restore keeps it as it is. */
export const PAUSES = `${AUDIT_PREFIX}PAUSES`;

/** Pauses of a service at most: one for each consumer. */
const MOST_PAUSES = 1_000;

/** A consumer that an operator has paused. */
export interface Pause {
  readonly consumer: string;
  /** ISO 8601. */
  readonly since: string;
  /** Who paused it. */
  readonly by: string;
  readonly reason: string;
  /** Ids of the event source mappings that the pause has switched off. */
  readonly mappings: readonly string[];
}

const StoredPause = z.object({
  since: z.string(),
  by: z.string(),
  reason: z.string(),
  mappings: z.array(z.string()),
});

/** Reads the pauses of a service, by consumer. One that this release can't read has unknown words, and still counts. */
export async function readPauses(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
): Promise<ReadonlyMap<string, Pause>> {
  const { items } = await queryItems(
    documents,
    {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pauses',
      ExpressionAttributeValues: { ':pauses': PAUSES },
    },
    { limit: MOST_PAUSES },
  );
  return new Map(
    items.map((item) => {
      const consumer = String(item.sk);
      const { data } = z.safeParse(StoredPause, item);
      return [consumer, { consumer, ...(data ?? { since: '', by: '?', reason: '?', mappings: [] }) }] as const;
    }),
  );
}

/** Notes a pause. @returns false if the consumer is paused already: the first pause stays */
export async function notePause(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  { consumer, ...pause }: Pause,
): Promise<boolean> {
  try {
    await documents.send(
      new PutCommand({
        TableName: table,
        Item: { pk: PAUSES, sk: consumer, ...pause },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Forgets a pause, if there is one. */
export const forgetPause = (
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  consumer: string,
): Promise<unknown> => documents.send(new DeleteCommand({ TableName: table, Key: { pk: PAUSES, sk: consumer } }));
