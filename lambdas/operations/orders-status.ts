import {
  type CommandContext,
  type Commit,
  firstVersionOf,
  formatDuration,
  type NewestFeedEntries,
  pluralize,
  readCommitsAt,
  readNewestFeedEntries,
  type StatusSection,
} from '@orderly/operator';
import { ordersContract } from '../orders/contract.js';

const HOUR = 3_600_000;
const PREFIX = 'Order#';
/** Orders whose ends are read at most, the newest: their commits cost at most about 5,000 read units. */
const MAX_ORDERS_READ = 1_000;
/** Keys of the feed that are read at most, the newest: about 10 MB, and 1,300 read units. */
const MAX_KEYS = 60_000;

/** How the orders of a time ended. */
export interface OrdersOfTime {
  /** Orders that were placed in this time; at least so many if there are `more`. */
  readonly placed: number;
  /** Whether there were more orders than were counted. */
  readonly more: boolean;
  /** Orders whose ends were read: all, or the newest. */
  readonly read: number;
  readonly approved: number;
  readonly rejected: number;
  readonly cancelled: number;
  /** Orders that are pending or under review. */
  readonly open: number;
  /** Seconds from placing to approving an order; absent if none was approved. */
  readonly approvedAfter?: { readonly p50: number; readonly p95: number };
}

/**
 * Reads how many orders were placed in the last hour and how they ended, from the feed and the orders' commits. It reads the
 * keys of the hour's commits, the newest first, and the commits of at most {@link MAX_ORDERS_READ} orders.
 * @param most number of keys that are read. If the hour has more, the orders are those of the newest keys
 */
export async function readOrdersSection(context: CommandContext, most = MAX_KEYS): Promise<StatusSection> {
  const service = context.services.find(({ name }) => name === ordersContract.service);
  if (!service) return { name: 'orders', rows: [], json: { ...countOrders({ placed: 0, more: false }, []) } };
  const to = Date.parse(context.clock.now());
  const feed = await readNewestFeedEntries(context, service, { from: to - HOUR, to, most });
  const newest = selectNewestOrders(feed);
  const read = feed.entries.filter(({ pk }) => newest.read.has(pk));
  const { commits } = await readCommitsAt(context, service, read);
  return toSection(countOrders(newest, commits));
}

interface Newest extends Pick<OrdersOfTime, 'placed' | 'more'> {
  readonly read: ReadonlySet<string>;
}

/** Returns how many orders were placed, and the keys of the newest ones. */
function selectNewestOrders({ entries, more }: NewestFeedEntries): Newest {
  const placed = entries
    .filter(({ pk, sk }) => pk.startsWith(PREFIX) && firstVersionOf({ sk }) === 1)
    .toSorted((one, other) => other.at - one.at);
  return { placed: placed.length, more, read: new Set(placed.slice(0, MAX_ORDERS_READ).map(({ pk }) => pk)) };
}

/** Counts how orders ended. It is a pure function. @param counted all orders of the time @param commits of those that were read */
export function countOrders(
  { placed, more }: Pick<OrdersOfTime, 'placed' | 'more'>,
  commits: readonly Commit[],
): OrdersOfTime {
  const orders = new Map<string, Commit[]>();
  for (const commit of commits) orders.set(commit.pk, [...(orders.get(commit.pk) ?? []), commit]);
  const ends = [...orders.values()].map((own) => {
    const findTime = (type: string): number | undefined => {
      const commit = own.find(({ events }) => events.some((event) => event.type === type));
      return commit && Date.parse(commit.at);
    };
    return {
      placed: findTime('OrderPlaced'),
      approved: findTime('OrderApproved'),
      rejected: findTime('OrderRejected'),
      cancelled: findTime('OrderCancelled'),
    };
  });
  const rejected = ends.filter((end) => end.rejected !== undefined).length;
  const cancelled = ends.filter((end) => end.cancelled !== undefined).length;
  const approved = ends.filter((end) => end.approved !== undefined && end.cancelled === undefined).length;
  const waits = ends
    .flatMap((end) => (end.placed === undefined || end.approved === undefined ? [] : [end.approved - end.placed]))
    .toSorted((one, other) => one - other);
  // Nearest rank: a time that an order has really taken.
  const percentile = (part: number): number => (waits[Math.ceil(part * waits.length) - 1] ?? 0) / 1000;
  return {
    placed,
    more,
    read: ends.length,
    approved,
    rejected,
    cancelled,
    open: ends.length - approved - rejected - cancelled,
    ...(waits.length > 0 && { approvedAfter: { p50: percentile(0.5), p95: percentile(0.95) } }),
  };
}

function toSection(orders: OrdersOfTime): StatusSection {
  const { placed, more, read, approved, rejected, cancelled, open, approvedAfter: after } = orders;
  const ends = [`${approved} approved`, `${rejected} rejected`, `${cancelled} cancelled`, `${open} in progress`].join(
    ', ',
  );
  const atLeast = more ? 'at least ' : '';
  const rate = `${atLeast}${pluralize(placed, 'order')} in the last hour, ${atLeast}${(placed / 60).toFixed(1)} a minute`;
  const seconds = (value: number): string => (value < 10 ? `${value.toFixed(1)} s` : formatDuration(value));
  return {
    name: 'orders',
    rows: [
      ['orders', placed === 0 ? rate : `${rate}: ${more || read < placed ? `of the newest ${read}, ` : ''}${ends}`],
      ...(after ? ([['approved after', `p50 ${seconds(after.p50)}, p95 ${seconds(after.p95)}`]] as const) : []),
    ],
    json: { ...orders },
  };
}
