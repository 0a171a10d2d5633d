import { aggregateKey } from '../../patterns/event-store/commit.js';
import type { TransactWriteItem } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import type { ReservedLine } from './contract.js';

export const TableName = required(Env.TABLE);
/** The stock of a SKU: operators count it (its commits), orders reserve from it (the counter). */
export const STOCK_ITEM = 'StockItem';
export const counterKey = (sku: string) => ({ pk: aggregateKey(STOCK_ITEM, sku), sk: 'STATE' });

/**
 * Takes pieces for an order, as a part of the transaction that commits its reservation. By arithmetic under a condition:
 * two orders for one SKU don't fight over a version, and `available` can't fall below zero.
 */
export function reserve({ sku, quantity }: ReservedLine): TransactWriteItem {
  const enoughIsThere = 'available >= :quantity';
  return {
    Update: {
      TableName,
      Key: counterKey(sku),
      UpdateExpression: 'SET reserved = reserved + :quantity, available = available - :quantity',
      ConditionExpression: enoughIsThere,
      ExpressionAttributeValues: { ':quantity': quantity },
    },
  };
}

/** Gives pieces back, as a part of the transaction that commits the release. */
export function release({ sku, quantity }: ReservedLine): TransactWriteItem {
  const itWasReserved = 'reserved >= :quantity';
  return {
    Update: {
      TableName,
      Key: counterKey(sku),
      UpdateExpression: 'SET reserved = reserved - :quantity, available = available + :quantity',
      ConditionExpression: itWasReserved,
      ExpressionAttributeValues: { ':quantity': quantity },
    },
  };
}
