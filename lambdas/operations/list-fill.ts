import { GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  type CommandContext,
  firstVersionOf,
  parseVersions,
  pluralize,
  pointerKey,
  readNewestFeedEntries,
  type Service,
} from '@orderly/operator';
import { LIST_SHAPE, ORDER, ORDERS_LIST } from '../orders/keys.js';

type Context = Pick<CommandContext, 'documents' | 'clock' | 'command'>;

/** The version of the list that is read, and whether a rebuild has filled its index. */
export interface ReadList {
  readonly version: number;
  readonly isFilled: boolean;
}

/** Reads which version of the list is read, eventually consistent. */
export async function readList({ documents }: Context, { table }: Pick<Service, 'table'>): Promise<ReadList> {
  const { Item } = await documents.send(new GetCommand({ TableName: table, Key: pointerKey(ORDERS_LIST) }));
  const { reads, shape = 0 } = parseVersions(Item);
  return { version: reads, isFilled: shape >= LIST_SHAPE };
}

/**
 * Completeness of the list, as far as it is known.
 *
 * - `filled`: a rebuild of this release, or a later one, has made all rows, or the answer is from a customer's list.
 * - `compared`: no rebuild has, but every order of the feed in this time was found. So earlier releases have left none out.
 * - `incomplete`: orders of the feed are missing.
 * - `unknown`: no rebuild has, and the time has too many commits, or is too long, to be compared.
 */
export interface ListState {
  readonly state: 'filled' | 'compared' | 'incomplete' | 'unknown';
  /** Orders of the feed that the list does not have. */
  readonly missing?: number;
  readonly text?: string;
  /** Command that fills the list. */
  readonly next?: string;
}

/** Time that is compared at most: each of its hours is eight queries. */
const MAX_COMPARED_MS = 25 * 3_600_000;
/** Keys of the feed that are read at most: about 10 MB, and 1,300 read units. An order has about nine. */
const MAX_KEYS = 60_000;
/** An order that is younger may be on its way to the list. */
const ON_ITS_WAY_MS = 60_000;
/** Difference between an order's time and that of its commit's place in the feed, which its function takes one after the other. */
const MARGIN_MS = 5_000;

/**
 * Compares the list with the feed, which every release writes: rows of an earlier one are not in the index before a rebuild.
 * @param listed ids of all orders that the list has of the time
 */
export async function compareWithFeed(
  context: Context,
  service: Service,
  { from, to }: { readonly from: string; readonly to: string },
  listed: ReadonlySet<string>,
): Promise<ListState> {
  const next = context.command('projections', 'rebuild', ORDERS_LIST);
  const fill = 'A rebuild of the list, once after the deployment, adds the orders of earlier releases';
  const first = Date.parse(from) + MARGIN_MS;
  const last = Math.min(Date.parse(to) - MARGIN_MS, Date.parse(context.clock.now()) - ON_ITS_WAY_MS);
  const unknown = `Orders that an earlier release wrote may be missing. ${fill}.`;
  if (last - first > MAX_COMPARED_MS) return { state: 'unknown', text: unknown, next };
  if (last <= first) return { state: 'compared' };
  const prefix = `${ORDER}#`;
  const { entries, more } = await readNewestFeedEntries(context, service, { from: first, to: last, most: MAX_KEYS });
  const missing = entries.filter(
    ({ pk, sk }) => pk.startsWith(prefix) && firstVersionOf({ sk }) === 1 && !listed.has(pk.slice(prefix.length)),
  ).length;
  if (missing > 0) {
    const are = missing === 1 ? 'is' : 'are';
    const text = `${pluralize(missing, 'order')} of this time ${are} not in the list: an earlier release wrote them, or the list is behind. ${fill}.`;
    return { state: 'incomplete', missing, text, next };
  }
  return more ? { state: 'unknown', text: unknown, next } : { state: 'compared' };
}
