import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, transact } from './dynamodb.js';
import { Env } from './environment.js';
import type { Item, TransactWriteItem } from './items.js';
import { requireEnv } from './read-environment.js';
import { readItems } from './read-items.js';

/** A table, for code that reads single items and writes transactions (port). */
export interface Table {
  readonly name: string;
  /** Reads an item, strongly consistent. */
  read(key: Item): Promise<Item | undefined>;
  /**
   * Reads items, strongly consistent: up to 100 of them with one call, if they have at most 16 MB together. Items that do not
   * exist are left out; the others come in any order.
   * @param keys different keys
   * @throws {Throttled} if DynamoDB returns nothing again and again
   */
  readAll(keys: readonly Item[]): Promise<readonly Item[]>;
  /**
   * Writes all or nothing. The writes name their tables; they need not all be in this one.
   * @throws {TransactionRefused} if a condition failed
   * @throws {WriteConflict} if another transaction was in the way
   */
  transact(writes: readonly TransactWriteItem[]): Promise<void>;
}

/** Returns the table of this name in DynamoDB. */
export const dynamoDbTable = (name: string): Table => ({
  name,
  async read(Key) {
    return (await documentClient.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }))).Item;
  },
  readAll: (keys) => readItems(documentClient, name, keys, { consistent: true }),
  transact,
});

/**
 * Returns the table of this function's service.
 * @throws {SettingMissing} at start, if the construct did not set it
 */
export const tableFromEnvironment = (): Table => dynamoDbTable(requireEnv(Env.TABLE));
