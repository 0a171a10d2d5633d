import { documentClient, queryItems, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import * as z from 'zod/mini';
import type { Order } from './domain/order.js';
import { REVIEWS } from './keys.js';

// The orders under review, by user, in one partition of the service's table. Whatever starts or ends a review writes the
// order's entry in the same transaction, so the list is exact.

/** Position of an order in the list, which is also the content of a cursor. Ids of users contain no `#`. */
export const ReviewPosition = z
  .string()
  .check(z.regex(/^[^#]+#[0-9a-f]{32}$/, 'expected the ids of a user and an order'));

const keyOf = (userId: string, orderId: string) => ({ pk: REVIEWS, sk: `${userId}#${orderId}` });

/** Returns the write that lists an order under review. */
export const beginReviewWrite = (table: Table, userId: string, orderId: string): TransactWriteItem => ({
  Put: { TableName: table.name, Item: keyOf(userId, orderId) },
});

/** Returns the write that takes an order out of the list. */
export const endReviewWrite = (table: Table, userId: string, orderId: string): TransactWriteItem => ({
  Delete: { TableName: table.name, Key: keyOf(userId, orderId) },
});

/** Returns the write that takes an order out of the list if it is under review before it ends; none otherwise. */
export const leaveReviewWrites = (table: Table, before: Order): readonly TransactWriteItem[] =>
  before.status === 'UNDER_REVIEW' ? [endReviewWrite(table, before.customerId, before.orderId)] : [];

/**
 * Reads the ids of orders under review, by user and order, strongly consistent.
 * @param of.userId only this user's
 * @param of.after position of the last order shown
 * @param limit maximum number of orders
 */
export async function readOpenReviews(
  table: Table,
  { userId, after }: { readonly userId?: string | undefined; readonly after?: string | undefined },
  limit: number,
): Promise<readonly { readonly orderId: string; readonly position: string }[]> {
  const query = {
    TableName: table.name,
    KeyConditionExpression: userId === undefined ? 'pk = :reviews' : 'pk = :reviews AND begins_with(sk, :user)',
    ExpressionAttributeValues: { ':reviews': REVIEWS, ...(userId === undefined ? {} : { ':user': `${userId}#` }) },
    ConsistentRead: true,
  };
  const from = after === undefined ? undefined : { pk: REVIEWS, sk: after };
  const { items } = await queryItems(documentClient, query, { limit, from });
  return items.map(({ sk }) => ({ orderId: String(sk).slice(String(sk).indexOf('#') + 1), position: String(sk) }));
}
