import { clock, documentClient, queryItems, readItems, retryOnConflict } from '@orderly/kit/aws';
import { Problem, refuseVersionMismatch } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import { type StateStore, type Stored, stateKey } from '@orderly/kit/state-store';
import type { Money } from '../orders/contract.js';
import { findCodeRefusal } from '../standard-codes.js';
import { PRODUCTS_INDEX, type ProductEvent, type ProductView, type SetProduct } from './contract.js';
import type { Offer } from './domain/price-check.js';
import { productDecider } from './domain/product.js';
import { ALL_PRODUCTS, PRODUCT } from './keys.js';

interface StoredProduct extends Stored {
  readonly name: string;
  readonly unitPrice: Money;
  readonly discontinued?: true;
  /** Version on which the last change was based. */
  readonly from: number;
  /** Partition key of the index. Only products have it, so their commits and the price checks are not in the index. */
  readonly listPk: typeof ALL_PRODUCTS;
  /** The SKU. */
  readonly listSk: string;
}

export type ProductStore = StateStore<StoredProduct, ProductEvent>;

/** Reads a product, strongly consistent. @throws {Problem} 404 if it doesn't exist */
export async function readProduct(products: ProductStore, sku: string): Promise<ProductView> {
  const product = await products.read(sku);
  if (!product) throw new Problem('not-found', 'no product has this SKU');
  return toView(sku, product);
}

/**
 * Sets a product, and adds it if it doesn't exist: its commit and its state change in one transaction. Setting the
 * current values again writes nothing, so a client may repeat it. It sets the whole product: without `discontinued`, the
 * product is sold again.
 * @param ifMatch required version; a repeat of a request that has succeeded since is accepted (RFC 9110, 13.1.1)
 * @throws {Problem} 400 for a currency on no list, unless the product has it; 409 `conflict` if the version is another
 * @throws {WriteConflict} concurrent writers kept changing it
 */
export function setProduct(
  products: ProductStore,
  sku: string,
  wanted: SetProduct,
  ifMatch: number | undefined,
  trace: Trace,
): Promise<ProductView> {
  return retryOnConflict(async () => {
    const before = await products.read(sku);
    findCodeRefusal(wanted, before)?.();
    const events = productDecider.decide(before, { sku, ...wanted }, { now: clock.now() });
    refuseVersionMismatch(ifMatch, before?.version ?? 0, events.length === 0 ? before?.from : undefined);
    if (before && events.length === 0) return toView(sku, before);
    const commit = products.buildCommit(sku, before, events, trace);
    const { lastVersion: version, at } = commit;
    const { name, unitPrice, discontinued } = wanted;
    const after: StoredProduct = {
      name,
      unitPrice,
      ...(discontinued ? { discontinued } : {}),
      version,
      from: before?.version ?? 0,
      at,
      listPk: ALL_PRODUCTS,
      listSk: sku,
    };
    await products.table.transact([products.appendWrite(commit), products.stateWrite(sku, before, after)]);
    return toView(sku, after);
  });
}

/**
 * Reads the offer of each SKU, strongly consistent; the result omits unknown SKUs. It is no snapshot of all of them at
 * one moment, because no two products are priced together.
 * @param table name of the products' table
 * @param skus each once
 * @throws {Throttled} if DynamoDB returns nothing again and again
 */
export async function readOffers(table: string, skus: readonly string[]): Promise<ReadonlyMap<string, Offer>> {
  const keys = skus.map((sku) => stateKey(PRODUCT, sku));
  const attributes = ['listSk', 'unitPrice', 'discontinued'];
  const items = await readItems(documentClient, table, keys, { consistent: true, attributes });
  return new Map(items.map(({ listSk, ...offer }) => [String(listSk), offer as unknown as Offer]));
}

/**
 * Reads products by SKU, eventually consistent.
 * @param table name of the products' table
 * @param after SKU of the last product shown
 * @param limit maximum number of products
 * @returns one more than `limit` if there are more
 */
export async function readProductsAfter(
  table: string,
  after: string | undefined,
  limit: number,
): Promise<readonly ProductView[]> {
  const query = {
    TableName: table,
    IndexName: PRODUCTS_INDEX,
    KeyConditionExpression: `listPk = :pk${after === undefined ? '' : ' AND listSk > :after'}`,
    ExpressionAttributeValues: { ':pk': ALL_PRODUCTS, ...(after === undefined ? {} : { ':after': after }) },
  };
  const { items } = await queryItems(documentClient, query, { limit: limit + 1 });
  return (items as unknown as StoredProduct[]).map((product) => toView(product.listSk, product));
}

const toView = (sku: string, { name, unitPrice, discontinued, version }: StoredProduct): ProductView => ({
  sku,
  name,
  unitPrice: { amount: unitPrice.amount, currency: unitPrice.currency },
  ...(discontinued ? { discontinued } : {}),
  version,
});
