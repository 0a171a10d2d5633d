import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import { documents, type Item } from '../aws/dynamodb.js';
import { timeOfId } from '../aws/ids.js';
import { Metric } from '../aws/metric-names.js';
import { gauge } from '../aws/telemetry.js';
import { FAILED_INDEX } from '../failures/contract.js';
import { DUE_INDEX, DUE_SHARDS, duePartition } from '../timers/contract.js';

/**
 * Measures an inbox by its indexes: how many messages wait, how old the oldest one is, and how many have failed. It reads
 * at most 1 MB of each partition, which is about 6,000 waiting messages: above that, the gauges are lower bounds.
 */
export async function gauges({ table, owner }: { readonly table: string; readonly owner: string }): Promise<void> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => duePartition(owner, shard));
  const [failed, ...waiting] = await Promise.all([
    query({
      TableName: table,
      IndexName: FAILED_INDEX,
      KeyConditionExpression: 'failedConsumer = :owner',
      ExpressionAttributeValues: { ':owner': owner },
      Select: 'COUNT',
    }),
    ...shards.map((shard) =>
      query({
        TableName: table,
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'duePk = :shard',
        ExpressionAttributeValues: { ':shard': shard },
      }),
    ),
  ]);
  const items = waiting.flatMap((page) => page.items);
  const now = clock.now();
  gauge(Metric.INBOX_PENDING, items.length, owner);
  gauge(
    Metric.INBOX_OLDEST_PENDING,
    Math.max(0, ...items.map((item) => secondsBetween(sinceOf(item), now))),
    owner,
    'Seconds',
  );
  gauge(Metric.INBOX_FAILED, failed?.count ?? 0, owner);
}

/**
 * Returns the time since which a message waits: the time in its id. The index has keys only, and the ids of events contain
 * their times (UUIDv7). Of any other id, the time is that of its next attempt.
 */
function sinceOf({ pk, executeAt }: Item): string {
  const key = String(pk);
  const time = timeOfId(key.slice(key.indexOf('#') + 1));
  return time === undefined ? String(executeAt) : new Date(time).toISOString();
}

async function query(input: QueryCommandInput): Promise<{ readonly count: number; readonly items: readonly Item[] }> {
  const { Count = 0, Items = [] } = await documents.send(new QueryCommand(input));
  return { count: Count, items: Items };
}
