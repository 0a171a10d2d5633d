import type { TransactWriteItem } from '@orderly/kit/aws';
import { stateKey } from '@orderly/kit/state-store';
import type { ReservedLine } from './contract.js';
import { STOCK_ITEM } from './keys.js';

/**
 * Reserves pieces for an order, in the transaction that commits its reservation. It changes the counter by arithmetic
 * under a condition: two orders for one SKU don't conflict on a version, and `available` can't fall below zero.
 */
export function reserve(table: string, line: ReservedLine): TransactWriteItem {
  const enoughIsThere = 'available >= :quantity';
  return counterUpdate(
    table,
    line,
    'SET reserved = reserved + :quantity, available = available - :quantity',
    enoughIsThere,
  );
}

const IT_WAS_RESERVED = 'reserved >= :quantity';

/** Releases pieces, in the transaction that commits the release. */
export const release = (table: string, line: ReservedLine): TransactWriteItem =>
  counterUpdate(table, line, 'SET reserved = reserved - :quantity, available = available + :quantity', IT_WAS_RESERVED);

/** Takes reserved pieces out of the stock, in the transaction that commits the dispatch. What is available stays. */
export const dispatch = (table: string, line: ReservedLine): TransactWriteItem =>
  counterUpdate(table, line, 'SET reserved = reserved - :quantity, onHand = onHand - :quantity', IT_WAS_RESERVED);

const counterUpdate = (
  TableName: string,
  { sku, quantity }: ReservedLine,
  UpdateExpression: string,
  ConditionExpression: string,
): TransactWriteItem => ({
  Update: {
    TableName,
    Key: stateKey(STOCK_ITEM, sku),
    UpdateExpression,
    ConditionExpression,
    ExpressionAttributeValues: { ':quantity': quantity },
  },
});
