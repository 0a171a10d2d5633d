/**
 * Items locked by unfinished transactions. AWS, "Amazon DynamoDB Transactions: How it works" (transaction conflict
 * handling; idempotency).
 */
import type { ItemKey } from './wire.js';

/** Items that an unfinished transaction has locked. */
export interface Hold {
  readonly items: readonly ItemKey[];
  /** Token of a TransactWriteItems: meanwhile, a request with the same token meets TransactionInProgressException. */
  readonly token?: string;
}

export class Holds {
  private readonly open = new Set<Hold>();

  add(hold: Hold): void {
    this.open.add(hold);
  }

  release(hold: Hold): void {
    this.open.delete(hold);
  }

  /** Checks whether a transaction other than `own` has locked the item. */
  has(item: ItemKey, own?: Hold): boolean {
    if (this.open.size === 0) return false;
    const id = textOf(item);
    return this.others(own).some((hold) => hold.items.some((held) => textOf(held) === id));
  }

  hasToken(token: string, own?: Hold): boolean {
    return this.others(own).some((hold) => hold.token === token);
  }

  private others(own: Hold | undefined): readonly Hold[] {
    return [...this.open].filter((hold) => hold !== own);
  }
}

const textOf = ({ table, key }: ItemKey): string =>
  JSON.stringify([
    table,
    ...Object.keys(key)
      .sort()
      .map((name) => key[name]),
  ]);
