import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { versionedKey } from '@orderly/operator';
import type { OrderView } from '../orders/contract.js';
import { describeOrder, type OrderSummary } from '../orders/domain/order-summary.js';
import { CUSTOMER_LISTS, dayOf, PLACED_INDEX, placedPartitions } from '../orders/keys.js';

/** An order, as operators list it. */
export interface PlacedOrder extends OrderSummary, Pick<OrderView, 'orderId' | 'customerId' | 'placedAt'> {}

/** Returns the place of an order among all orders: they are in the order of time. */
export const positionOf = ({ placedAt, orderId }: Pick<PlacedOrder, 'placedAt' | 'orderId'>): string =>
  `${placedAt}#${orderId}`;

/** Where and of which time orders are read. */
export interface PlacedSpan {
  readonly table: string;
  /** Version of the list that is read. */
  readonly version: number;
  /** Time from which and before which they were placed, ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** Reads the list of one customer, which every release has filled, instead of the index. */
  readonly customer?: string | undefined;
  /** Position before which orders are read. @default the end of the time */
  readonly before?: string | undefined;
}

/** Orders that were read in one go: newest first, without a gap, and older than all that came before them. */
export interface PlacedRound {
  readonly orders: readonly PlacedOrder[];
  /** Number of queries, of a megabyte at most. */
  readonly calls: number;
  /** Position down to which everything was read. */
  readonly reached: string;
}

/**
 * Reads the orders of a time, newest first, eventually consistent, for as long as its reader continues. Each round is a query of
 * each shard of a day. A megabyte has about 2,500 orders, and costs 128 read units.
 * @param pageSize number of orders of a query
 */
export async function* readPlacedOrders(
  documents: DynamoDBDocumentClient,
  span: PlacedSpan,
  pageSize: number,
): AsyncGenerator<PlacedRound> {
  const prefix = versionedKey('ORDER#', span.version);
  const last = span.before !== undefined && span.before < span.to ? span.before : span.to;
  const parts = span.customer === undefined ? listDays(span.from, last) : [{ from: span.from, to: last }];
  for (const { from, to } of parts) {
    const queries = listPartitions(span, from).map((partition) => ({
      TableName: span.table,
      ...partition,
      KeyConditionExpression: `${partition.IndexName ? 'placedPk' : 'pk'} = :partition AND sk BETWEEN :first AND :last`,
      ExpressionAttributeValues: { ':partition': partition.key, ':first': prefix + from, ':last': prefix + to },
      ScanIndexForward: false,
      Limit: pageSize,
    }));
    yield* readRounds(documents, queries, from, span.before);
  }
}

/** Cuts a time into its days, the newest first. */
function listDays(from: string, to: string): readonly { readonly from: string; readonly to: string }[] {
  const days: { readonly from: string; readonly to: string }[] = [];
  for (let end = to; end > from; ) {
    // The moment before: the end is no part of the time.
    const midnight = `${dayOf(new Date(Date.parse(end.slice(0, 24)) - (end.length > 24 ? 0 : 1)).toISOString())}T00:00:00.000Z`;
    days.push({ from: midnight > from ? midnight : from, to: end });
    end = midnight;
  }
  return days;
}

interface Partition {
  readonly key: string;
  readonly IndexName?: string;
}

const listPartitions = ({ customer, version }: PlacedSpan, from: string): readonly Partition[] =>
  customer === undefined
    ? placedPartitions(dayOf(from)).map((key) => ({ key: versionedKey(key, version), IndexName: PLACED_INDEX }))
    : [{ key: CUSTOMER_LISTS + customer }];

interface Shard {
  readonly query: QueryCommandInput;
  next?: QueryCommandInput['ExclusiveStartKey'];
  isDone: boolean;
}

/** Reads partitions side by side. What one of them has read beyond the others is held back, so that rounds have no gap. */
async function* readRounds(
  documents: DynamoDBDocumentClient,
  queries: readonly (QueryCommandInput & { readonly key: string })[],
  from: string,
  before: string | undefined,
): AsyncGenerator<PlacedRound> {
  const shards: Shard[] = queries.map(({ key: _, ...query }) => ({ query, isDone: false }));
  let held: readonly PlacedOrder[] = [];
  for (;;) {
    const open = shards.filter(({ isDone }) => !isDone);
    if (open.length === 0) return;
    const pages = await Promise.all(open.map((shard) => readPage(documents, shard)));
    const behind = open.flatMap(({ next }) => (next ? [parsePosition(String(next.sk))] : []));
    const reached = behind.reduce((one, other) => (one > other ? one : other), from);
    const all = [...held, ...pages.flat()].filter((order) => positionOf(order) !== before);
    held = all.filter((order) => positionOf(order) < reached);
    const orders = all
      .filter((order) => positionOf(order) >= reached)
      .toSorted((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
    yield { orders, calls: open.length, reached };
  }
}

async function readPage(documents: DynamoDBDocumentClient, shard: Shard): Promise<readonly PlacedOrder[]> {
  const { Items = [], LastEvaluatedKey } = await documents.send(
    new QueryCommand({ ...shard.query, ...(shard.next && { ExclusiveStartKey: shard.next }) }),
  );
  shard.next = LastEvaluatedKey;
  shard.isDone = LastEvaluatedKey === undefined;
  return Items.map(parseRow);
}

/** Returns an order's position from the sort key of its row, in any version of the list. */
const parsePosition = (sk: string): string => sk.slice(sk.indexOf('#') + 1);

/** Reads a row. That of a release without summaries has the order itself, and only in its customer's list. */
export function parseRow({ pk, sk, summary, order }: Readonly<Record<string, unknown>>): PlacedOrder {
  const [placedAt = '', orderId = ''] = parsePosition(String(sk)).split('#');
  const customerId = String(pk).slice(CUSTOMER_LISTS.length);
  const told =
    summary === undefined
      ? describeOrder(JSON.parse(String(order)) as OrderView)
      : (JSON.parse(String(summary)) as OrderSummary);
  return { orderId, customerId, placedAt, ...told };
}
