import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { documents } from '../../packages/kit/aws/dynamodb.js';
import { type Projection, versionsOf } from '../../packages/kit/projection/projection.js';
import { inVersion } from '../../packages/kit/projection/versions.js';
import type { OrderView } from './contract.js';
import { type Order, type SealedFields, sealedIn, viewOf } from './domain/order.js';
import { orderStore } from './order-store.js';

const CUSTOMER = 'CUSTOMER#';
const ORDER = 'ORDER#';

/** Where an order stands in its customer's list: newest first, ids where two were placed in one millisecond. */
export const positionOfOrder = ({ placedAt, orderId }: OrderView): string => `${placedAt}#${orderId}`;

/** What a cursor may hold: `positionOfOrder` of some order. */
export const OrderPosition = z
  .string()
  .check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[0-9a-f]{32}$/, 'expected the time and id of an order'));

/** Customers' lists of orders: a row for each order, in its customer's partition. */
export const ordersList: Projection<Order> = {
  name: 'orders-list',
  table: orderStore.table,
  aggregate: orderStore.aggregate,
  store: orderStore,
  partitions: CUSTOMER,
  versionedKeys: ['sk'],
  row({ state, version }) {
    const order = viewOf(state, version);
    if (!order) return undefined;
    // A list shows no address.
    const { deliverTo: _, ...sealed } = sealedIn(state);
    return {
      pk: CUSTOMER + order.customerId,
      sk: ORDER + positionOfOrder(order),
      version,
      // As text: an answer's fields keep their order, and a rebuilt row is the same to the byte.
      order: JSON.stringify(order),
      ...(Object.keys(sealed).length > 0 ? { sealed: JSON.stringify(sealed) } : {}),
    };
  },
  idOf: ({ sk }) => sk.slice(sk.lastIndexOf('#') + 1),
};

/** A row of the list: nothing in it was opened. */
export interface ListedOrder {
  readonly view: OrderView;
  readonly sealed: SealedFields;
}

/**
 * A customer's orders, newest first, eventually consistent.
 * @param before position of the last order shown: logical, so that it holds in whichever version is read
 * @param limit at most so many
 * @returns one more than `limit` where there are more
 */
export async function ordersOf(
  customerId: string,
  before: string | undefined,
  limit: number,
): Promise<readonly ListedOrder[]> {
  const { reads } = await versionsOf(ordersList, 'soon');
  const prefix = inVersion(ORDER, reads);
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: ordersList.table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': CUSTOMER + customerId,
        ':first': prefix,
        // BETWEEN takes its ends in: the row shown last is left out below.
        ':last': prefix + (before ?? '~'),
      },
      ScanIndexForward: false,
      Limit: limit + 2,
    }),
  );
  const orders = Items.map(({ order, sealed = '{}' }) => ({ view: JSON.parse(order), sealed: JSON.parse(sealed) }));
  return (orders as readonly ListedOrder[]).filter(({ view }) => positionOfOrder(view) !== before).slice(0, limit + 1);
}

/**
 * Reads a customer's newest orders since a time, newest first, eventually consistent. It is one page of DynamoDB: at most
 * 1 MB, 128 read units. An order that is PENDING has a row of at most 8 KB, so over a hundred of the largest are seen.
 * @param time ISO 8601, UTC
 * @param limit at most so many
 */
export async function newestSince(customerId: string, time: string, limit: number): Promise<readonly OrderView[]> {
  const { reads } = await versionsOf(ordersList, 'soon');
  const prefix = inVersion(ORDER, reads);
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: ordersList.table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': CUSTOMER + customerId, ':first': prefix + time, ':last': `${prefix}~` },
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  return Items.map(({ order }) => JSON.parse(order) as OrderView);
}
