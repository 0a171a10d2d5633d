import type { TransactWriteItem } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { buildCommand, type Envelope, type Trace } from '@orderly/kit/messages';
import type { StateStore, Stored } from '@orderly/kit/state-store';
import type { Baskets } from './basket-store.js';
import { basketsContract, type PriceRolloutEvent } from './contract.js';
import type { Product } from './domain/product.js';
import type { Products } from './products.js';

/**
 * Baskets of one page. They change in one transaction, two items each, of which DynamoDB takes 100. A larger page would
 * meet changes by customers more often, and be decided again.
 */
export const PAGE_SIZE = 20;

/** A page of the baskets that get a product's new price. */
interface Page {
  /** Version of the product with which the rollout began. */
  readonly productVersion: number;
  /** From 1. */
  readonly page: number;
  /** Last basket of the page before; absent for the first page. */
  readonly after?: string;
  /** Time of the message that asks for the page (ISO 8601, UTC), and the epoch in which it was committed. */
  readonly at: string;
  readonly epoch: number;
}

/** Brings the price of a product to all baskets that hold it, page by page. */
export class PriceRollout {
  constructor(
    private readonly rollouts: StateStore<Stored, PriceRolloutEvent>,
    private readonly baskets: Baskets,
    private readonly products: Products,
  ) {}

  /**
   * Keeps a product whose price has changed, and brings the price to the first page of baskets.
   * @param message the event's message
   */
  async begin(reported: Product, { time: at, epoch }: Pick<Envelope, 'time' | 'epoch'>, trace: Trace): Promise<Effect> {
    const { product, write } = await this.products.chooseNewest(reported);
    return [write, ...(await this.page(product, { productVersion: reported.version, page: 1, at, epoch }, trace))];
  }

  /** Brings the price to a further page of baskets. */
  async next(sku: string, page: Page, trace: Trace): Promise<Effect> {
    const product = (await this.products.read([sku])).get(sku);
    return product ? [this.products.unchangedCheck(product), ...(await this.page(product, page, trace))] : [];
  }

  /**
   * Returns the changes of one page of baskets, and the commit that asks for the next page, if there is one. They share
   * the transaction with the record of the message. So a crash anywhere repeats a whole page, and no page is left out.
   *
   * The price is the product's newest, not the one with which the rollout began, and the transaction checks that it
   * still is. So a line never gets a price by an event that is older than what baskets know.
   */
  private async page(
    product: Product,
    { productVersion, page, after, at, epoch }: Page,
    trace: Trace,
  ): Promise<Effect> {
    const { sku } = product;
    const { customerIds, more } = await this.baskets.readHolders(sku, after, PAGE_SIZE);
    const changes = customerIds.map((customerId) => this.baskets.priceWrites(customerId, product, trace));
    const writes = (await Promise.all(changes)).flat();
    const last = customerIds.at(-1);
    return more && last !== undefined
      ? [...writes, ...(await this.nextPage({ sku, productVersion, page, after: last, at, epoch }, trace))]
      : writes;
  }

  /**
   * Returns the commit that says that a page is done, with the command for the next one; none if there is one. Its key follows
   * from the product and the page, so it is there already if an earlier generation of the consumer has come here: what was asked
   * for then is processed again by this generation, if its events are.
   */
  private async nextPage(
    { sku, productVersion, page, after, at, epoch }: Required<Page> & { readonly sku: string },
    trace: Trace,
  ): Promise<readonly TransactWriteItem[]> {
    const before = page === 1 ? undefined : { version: page - 1, at, epoch };
    const event = { type: 'PriceRolloutContinued', data: { sku, productVersion, page } } as const;
    const next = { sku, productVersion, page: page + 1, after };
    const commit = this.rollouts.buildCommit(`${sku}@${productVersion}`, before, [event], trace, {
      commands: [buildCommand(basketsContract, 'ContinuePriceRollout', next)],
    });
    const known = await this.rollouts.table.read({ pk: commit.pk, sk: commit.sk });
    return known ? [] : [this.rollouts.appendWrite(commit)];
  }
}
