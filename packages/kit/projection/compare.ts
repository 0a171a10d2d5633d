import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import { documentClient, type Item } from '../aws/dynamodb.js';
import { mapConcurrently } from '../aws/map-concurrently.js';
import type { AggregateLoader } from './aggregate-loader.js';
import type { Difference } from './contract.js';
import { type Projection, putRow, type Row, withoutVersion, withVersion } from './projection.js';
import { CONCURRENCY, type PageResult, scanRows } from './replay.js';

/**
 * Seconds for which an event may still be on its way to the projection. It is longer than a consumer's attempts take.
 */
const ON_ITS_WAY_SECONDS = 3_600;

interface Compared {
  readonly compared: number;
  readonly completed: number;
  readonly pending: number;
  readonly differences: readonly Difference[];
}

/** Result of the comparison of one row. */
type Verdict = { readonly is: 'equal' | 'completed' | 'pending' } | { readonly is: Difference['kind'] };

/**
 * Compares a page of rows of the current version with the new version, byte for byte except for the version in their
 * keys. It also completes the new version: the feed is an index, which may show a commit late, however late that is.
 *
 * The scan is strongly consistent, and begins after the pointer named the new version. A row that is not in the new
 * version yet is in one of two cases:
 *
 * - Its consumer put it into the old version only (projection.ts). Then the scan finds it.
 * - No consumer has put it at all. Then its consumer will put it into both versions.
 *
 * So after the last page, the new version has everything that the old version has.
 */
export async function comparePage(
  projection: Projection,
  loading: AggregateLoader,
  versions: { readonly reads: number; readonly builds: number },
  position: Item | undefined,
  pageSize: number,
): Promise<PageResult<Compared>> {
  const page = await scanRows(projection, position, pageSize);
  const verdicts: { readonly id: string; readonly verdict: Verdict }[] = [];
  await mapConcurrently(page.done, CONCURRENCY, async (stored) => {
    const { version, row } = withoutVersion(projection, stored);
    if (version !== versions.reads && version !== versions.builds) return;
    // If both versions have the row, it is compared once.
    if (version === versions.builds && (await readRow(projection, row, versions.reads))) return;
    verdicts.push({ id: projection.idOf(row), verdict: await compareRow(projection, loading, row, versions) });
  });
  const count = (is: Verdict['is']): number => verdicts.filter(({ verdict }) => verdict.is === is).length;
  return {
    position: page.position,
    done: {
      compared: verdicts.length,
      completed: count('completed'),
      pending: count('pending'),
      differences: verdicts.flatMap(({ id, verdict: { is } }) =>
        is === 'bytes' || is === 'behind' || is === 'unfounded'
          ? [{ subject: `${projection.aggregate}/${id}`, kind: is }]
          : [],
      ),
    },
  };
}

async function compareRow(
  projection: Projection,
  loading: AggregateLoader,
  { pk, sk, version }: Row,
  { reads, builds }: { readonly reads: number; readonly builds: number },
): Promise<Verdict> {
  const key = { pk, sk, version };
  // A consumer puts the row of the new version first. If this code read the new version first, the consumer's event
  // would look like a difference.
  const read = await readRow(projection, key, reads);
  const built = await readRow(projection, key, builds);
  if (read && built?.version === read.version)
    return { is: serializeRow(read) === serializeRow(built) ? 'equal' : 'bytes' };
  const loaded = await loading.load(projection.idOf(read ?? key));
  // The replay has reported it. What its row showed so far is the best that there is.
  if (!('state' in loaded)) {
    if (read) await putRow(projection, read, builds);
    return { is: 'completed' };
  }
  const row = projection.row(loaded);
  const isFounded = row?.pk === pk && row.sk === sk && row.version >= (read?.version ?? 0);
  if (!row || !isFounded) return { is: 'unfounded' };
  if ((built?.version ?? 0) < (read?.version ?? 0)) {
    await putRow(projection, row, builds);
    const isSame = !read || read.version < row.version || serializeRow(read) === serializeRow(row);
    return { is: isSame ? 'completed' : 'bytes' };
  }
  const newest = loaded.commits.at(-1)?.at ?? clock.now();
  return { is: secondsBetween(newest, clock.now()) < ON_ITS_WAY_SECONDS ? 'pending' : 'behind' };
}

/** Reads the row of a version, strongly consistent. Returns it with the keys of version 1. */
export async function readRow(projection: Projection, row: Row, version: number): Promise<Row | undefined> {
  const { pk, sk } = withVersion(projection, row, version);
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: projection.table, Key: { pk, sk }, ConsistentRead: true }),
  );
  return Item && withoutVersion(projection, Item as Row).row;
}

/** Returns the content of a row as text. It sorts the attributes, because DynamoDB returns them in any order. */
const serializeRow = (row: Row): string =>
  JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
