import type { TransactWriteItem } from '@orderly/kit/aws';
import { stateKey } from '@orderly/kit/state-store';
import type { ReservedLine } from './contract.js';
import { STOCK_ITEM } from './keys.js';

/**
 * Reserves pieces for an order, in the transaction that commits its reservation. It changes the counter by arithmetic
 * under a condition: two orders for one SKU don't conflict on a version, and `available` can't fall below zero.
 */
export function reserve(TableName: string, { sku, quantity }: ReservedLine): TransactWriteItem {
  const enoughIsThere = 'available >= :quantity';
  return {
    Update: {
      TableName,
      Key: stateKey(STOCK_ITEM, sku),
      UpdateExpression: 'SET reserved = reserved + :quantity, available = available - :quantity',
      ConditionExpression: enoughIsThere,
      ExpressionAttributeValues: { ':quantity': quantity },
    },
  };
}

/** Releases pieces, in the transaction that commits the release. */
export function release(TableName: string, { sku, quantity }: ReservedLine): TransactWriteItem {
  const itWasReserved = 'reserved >= :quantity';
  return {
    Update: {
      TableName,
      Key: stateKey(STOCK_ITEM, sku),
      UpdateExpression: 'SET reserved = reserved - :quantity, available = available + :quantity',
      ConditionExpression: itWasReserved,
      ExpressionAttributeValues: { ':quantity': quantity },
    },
  };
}
