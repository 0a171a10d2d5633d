import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type Item } from '../aws/dynamodb.js';
import type { EventStore, Loaded } from '../event-store/event-store.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Versions } from './contract.js';
import { inVersion, liveVersions, pointerKey, versionOf, versionsIn } from './versions.js';

/** A row as its projection makes it, with the keys of version 1. */
export type Row = Item & { readonly pk: string; readonly sk: string; readonly version: number };

/**
 * Rows that are shown of aggregates, one each, in their service's own table. A row follows from its aggregate alone: the
 * same history up to the same version is the same row, byte for byte, whoever puts it and whenever.
 */
export interface Projection<State = unknown> {
  /** Pinned; the name of its consumer too. */
  readonly name: string;
  readonly table: string;
  /** Type of the aggregates that it shows: `Order`. */
  readonly aggregate: string;
  readonly store: Pick<EventStore<State, AnyEvent>, 'load'>;
  /** Its rows, and nothing else, have partition keys that begin so. */
  readonly partitions: string;
  /** The keys that say the version: the sort key, and an index's partition key where the rows are in one. */
  readonly versionedKeys: readonly string[];
  /** The row of an aggregate; nothing where it has none. */
  row(loaded: Loaded<State>): Row | undefined;
  /** Of which aggregate a row is. */
  idOf(row: Row): string;
}

/**
 * Which versions there are.
 * @param read `newest` is strongly consistent; `soon` costs half and may be a moment late, which is enough for a list: a
 *   version that isn't read any more is kept for a minute
 */
export async function versionsOf(
  { table, name }: Pick<Projection, 'table' | 'name'>,
  read: 'newest' | 'soon',
): Promise<Versions> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: table, Key: pointerKey(name), ConsistentRead: read === 'newest' }),
  );
  return versionsIn(Item);
}

/** The row with the keys of a version. */
export const stamped = (projection: Projection, row: Row, version: number): Row =>
  withKeys(projection, row, (key) => inVersion(key, version));

/** A stored row: its version, and what it would be in version 1, so that two versions of it can be compared. */
export const unstamped = (projection: Projection, row: Row): { readonly version: number; readonly row: Row } => ({
  version: versionOf(row.sk),
  row: withKeys(projection, row, (key) => inVersion(key, 1)),
});

const withKeys = ({ versionedKeys }: Projection, row: Row, change: (key: string) => string): Row => ({
  ...row,
  ...Object.fromEntries(
    versionedKeys.flatMap((name) => (typeof row[name] === 'string' ? [[name, change(row[name])]] : [])),
  ),
});

/** Puts a row into one version unless a newer one stands there: so it doesn't matter who puts it, how often, and when. */
export async function putRow(projection: Projection, row: Row, version: number): Promise<'applied' | 'duplicate'> {
  const isNewer = 'attribute_not_exists(pk) OR version < :version';
  try {
    await documents.send(
      new PutCommand({
        TableName: projection.table,
        Item: stamped(projection, row, version),
        ConditionExpression: isNewer,
        ExpressionAttributeValues: { ':version': row.version },
      }),
    );
    return 'applied';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'duplicate';
    throw error;
  }
}

/**
 * Shows an aggregate as it is now, at any of its events: its row goes into the version that is read and into the one
 * that is being built. The pointer is read once more behind the put, since a rebuild may begin in between:
 *
 *     consumer of a new order's first event    rebuild
 *     pointer: version 1 is read, none built
 *                                              pointer: version 2 is being built
 *                                              reads the feed, whose index doesn't show the order yet
 *                                              compares the versions: neither has the order
 *     puts the row into version 1
 *                                              pointer: version 2 is read
 *     pointer: version 2 is read
 *     puts the row into version 2, too; without this look the order would be in no list any more
 *
 * So an event whose consumer looked last after the rebuild had begun is in the new version by its consumer. Any other
 * one had its row in the old version before that, where the comparison meets it (compare.ts). There is no third kind: a
 * consumer that died before its last look gets its message again.
 *
 * @returns `duplicate` where every version had it already
 */
export async function show<State>(
  projection: Projection<State>,
  loaded: Loaded<State>,
): Promise<'applied' | 'duplicate'> {
  const row = projection.row(loaded);
  if (!row) return 'duplicate';
  let outcome: 'applied' | 'duplicate' = 'duplicate';
  const shown = new Set<number>();
  for (;;) {
    const versions = liveVersions(await versionsOf(projection, 'newest'));
    const missing = versions.filter((version) => !shown.has(version));
    if (missing.length === 0) return outcome;
    for (const version of missing) {
      if ((await putRow(projection, row, version)) === 'applied') outcome = 'applied';
      shown.add(version);
    }
  }
}
