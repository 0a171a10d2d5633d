import type { Item, TransactWriteItem } from './items.js';
import { SafeError, safeText } from './safe-error.js';

/** Limits from AWS, "Service, account, and table quotas in Amazon DynamoDB". */
export const MAX_ITEM_BYTES = 400 * 1024;
/** Keys of one BatchGetItem. */
export const MAX_BATCH_KEYS = 100;
const MAX_TRANSACTION_ITEMS = 100;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/**
 * Error for a write that DynamoDB would refuse for its size. It is thrown before anything is sent; a retry does not
 * help.
 */
export class TooLarge extends SafeError {
  override readonly name = 'TooLarge';
}

/**
 * Returns the size of an item as DynamoDB counts it ("DynamoDB item sizes and formats").
 *
 * Names and strings count in UTF-8, and numbers by their digits. A list or map counts 3 bytes, and 1 more for each of
 * its members. 1 write unit buys 1,024 bytes.
 */
const itemBytes = (item: Item): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) => sum + (value === undefined ? 0 : utf8(name) + valueBytes(value)),
    0,
  );

const utf8 = (text: string): number => Buffer.byteLength(text, 'utf8');

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return utf8(value);
  if (typeof value === 'number') return 1 + Math.ceil(String(value).replace(/[^0-9]/g, '').length / 2) + 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, member) => sum + 1 + valueBytes(member), 3);
  if (typeof value === 'object' && value !== null) return 3 + Object.keys(value).length + itemBytes({ ...value });
  return 1;
}

/**
 * Checks the size of one item before it is sent.
 * @throws {TooLarge} if the item is above DynamoDB's limit
 */
export function checkItemSize(item: Item): void {
  const bytes = itemBytes(item);
  if (bytes > MAX_ITEM_BYTES)
    throw new TooLarge(safeText`an item of ${bytes} bytes is above DynamoDB's ${MAX_ITEM_BYTES}`);
}

/**
 * Checks the number and size of a transaction's writes before it is sent.
 * @throws {TooLarge} if the transaction or one of its items is above DynamoDB's limit
 */
export function checkTransactionSize(writes: readonly TransactWriteItem[]): void {
  if (writes.length > MAX_TRANSACTION_ITEMS) {
    throw new TooLarge(safeText`a transaction of ${writes.length} items is above DynamoDB's ${MAX_TRANSACTION_ITEMS}`);
  }
  const puts = writes.flatMap(({ Put }) => (Put?.Item ? [Put.Item] : []));
  for (const item of puts) checkItemSize(item);
  const bytes = puts.reduce((sum, item) => sum + itemBytes(item), 0);
  if (bytes > MAX_TRANSACTION_BYTES) {
    throw new TooLarge(safeText`a transaction of ${bytes} bytes is above DynamoDB's ${MAX_TRANSACTION_BYTES}`);
  }
}
