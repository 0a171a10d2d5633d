import { retryOnConflict, type TransactWriteItem } from '@orderly/kit/aws';
import { Problem, refuseVersionMismatch } from '@orderly/kit/http';
import type { Commit, Trace } from '@orderly/kit/messages';
import { type StateStore, type Stored, stateKey } from '@orderly/kit/state-store';
import type { InventoryEvent, StockView } from './contract.js';
import { STOCK_ITEM } from './keys.js';
import { InventoryProblem } from './problems.js';

interface Counter extends Stored {
  readonly onHand: number;
  readonly reserved: number;
  readonly available: number;
}

/** Counters of all SKUs. */
export type StockStore = StateStore<Counter, InventoryEvent>;

/** Reads the stock of a SKU, strongly consistent; `undefined` if no operator has set it. */
export async function readStock(counters: StockStore, sku: string): Promise<StockView | undefined> {
  const counter = await counters.read(sku);
  return counter && toView(sku, counter);
}

/** @throws {Problem} 404 if no operator has set it */
export function requireStock(stock: StockView | undefined): StockView {
  if (!stock) throw new Problem('not-found', 'this SKU has no stock');
  return stock;
}

/**
 * Sets the number of pieces: the commit (StockSet) and the counter change in one transaction, and the number is never
 * below what is reserved. Setting the current number again writes nothing, so a client may repeat it.
 * @param ifMatch required version; a repeat of a request that has succeeded since is accepted (RFC 9110, 13.1.1)
 * @throws {Problem} 409 `stock-reserved`, 409 `conflict` if the version is another, or concurrent writers kept changing
 *   it
 */
export async function setStock(
  counters: StockStore,
  sku: string,
  onHand: number,
  ifMatch: number | undefined,
  trace: Trace,
): Promise<StockView> {
  return retryOnConflict(async () => {
    const counter = await counters.read(sku);
    const version = counter?.version ?? 0;
    const isSo = counter?.onHand === onHand;
    refuseVersionMismatch(ifMatch, version, isSo ? version - 1 : undefined);
    if (counter && isSo) return toView(sku, counter);
    if (counter && counter.reserved > onHand) {
      throw new Problem(
        InventoryProblem['stock-reserved'],
        `${counter.reserved} pieces are reserved: onHand must not be less`,
      );
    }
    const commit = counters.buildCommit(sku, counter, [{ type: 'StockSet', data: { sku, onHand } }], trace);
    await counters.table.transact([counters.appendWrite(commit), counterWrite(counters, sku, onHand, counter, commit)]);
    return requireStock(await readStock(counters, sku));
  });
}

const toView = (sku: string, { onHand, reserved, available, version }: Counter): StockView => ({
  sku,
  onHand,
  reserved,
  available,
  version,
});

function counterWrite(
  counters: StockStore,
  sku: string,
  onHand: number,
  counter: Counter | undefined,
  { at, epoch }: Pick<Commit, 'at' | 'epoch'>,
): TransactWriteItem {
  if (!counter) return counters.stateWrite(sku, counter, { onHand, reserved: 0, available: onHand, version: 1, at });
  // Orders may reserve meanwhile, as long as enough pieces remain: so `available` is computed from what is reserved at
  // the moment of this write.
  const sameVersionAndCovered = 'version = :version AND reserved <= :onHand';
  return {
    Update: {
      TableName: counters.table.name,
      Key: stateKey(STOCK_ITEM, sku),
      UpdateExpression: `SET onHand = :onHand, available = :onHand - reserved, version = :next, #at = :at${epoch === undefined ? '' : ', epoch = :epoch'}`,
      ConditionExpression: sameVersionAndCovered,
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: {
        ':onHand': onHand,
        ':version': counter.version,
        ':next': counter.version + 1,
        ':at': at,
        ...(epoch === undefined ? {} : { ':epoch': epoch }),
      },
    },
  };
}
