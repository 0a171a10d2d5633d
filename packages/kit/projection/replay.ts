import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, type Item } from '../aws/dynamodb.js';
import { FEED_INDEX } from '../aws/indexes.js';
import { mapConcurrently } from '../aws/map-concurrently.js';
import { commitKey } from '../messages/commit.js';
import { aggregateKey } from '../messages/keys.js';
import type { AggregateLoader } from './aggregate-loader.js';
import type { Difference } from './contract.js';
import { type Projection, putRow, type Row, withoutVersion } from './projection.js';

/** Number of concurrent calls. */
export const CONCURRENCY = 50;

/**
 * Part of a phase: the work that was done, and the start of the next part. `position` is absent after the last part.
 */
export interface PageResult<Done> {
  readonly position: Item | undefined;
  readonly done: Done;
}

/**
 * Replays a page of the feed into a version.
 *
 * It loads each aggregate once, at its first commit. Every aggregate has exactly one first commit, so the aggregates
 * that were seen need not be remembered. The load is strongly consistent and includes every event so far, so neither
 * the feed's order nor concurrent events matter.
 *
 * A page is a page of a Scan, because the order of an aggregate's commits does not matter here, and a Scan spends
 * nothing on hours without commits.
 */
export async function replayPage(
  projection: Projection,
  loading: AggregateLoader,
  version: number,
  position: Item | undefined,
  pageSize: number,
): Promise<PageResult<Replayed>> {
  const { Items, ScannedCount, LastEvaluatedKey } = await documentClient.send(
    new ScanCommand({
      TableName: projection.table,
      IndexName: FEED_INDEX,
      ProjectionExpression: 'pk, sk',
      Limit: pageSize,
      ...(position ? { ExclusiveStartKey: position } : {}),
    }),
  );
  const ofType = aggregateKey(projection.aggregate, '');
  const first = (Items ?? []).filter(({ pk, sk }) => sk === commitKey(1) && pk.startsWith(ofType));
  const unreadable: Difference[] = [];
  await mapConcurrently(first, CONCURRENCY, async ({ pk }) => {
    const loaded = await loading.load(pk.slice(ofType.length));
    if (!('state' in loaded)) {
      if (loaded.difference) unreadable.push(loaded.difference);
      return;
    }
    const row = projection.row(loaded);
    if (row) await putRow(projection, row, version);
  });
  return { position: LastEvaluatedKey, done: { commits: ScannedCount ?? 0, aggregates: first.length, unreadable } };
}

interface Replayed {
  readonly commits: number;
  readonly aggregates: number;
  /** Aggregates that can't be loaded, and whose failures no operator has discarded. */
  readonly unreadable: readonly Difference[];
}

/**
 * Reads a page of a projection's rows, of all versions. It is strongly consistent: "all of the write operations that
 * completed before the Scan began are guaranteed to be contained in the Scan response" (AWS, API reference of Scan).
 */
export async function scanRows(
  { table, partitions, rowKeys }: Projection,
  position: Item | undefined,
  pageSize: number,
): Promise<PageResult<readonly Row[]>> {
  const { Items, LastEvaluatedKey } = await documentClient.send(
    new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      FilterExpression: `begins_with(pk, :partitions)${rowKeys === undefined ? '' : ' AND begins_with(sk, :rows)'}`,
      ExpressionAttributeValues: { ':partitions': partitions, ...(rowKeys !== undefined && { ':rows': rowKeys }) },
      Limit: pageSize,
      ...(position ? { ExclusiveStartKey: position } : {}),
    }),
  );
  return { position: LastEvaluatedKey, done: (Items ?? []) as Row[] };
}

/**
 * Deletes a page of the versions that were begun so far, except the version that stays. Version numbers are never used
 * again, so a delayed runner deletes nothing of a later rebuild.
 */
export async function deletePage(
  projection: Projection,
  { keeps, upTo }: { readonly keeps: number; readonly upTo: number },
  position: Item | undefined,
  pageSize: number,
): Promise<PageResult<number>> {
  const page = await scanRows(projection, position, pageSize);
  const old = page.done.filter((row) => {
    const { version } = withoutVersion(projection, row);
    return version <= upTo && version !== keeps;
  });
  await mapConcurrently(old, CONCURRENCY, async ({ pk, sk }) => {
    await documentClient.send(new DeleteCommand({ TableName: projection.table, Key: { pk, sk } }));
  });
  return { position: page.position, done: old.length };
}
