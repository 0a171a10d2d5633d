import { documentClient, queryItems } from '@orderly/kit/aws';
import { type Projection, readVersions, versionedKey } from '@orderly/kit/projection';
import * as z from 'zod/mini';
import type { OrderStore } from './aggregates.js';
import type { OrderView } from './contract.js';
import { type Order, type SealedFields, selectSealedFields, toView } from './domain/order.js';
import { summarize } from './domain/order-summary.js';
import { CUSTOMER_LISTS, LIST_SHAPE, LISTED_ORDER, ORDERS_LIST, placedPartition } from './keys.js';

const ORDER = `${LISTED_ORDER}#`;

/**
 * Returns an order's position in its customer's list. The list is newest first; ids break ties within a millisecond.
 */
export const orderPosition = ({ placedAt, orderId }: OrderView): string => `${placedAt}#${orderId}`;

/** Returns the position in the sort key of an order's row, in any version of the list. */
export const positionOf = (sortKey: string): string => sortKey.slice(sortKey.indexOf('#') + 1);

/** Content of a cursor: the `orderPosition` of some order. */
export const OrderPosition = z
  .string()
  .check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[0-9a-f]{32}$/, 'expected the time and id of an order'));

/** Projection of customers' order lists: a row for each order, in its customer's partition. */
export const createOrdersList = (orderStore: OrderStore): Projection<Order> => ({
  name: ORDERS_LIST,
  table: orderStore.table,
  aggregate: orderStore.aggregate,
  store: orderStore,
  partitions: CUSTOMER_LISTS,
  versionedKeys: ['sk', 'placedPk'],
  rowKeys: LISTED_ORDER,
  shape: LIST_SHAPE,
  row({ state, version, commits }) {
    const order = toView(state, version);
    if (!order) return undefined;
    // A list shows no address.
    const { deliverTo: _, ...sealed } = selectSealedFields(state);
    return {
      pk: CUSTOMER_LISTS + order.customerId,
      sk: ORDER + orderPosition(order),
      version,
      // Stored as text: an answer's fields keep their order, and a rebuilt row is identical to the byte.
      order: JSON.stringify(order),
      ...(Object.keys(sealed).length > 0 ? { sealed: JSON.stringify(sealed) } : {}),
      placedPk: placedPartition(order),
      summary: JSON.stringify(summarize(order, commits)),
    };
  },
  idOf: ({ sk }) => sk.slice(sk.lastIndexOf('#') + 1),
});

/** A row of the list, with its sealed data still sealed. */
export interface ListedOrder {
  readonly view: OrderView;
  readonly sealed: SealedFields;
}

/**
 * Reads a customer's orders, newest first, eventually consistent.
 * @param before position of the last order shown; it is a logical position, so it is valid in every version of the list
 * @param limit maximum number of orders
 * @returns one more than `limit` if there are more
 */
export async function readOrders(
  list: Projection<Order>,
  customerId: string,
  before: string | undefined,
  limit: number,
): Promise<readonly ListedOrder[]> {
  const { reads } = await readVersions(list, 'soon');
  const prefix = versionedKey(ORDER, reads);
  const query = {
    TableName: list.table,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': CUSTOMER_LISTS + customerId,
      ':first': prefix,
      // BETWEEN includes both bounds, so the code below drops the row that was shown last.
      ':last': prefix + (before ?? '~'),
    },
    ScanIndexForward: false,
  };
  const { items } = await queryItems(documentClient, query, { limit: limit + 2 });
  const orders = items.map(({ order, sealed = '{}' }) => ({
    view: JSON.parse(String(order)),
    sealed: JSON.parse(String(sealed)),
  }));
  return (orders as readonly ListedOrder[]).filter(({ view }) => orderPosition(view) !== before).slice(0, limit + 1);
}

/**
 * Reads a customer's newest orders since a time, newest first, eventually consistent. A row has at most 14 KB: 2 read units.
 * @param time ISO 8601, UTC
 * @param part.limit maximum number of orders
 * @param part.calls maximum number of calls, of 1 MB (128 read units) each: with fewer orders than there are. @default no limit
 */
export async function readNewestSince(
  list: Projection<Order>,
  customerId: string,
  time: string,
  part: { readonly limit: number; readonly calls?: number },
): Promise<readonly OrderView[]> {
  const { reads } = await readVersions(list, 'soon');
  const prefix = versionedKey(ORDER, reads);
  const query = {
    TableName: list.table,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': CUSTOMER_LISTS + customerId, ':first': prefix + time, ':last': `${prefix}~` },
    ScanIndexForward: false,
  };
  const { items } = await queryItems(documentClient, query, part);
  return items.map(({ order }) => JSON.parse(String(order)) as OrderView);
}
