import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '../aws/clock.js';
import { MAX_BATCH_KEYS } from '../aws/dynamodb-limits.js';
import { DUE_INDEX, FAILED_INDEX } from '../aws/indexes.js';
import type { Item } from '../aws/items.js';
import { readItems } from '../aws/read-items.js';

import { DUE_SHARDS, duePartition } from '../timers/contract.js';
import { parkedPartition } from './contract.js';

export interface MeasuredInbox {
  readonly table: string;
  /** Name of the inbox's consumer. */
  readonly owner: string;
  /** Partitions of parked messages. */
  readonly parked: readonly string[];
}

/** Returns the partitions of the index `due` that have an inbox's parked messages. */
export const parkedPartitions = (owner: string): readonly string[] => listPartitions(owner).map(parkedPartition);

const listPartitions = (owner: string): readonly string[] =>
  Array.from({ length: DUE_SHARDS }, (_, shard) => duePartition(owner, shard));

export interface InboxMeasures {
  readonly pending: number;
  readonly parked: number;
  /** Age of the oldest message in seconds, of the 100 that are handed out next; 0 if none waits. */
  readonly oldestSeconds: number;
  readonly failed: number;
}

/**
 * Measures an inbox by its indexes: how many messages wait, how old the oldest one is, how many are parked, and how many
 * have failed. It reads at most 1 MB of each partition, which is about 6,000 waiting messages: above that, the numbers are
 * lower bounds.
 * @param now ISO 8601
 */
export async function measureInbox(
  documents: DynamoDBDocumentClient,
  { table, owner, parked }: MeasuredInbox,
  now: string,
): Promise<InboxMeasures> {
  const partition = (duePk: string) =>
    query(documents, {
      TableName: table,
      IndexName: DUE_INDEX,
      KeyConditionExpression: 'duePk = :duePk',
      ExpressionAttributeValues: { ':duePk': duePk },
    });
  const [failed, waiting, early] = await Promise.all([
    query(documents, {
      TableName: table,
      IndexName: FAILED_INDEX,
      KeyConditionExpression: 'failedConsumer = :owner',
      ExpressionAttributeValues: { ':owner': owner },
      Select: 'COUNT',
    }),
    Promise.all(listPartitions(owner).map(partition)),
    Promise.all(parked.map(partition)),
  ]);
  // The message that is handed out next is usually the one that waits longest, whichever partition it is in.
  const items = [...waiting, ...early].flatMap((page) => page.items).toSorted(compareExecuteAt);
  // A message that is parked or handed out meanwhile is seen in both partitions, and BatchGetItem refuses a key that is named
  // twice.
  const keys = [...new Set(items.map(({ pk }) => String(pk)))].map((pk) => ({ pk }));
  return {
    pending: sumCounts(waiting),
    parked: sumCounts(early),
    oldestSeconds: await readAgeOfOldest(documents, { table, keys, now }),
    failed: failed.count,
  };
}

/** Returns the age of the oldest message in seconds, of the 100 that are handed out next; 0 if none waits. */
async function readAgeOfOldest(
  documents: DynamoDBDocumentClient,
  { table, keys, now }: { readonly table: string; readonly keys: readonly Item[]; readonly now: string },
): Promise<number> {
  const items = await readItems(documents, table, keys.slice(0, MAX_BATCH_KEYS), { attributes: ['storedAt'] });
  const ages = items.map(({ storedAt }) => secondsBetween(String(storedAt ?? now), now));
  return Math.max(0, ...ages);
}

const compareExecuteAt = (one: Item, other: Item): number =>
  String(one.executeAt).localeCompare(String(other.executeAt));

const sumCounts = (pages: readonly { readonly count: number }[]): number =>
  pages.reduce((all, { count }) => all + count, 0);

async function query(
  documents: DynamoDBDocumentClient,
  input: QueryCommandInput,
): Promise<{ readonly count: number; readonly items: readonly Item[] }> {
  const { Count = 0, Items = [] } = await documents.send(new QueryCommand(input));
  return { count: Count, items: Items };
}
