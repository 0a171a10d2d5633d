import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { coalesceReads } from '../aws/coalesce-reads.js';
import { documentClient, type Item } from '../aws/dynamodb.js';
import type { EventStore, Loaded } from '../event-store/event-store.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Versions } from './contract.js';
import { listLiveVersions, parseKeyVersion, parseVersions, pointerKey, versionedKey } from './versions.js';

/** A row of a projection, with the keys of version 1. */
export type Row = Item & { readonly pk: string; readonly sk: string; readonly version: number };

/**
 * A projection (read model): rows in their service's own table, one row for each aggregate.
 *
 * A row follows from its aggregate alone. The same history up to the same version gives the same row, byte for byte,
 * whoever puts it and whenever.
 * @example
 * const orderList: Projection<Order> = {
 *   name: 'order-list',
 *   table: requireEnv(Env.TABLE),
 *   aggregate: 'Order',
 *   store: orderStore,
 *   partitions: 'ORDERS#',
 *   versionedKeys: ['sk'],
 *   row: ({ id, state, version }) =>
 *     state.status === 'NONE'
 *       ? undefined
 *       : { pk: `ORDERS#${state.customerId}`, sk: `ORDER#${id}`, version, status: state.status },
 *   idOf: ({ sk }) => sk.slice('ORDER#'.length),
 * };
 */
export interface Projection<State = unknown> {
  /** Name of the projection and of its consumer. Never change it. */
  readonly name: string;
  readonly table: string;
  /** Type of the aggregates that the projection shows, for example `Order`. */
  readonly aggregate: string;
  readonly store: Pick<EventStore<State, AnyEvent>, 'load'>;
  /** Prefix of the partition keys of its rows. No other item of the table has it, but for those that `rowKeys` leaves out. */
  readonly partitions: string;
  /**
   * First word of its rows' sort keys, in capitals: other items of its partitions begin with another word, and no rebuild touches them.
   * @default every item of its partitions is a row
   */
  readonly rowKeys?: string;
  /**
   * Names of the keys that contain the version: the sort key, and an index's partition key if the rows are in an index.
   */
  readonly versionedKeys: readonly string[];
  /**
   * Number of the rows' shape. Raise it with an attribute that a reader needs in every row, such as the key of a new index: a
   * rebuild by this release marks its version with it (`Versions.shape`), so the reader knows whether earlier releases have left
   * rows without the attribute. Begin that rebuild when all functions run this release; after a rollback, rebuild again.
   * @default rows have had one shape only
   */
  readonly shape?: number;
  /** Returns the row of an aggregate, or `undefined` if it has none. */
  row(loaded: Loaded<State>): Row | undefined;
  /** Returns the id of the aggregate that a row shows. */
  idOf(row: Row): string;
}

/**
 * Reads the versions of a projection.
 * @param read `newest` is strongly consistent. `soon` costs half and may be slightly outdated. That is enough for a
 *   list, because a version is kept for a minute after lists stop reading it.
 */
export async function readVersions(
  { table, name }: Pick<Projection, 'table' | 'name'>,
  read: 'newest' | 'soon',
): Promise<Versions> {
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: table, Key: pointerKey(name), ConsistentRead: read === 'newest' }),
  );
  return parseVersions(Item);
}

/** Pointers of this execution environment's projections. The messages of a batch share their reads of one. */
const pointers = new WeakMap<object, () => Promise<Versions>>();

function readNewestVersions(projection: Pick<Projection, 'table' | 'name'>): Promise<Versions> {
  const read = pointers.get(projection) ?? coalesceReads(() => readVersions(projection, 'newest'));
  pointers.set(projection, read);
  return read();
}

/** Returns the row with the keys of a version. */
export const withVersion = (projection: Projection, row: Row, version: number): Row =>
  withKeys(projection, row, (key) => versionedKey(key, version));

/** Returns a stored row's version, and the row with the keys of version 1. So rows of two versions can be compared. */
export const withoutVersion = (projection: Projection, row: Row): { readonly version: number; readonly row: Row } => ({
  version: parseKeyVersion(row.sk),
  row: withKeys(projection, row, (key) => versionedKey(key, 1)),
});

const withKeys = ({ versionedKeys }: Projection, row: Row, change: (key: string) => string): Row => ({
  ...row,
  ...Object.fromEntries(
    versionedKeys.flatMap((name) => (typeof row[name] === 'string' ? [[name, change(row[name])]] : [])),
  ),
});

/** Puts a row into one version, unless a newer row is there. So it does not matter who puts it, how often, and when. */
export async function putRow(projection: Projection, row: Row, version: number): Promise<'applied' | 'duplicate'> {
  const isNewer = 'attribute_not_exists(pk) OR version < :version';
  try {
    await documentClient.send(
      new PutCommand({
        TableName: projection.table,
        Item: withVersion(projection, row, version),
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
 * Projects the current state of an aggregate, at any of its events: puts its row into the current version, and into the
 * version that a rebuild is building. It reads the pointer once more after the put, because a rebuild may begin in
 * between:
 *
 *     consumer of a new order's first event    rebuild
 *     pointer: version 1 is read, none built
 *                                              pointer: version 2 is being built
 *                                              reads the feed, whose index doesn't show the order yet
 *                                              compares the versions: neither has the order
 *     puts the row into version 1
 *                                              pointer: version 2 is read
 *     pointer: version 2 is read
 *     puts the row into version 2, too; without this second read the order would be in no list any more
 *
 * So every event is in one of two cases. If its consumer read the pointer for the last time after the rebuild began,
 * the consumer put the row into the new version. Otherwise its row was in the old version before the rebuild began, so
 * the comparison finds it (compare.ts). There is no third case: a consumer that crashes before its last read receives
 * its message again.
 * @example
 * on(orderEvents, {
 *   OrderPlaced: ({ event }) => ({ project: async () => updateProjection(orderList, await orderStore.load(event.data.orderId)) }),
 * });
 * @returns `duplicate` if every version already had the row
 */
export async function updateProjection<State>(
  projection: Projection<State>,
  loaded: Loaded<State>,
): Promise<'applied' | 'duplicate'> {
  const row = projection.row(loaded);
  if (!row) return 'duplicate';
  let outcome: 'applied' | 'duplicate' = 'duplicate';
  const shown = new Set<number>();
  for (;;) {
    const versions = listLiveVersions(await readNewestVersions(projection));
    const missing = versions.filter((version) => !shown.has(version));
    if (missing.length === 0) return outcome;
    for (const version of missing) {
      if ((await putRow(projection, row, version)) === 'applied') outcome = 'applied';
      shown.add(version);
    }
  }
}
