import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { StateStore, Stored } from '@orderly/kit/state-store';
import type { Baskets } from './basket-store.js';
import { basketsContract, type PriceRolloutEvent } from './contract.js';
import type { Products } from './products.js';

/** Baskets of one page. They change at the same time, each in a transaction of its own. */
export const PAGE_SIZE = 20;

/** A page of the baskets that get a product's new price. */
export interface Page {
  readonly sku: string;
  /** Version of the product with which the rollout began. */
  readonly productVersion: number;
  /** From 1. */
  readonly page: number;
  /** Last basket of the page before; absent for the first page. */
  readonly after?: string;
  /** Time of the message that asks for the page (ISO 8601, UTC). */
  readonly at: string;
}

/** Brings the price of a product to all baskets that hold it, page by page. */
export class PriceRollout {
  constructor(
    private readonly rollouts: StateStore<Stored, PriceRolloutEvent>,
    private readonly baskets: Baskets,
    private readonly products: Products,
  ) {}

  /**
   * Brings the price to one page of baskets, and returns the commit that asks for the next page, if there is one. The
   * commit shares the transaction with the record of the message. So a crash anywhere repeats at most this page: a
   * basket that has the price already stays as it is.
   *
   * The price is the product's newest, not the one with which the rollout began. So a line never gets a price by an
   * event that is older than what baskets know, and a later price change need not stop this rollout.
   */
  async page({ sku, productVersion, page, after, at }: Page, trace: Trace): Promise<Effect> {
    const facts = { products: await this.products.of([sku]) };
    const { customerIds, more } = await this.baskets.holdersOf(sku, after, PAGE_SIZE);
    await Promise.all(customerIds.map((customerId) => this.baskets.changePrice(customerId, sku, facts, trace)));
    const last = customerIds.at(-1);
    if (!more || last === undefined) return [];
    const before = page === 1 ? undefined : { version: page - 1, at };
    const event = { type: 'PriceRolloutContinued', data: { sku, productVersion, page } } as const;
    const next = { type: 'ContinuePriceRollout', data: { sku, productVersion, page: page + 1, after: last } };
    const commit = this.rollouts.commit(`${sku}@${productVersion}`, before, [event], trace, {
      commands: [{ to: basketsContract, command: next }],
    });
    return [this.rollouts.appendWrite(commit)];
  }
}
