import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import { documents, type Item } from '../aws/dynamodb.js';
import type { Difference } from './contract.js';
import { type Projection, putRow, type Row, stamped, unstamped } from './projection.js';
import { eachOf, type Part, rowsPage } from './replay.js';

/** An event that young may still be on its way to the projection: longer than a consumer's attempts take. */
const ON_ITS_WAY_SECONDS = 3_600;

interface Compared {
  readonly compared: number;
  readonly completed: number;
  readonly pending: number;
  readonly differences: readonly Difference[];
}

/** What came of one row. */
type Verdict = { readonly is: 'equal' | 'completed' | 'pending' } | { readonly is: Difference['kind'] };

/**
 * Compares a page of rows of the version that is read with the new one, byte for byte but for the version in their keys;
 * and completes the new one: the feed is an index, which may show a commit late, however late that is.
 *
 * The scan begins after the new version was named in the pointer, and is strongly consistent. So it meets each row whose
 * consumer did not put it into the new version itself (projection.ts), and what no consumer has put yet will be put into
 * both. After the last page the new version has everything that the old one has.
 */
export async function comparePage(
  projection: Projection,
  versions: { readonly reads: number; readonly builds: number },
  position: Item | undefined,
  pageSize: number,
): Promise<Part<Compared>> {
  const page = await rowsPage(projection, position, pageSize);
  const verdicts: { readonly id: string; readonly verdict: Verdict }[] = [];
  await eachOf(page.done, async (stored) => {
    const { version, row } = unstamped(projection, stored);
    if (version !== versions.reads && version !== versions.builds) return;
    // Where both versions have the row, it is compared once.
    if (version === versions.builds && (await stands(projection, row, versions.reads))) return;
    verdicts.push({ id: projection.idOf(row), verdict: await judge(projection, row, versions) });
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

async function judge(
  projection: Projection,
  { pk, sk, version }: Row,
  { reads, builds }: { readonly reads: number; readonly builds: number },
): Promise<Verdict> {
  const key = { pk, sk, version };
  // A consumer puts the new version's row first: read the other way round, its event would look like a difference.
  const read = await stands(projection, key, reads);
  const built = await stands(projection, key, builds);
  if (read && built?.version === read.version) return { is: bytesOf(read) === bytesOf(built) ? 'equal' : 'bytes' };
  const loaded = await projection.store.load(projection.idOf(read ?? key));
  const row = projection.row(loaded);
  const isFounded = row?.pk === pk && row.sk === sk && row.version >= (read?.version ?? 0);
  if (!row || !isFounded) return { is: 'unfounded' };
  if ((built?.version ?? 0) < (read?.version ?? 0)) {
    await putRow(projection, row, builds);
    const isSame = !read || read.version < row.version || bytesOf(read) === bytesOf(row);
    return { is: isSame ? 'completed' : 'bytes' };
  }
  const newest = loaded.commits.at(-1)?.at ?? clock.now();
  return { is: secondsBetween(newest, clock.now()) < ON_ITS_WAY_SECONDS ? 'pending' : 'behind' };
}

/** The row of a version as it would be in version 1, strongly consistent. */
async function stands(projection: Projection, row: Row, version: number): Promise<Row | undefined> {
  const { pk, sk } = stamped(projection, row, version);
  const { Item } = await documents.send(
    new GetCommand({ TableName: projection.table, Key: { pk, sk }, ConsistentRead: true }),
  );
  return Item && unstamped(projection, Item as Row).row;
}

/** Attributes come in no order. */
const bytesOf = (row: Row): string =>
  JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
