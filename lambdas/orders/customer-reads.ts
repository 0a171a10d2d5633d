import { documentClient, type Item, queryItems } from '@orderly/kit/aws';
import type { OrderView } from './contract.js';
import { CUSTOMER_LISTS, LISTED_STATUS } from './keys.js';
import { positionOf } from './order-list.js';
import type { UserStatusCopy } from './user-status.js';

/**
 * Most orders that a new one is admitted by. An order of two lines has a row of 0.6 KB, so they are read for two units. However many
 * orders the customer has placed, a request reads no more.
 */
export const MAX_NEWEST = 25;

/** Facts about a customer that the list's partition has. */
export interface ListedCustomer {
  /** The copy of the user's status that lies beside the list; absent if none was stored there. */
  readonly status: UserStatusCopy | undefined;
  /** Newest orders, newest first. */
  readonly newest: readonly OrderView[];
  /** Whether there may be more orders. */
  readonly isCut: boolean;
}

/**
 * Reads a customer's status and newest orders by one query, eventually consistent. The status lies behind all orders in the partition, so
 * a query that begins with the newest order begins with it.
 *
 * It reads rows of every version of the list, without a look at the list's pointer: a row is no other fact in another version. While a
 * rebuild puts a second version beside the first one, an order counts once, as its newest row shows it; and fewer orders than usual are seen.
 * @param limit number of orders
 */
export async function readListedCustomer(table: string, customerId: string, limit: number): Promise<ListedCustomer> {
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': CUSTOMER_LISTS + customerId },
    ScanIndexForward: false,
  };
  const { items, next } = await queryItems(documentClient, query, { limit: limit + 1, calls: 1 });
  const [first] = items;
  const status = first?.sk === LISTED_STATUS ? (first as unknown as UserStatusCopy) : undefined;
  const rows = status ? items.slice(1) : items;
  return { status, newest: newestRows(rows.slice(0, limit)), isCut: next !== undefined || rows.length > limit };
}

/** Returns the orders of rows, newest first, each as its newest row shows it. */
function newestRows(rows: readonly Item[]): readonly OrderView[] {
  const newest = new Map<string, Item>();
  for (const row of rows) {
    const known = newest.get(positionOf(String(row.sk)));
    if (!known || Number(known.version) < Number(row.version)) newest.set(positionOf(String(row.sk)), row);
  }
  return [...newest]
    .toSorted(([one], [other]) => (one < other ? 1 : -1))
    .map(([, { order }]) => JSON.parse(String(order)) as OrderView);
}
