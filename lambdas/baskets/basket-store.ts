import { clock, documentClient, queryItems, retryOnConflict, type TransactWriteItem } from '@orderly/kit/aws';
import { refuseVersionMismatch } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import type { StateStore, Stored } from '@orderly/kit/state-store';
import type { BasketEvent } from './contract.js';
import { type Basket, type BasketCommand, basketDecider, type Facts, type Line } from './domain/basket.js';
import type { Product } from './domain/product.js';
import { HOLDERS } from './keys.js';
import type { Products } from './products.js';

interface StoredBasket extends Stored {
  readonly lines: readonly Line[];
  /** Version on which the last change was based. */
  readonly from: number;
}

export type BasketStore = StateStore<StoredBasket, BasketEvent>;

/** A basket, and the products with which it was compared. */
export interface Current extends Facts {
  readonly basket: Basket;
  /** 0 if it was never used. */
  readonly version: number;
  readonly stored: StoredBasket | undefined;
}

/** A page of the baskets that hold a product. */
interface HoldersPage {
  readonly customerIds: readonly string[];
  readonly more: boolean;
}

/**
 * Baskets of customers; the id is the customer's. A basket is one item.
 *
 * For each of its lines there is an item in the list of the product's holders. It is written in the transaction that
 * adds or removes the line, and read strongly consistent: the list names a basket exactly as long as it has the line.
 */
export class Baskets {
  constructor(
    private readonly states: BasketStore,
    private readonly products: Products,
  ) {}

  /**
   * Carries out a command on a basket: its commit, its state and the lists of holders change in one transaction. The
   * prices of all lines are brought up to date with it. A command that changes nothing writes nothing.
   *
   * The lists of holders alone would not be enough. A line may be added while a price is on its way to the baskets:
   *
   *     customer                            rollout of the new price
   *     reads the product: old price
   *                                         reads the holders: this basket is not among them
   *                                         keeps the product, changes the baskets: new price
   *     adds the line at the old price
   *     reads the basket: the line is older than the product, so it gets the new price
   *
   * @param ifMatch required version; a repeat of a request that has succeeded since is accepted (RFC 9110, 13.1.1)
   * @throws {BasketRefused} if a business rule forbids the command
   * @throws {Problem} 409 `conflict` if the version is another
   * @throws {WriteConflict} concurrent writers kept changing it
   */
  change(command: BasketCommand, trace: Trace, ifMatch?: number): Promise<Current> {
    return retryOnConflict(async () => {
      const stored = await this.states.read(command.customerId);
      const skus = new Set([...linesOf(stored).map(({ sku }) => sku), ...('sku' in command ? [command.sku] : [])]);
      const facts = { products: await this.products.read([...skus]) };
      const { events, writes, after } = this.decide(stored, command, facts, trace);
      refuseVersionMismatch(ifMatch, stored?.version ?? 0, events.length === 0 ? stored?.from : undefined);
      if (writes.length > 0) await this.states.table.transact(writes);
      return { ...facts, basket: { lines: linesOf(after) }, version: after?.version ?? 0, stored: after };
    });
  }

  /**
   * Returns the writes that bring a product's price to a basket; none if it has the price already, or no such line. They
   * are refused if the basket has changed. Other products are not read.
   */
  async priceWrites(customerId: string, product: Product, trace: Trace): Promise<readonly TransactWriteItem[]> {
    const stored = await this.states.read(customerId);
    const { sku } = product;
    const facts = { products: new Map([[sku, product]]) };
    return this.decide(stored, { type: 'ChangePrice', customerId, sku }, facts, trace).writes;
  }

  /** Returns the writes that mark a basket's lines as becoming an order. They are refused if the basket has changed. */
  checkOutWrites({ stored }: Current, customerId: string, orderId: string, trace: Trace): readonly TransactWriteItem[] {
    return this.decide(stored, { type: 'CheckOut', customerId, orderId }, NO_PRODUCTS, trace).writes;
  }

  /** Returns the writes that remove the lines that have become an order; none if there are none. */
  async emptyWrites(customerId: string, orderId: string, trace: Trace): Promise<readonly TransactWriteItem[]> {
    const stored = await this.states.read(customerId);
    return this.decide(stored, { type: 'Empty', customerId, orderId }, NO_PRODUCTS, trace).writes;
  }

  /**
   * Reads who holds a product, strongly consistent, by the customers' ids.
   * @param after last customer of the page before
   */
  async readHolders(sku: string, after: string | undefined, limit: number): Promise<HoldersPage> {
    const query = {
      TableName: this.states.table.name,
      ConsistentRead: true,
      KeyConditionExpression: `pk = :pk${after === undefined ? '' : ' AND sk > :after'}`,
      ExpressionAttributeValues: { ':pk': HOLDERS + sku, ...(after === undefined ? {} : { ':after': after }) },
    };
    const { items, next } = await queryItems(documentClient, query, { limit });
    return { customerIds: items.map((item) => String(item.sk)), more: next !== undefined };
  }

  private decide(stored: StoredBasket | undefined, command: BasketCommand, facts: Facts, trace: Trace) {
    const { customerId } = command;
    const before: Basket = { lines: linesOf(stored) };
    const events = basketDecider.decide(before, command, { ...facts, now: clock.now() });
    if (events.length === 0) return { events, writes: [], after: stored };
    const { lines } = events.reduce(basketDecider.evolve, before);
    const commit = this.states.buildCommit(customerId, stored, events, trace);
    const after: StoredBasket = { lines, version: commit.lastVersion, from: stored?.version ?? 0, at: commit.at };
    const writes = [
      this.states.appendWrite(commit),
      this.states.stateWrite(customerId, stored, after),
      ...skusOnlyIn(lines, before.lines).map((sku) => this.holderPut(sku, customerId)),
      ...skusOnlyIn(before.lines, lines).map((sku) => this.holderDelete(sku, customerId)),
    ];
    return { events, writes, after };
  }

  // These two have no condition: the version in the basket's state guards them.
  private holderPut(sku: string, customerId: string): TransactWriteItem {
    return { Put: { TableName: this.states.table.name, Item: { pk: HOLDERS + sku, sk: customerId } } };
  }

  private holderDelete(sku: string, customerId: string): TransactWriteItem {
    return { Delete: { TableName: this.states.table.name, Key: { pk: HOLDERS + sku, sk: customerId } } };
  }
}

const NO_PRODUCTS: Facts = { products: new Map() };

const linesOf = (stored: StoredBasket | undefined): readonly Line[] => stored?.lines ?? [];

/** Returns the SKUs of lines that the others don't have. */
function skusOnlyIn(lines: readonly Line[], others: readonly Line[]): readonly string[] {
  const known = new Set(others.map(({ sku }) => sku));
  return lines.map(({ sku }) => sku).filter((sku) => !known.has(sku));
}
