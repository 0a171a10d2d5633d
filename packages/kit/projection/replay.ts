import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type Item } from '../aws/dynamodb.js';
import { aggregateKey, commitKey } from '../messages/commit.js';
import { FEED_INDEX } from './contract.js';
import { type Projection, putRow, type Row, unstamped } from './projection.js';

/** Calls under way at once. */
const CONCURRENCY = 50;

/** A part of a phase: where the next part begins, none where this was the last; and what was done. */
export interface Part<Done> {
  readonly position: Item | undefined;
  readonly done: Done;
}

/**
 * Replays a page of the feed into a version: loads each aggregate once, at its first commit, of which it has exactly one
 * for ever; so nothing has to be remembered of those that were seen. The load is strongly consistent and has every event
 * until then, so that neither the feed's order nor events that come meanwhile matter.
 *
 * A page is one of a Scan: an aggregate needs no order between its commits here, and hours without any cost nothing.
 */
export async function replayPage(
  projection: Projection,
  version: number,
  position: Item | undefined,
  pageSize: number,
): Promise<Part<{ readonly commits: number; readonly aggregates: number }>> {
  const { Items, ScannedCount, LastEvaluatedKey } = await documents.send(
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
  await eachOf(first, async ({ pk }) => {
    const row = projection.row(await projection.store.load(pk.slice(ofType.length)));
    if (row) await putRow(projection, row, version);
  });
  return { position: LastEvaluatedKey, done: { commits: ScannedCount ?? 0, aggregates: first.length } };
}

/**
 * A page of a projection's rows, of whichever version. Strongly consistent: "all of the write operations that completed
 * before the Scan began are guaranteed to be contained in the Scan response" (AWS, API reference of Scan).
 */
export async function rowsPage(
  { table, partitions }: Projection,
  position: Item | undefined,
  pageSize: number,
): Promise<Part<readonly Row[]>> {
  const { Items, LastEvaluatedKey } = await documents.send(
    new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      FilterExpression: 'begins_with(pk, :partitions)',
      ExpressionAttributeValues: { ':partitions': partitions },
      Limit: pageSize,
      ...(position ? { ExclusiveStartKey: position } : {}),
    }),
  );
  return { position: LastEvaluatedKey, done: (Items ?? []) as Row[] };
}

/**
 * Deletes a page of the versions that were begun until now, but for the one that stays. Versions are never used again, so
 * a runner that wakes up late deletes nothing of a later rebuild.
 */
export async function deletePage(
  projection: Projection,
  { keeps, upTo }: { readonly keeps: number; readonly upTo: number },
  position: Item | undefined,
  pageSize: number,
): Promise<Part<number>> {
  const page = await rowsPage(projection, position, pageSize);
  const old = page.done.filter((row) => {
    const { version } = unstamped(projection, row);
    return version <= upTo && version !== keeps;
  });
  await eachOf(old, async ({ pk, sk }) => {
    await documents.send(new DeleteCommand({ TableName: projection.table, Key: { pk, sk } }));
  });
  return { position: page.position, done: old.length };
}

/** Works on all, so many at once. @throws the first failure; others may have been done */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
}
