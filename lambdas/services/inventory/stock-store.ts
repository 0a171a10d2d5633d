import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Commit, commitItem } from '../../patterns/event-store/commit.js';
import type { Trace } from '../../patterns/trace.js';
import { clock } from '../../platform/clock.js';
import { documents, type TransactWriteItem, transact } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { Problem } from '../../platform/errors.js';
import { untilRaceIsWon } from '../../platform/lost-races.js';
import { feedShards, requiredInteger } from '../../platform/read-environment.js';
import { Sku } from '../orders/contract.js';
import { inventoryContract, type StockView } from './contract.js';
import { counterKey, STOCK_ITEM, TableName } from './stock-counter.js';

const shards = feedShards();
/** The commits of a counter are its outbox only, not its history: they expire, not before the dedupe window is over. */
const commitSeconds = requiredInteger(Env.DEDUPE_WINDOW_SECONDS);

interface Counter {
  readonly onHand: number;
  readonly reserved: number;
  readonly available: number;
  readonly version: number;
  /** When it was counted last. */
  readonly at: string;
}

/** The stock of a SKU, strongly consistent; nothing where nobody has set it. */
export async function stockOf(sku: string): Promise<StockView | undefined> {
  const counter = await read(sku);
  return counter && viewOf(sku, counter);
}

/** @throws {Problem} 404 where nobody has set it */
export function existing(stock: StockView | undefined): StockView {
  if (!stock) throw new Problem('not-found', 'no stock was ever set for this SKU');
  return stock;
}

/** Reads a SKU from an address. @throws {Problem} 400 */
export function skuOf(parameter: string): string {
  const result = Sku.safeParse(parameter);
  if (result.success) return result.data;
  const errors = [{ parameter: 'sku', detail: 'expected 1 to 64 of A-Z a-z 0-9 . _ -' }];
  throw new Problem('invalid-request', 'this is no SKU', { errors });
}

/**
 * Sets how many pieces there are: the commit (StockSet) and the counter in one transaction, never below what is
 * reserved. Setting what is set already writes nothing, so it may be repeated.
 * @param ifMatch only at this version; a repeat of what has succeeded since is let through (RFC 9110, 13.1.1)
 * @throws {Problem} 409 `stock-reserved`, 409 `conflict` where the version is another, or others kept changing it
 */
export async function setStock(
  sku: string,
  onHand: number,
  ifMatch: number | undefined,
  trace: Trace,
): Promise<StockView> {
  return untilRaceIsWon(async () => {
    const counter = await read(sku);
    const version = counter?.version ?? 0;
    const isSo = counter?.onHand === onHand;
    const isRepeat = isSo && version - 1 === ifMatch;
    if (ifMatch !== undefined && ifMatch !== version && !isRepeat) {
      const versions = { expectedVersion: ifMatch, foundVersion: version };
      throw new Problem('conflict', 'the stock is at another version: read it again', { versions });
    }
    if (counter && isSo) return viewOf(sku, counter);
    if (counter && counter.reserved > onHand) {
      throw new Problem('stock-reserved', `${counter.reserved} pieces are reserved: onHand can't be below that`);
    }
    const commit = commitOf(sku, onHand, counter, trace);
    const append = { Put: { TableName, Item: commit, ConditionExpression: 'attribute_not_exists(pk)' } };
    await transact([append, counterWrite(sku, onHand, counter, commit.at)]);
    return existing(await stockOf(sku));
  });
}

async function read(sku: string): Promise<Counter | undefined> {
  const { Item } = await documents.send(new GetCommand({ TableName, Key: counterKey(sku), ConsistentRead: true }));
  return Item as Counter | undefined;
}

const viewOf = (sku: string, { onHand, reserved, available, version }: Counter): StockView => ({
  sku,
  onHand,
  reserved,
  available,
  version,
});

function commitOf(sku: string, onHand: number, counter: Counter | undefined, trace: Trace): Commit {
  return commitItem({
    contract: inventoryContract,
    aggregate: STOCK_ITEM,
    id: sku,
    after: counter?.version ?? 0,
    ...(counter ? { notBefore: counter.at } : {}),
    events: [{ type: 'StockSet', data: { sku, onHand } }],
    trace,
    expiresAt: clock.epochSeconds() + commitSeconds,
    feedShards: shards,
  });
}

function counterWrite(sku: string, onHand: number, counter: Counter | undefined, at: string): TransactWriteItem {
  if (!counter) {
    const Item = { ...counterKey(sku), onHand, reserved: 0, available: onHand, version: 1, at };
    return { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  }
  // Orders may reserve meanwhile, as long as enough stays: so `available` follows from what is reserved at this moment.
  const sameVersionAndCovered = 'version = :version AND reserved <= :onHand';
  return {
    Update: {
      TableName,
      Key: counterKey(sku),
      UpdateExpression: 'SET onHand = :onHand, available = :onHand - reserved, version = :next, #at = :at',
      ConditionExpression: sameVersionAndCovered,
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: {
        ':onHand': onHand,
        ':version': counter.version,
        ':next': counter.version + 1,
        ':at': at,
      },
    },
  };
}
