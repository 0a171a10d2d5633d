import { documentClient, readItems, type TransactWriteItem } from '@orderly/kit/aws';
import type { Product } from './domain/product.js';
import { PRODUCTS } from './keys.js';

const keyOf = (sku: string) => ({ pk: PRODUCTS + sku, sk: 'PRODUCT' });

/**
 * Baskets' own copy of the catalogue's products (a read model), in partitions of its own. A service reads no other
 * service's table, so the copy is fed by the catalogue's events and is about a second behind.
 */
export class Products {
  /** @param table name of the service's table */
  constructor(private readonly table: string) {}

  /**
   * Reads the product of each SKU, strongly consistent; the result omits unknown SKUs.
   * @param skus each once
   * @throws {Throttled} if DynamoDB returns nothing again and again
   */
  async read(skus: readonly string[]): Promise<ReadonlyMap<string, Product>> {
    const items = await readItems(documentClient, this.table, skus.map(keyOf), { consistent: true });
    return new Map(items.map(({ pk: _, sk: __, ...product }) => [String(product.sku), product as unknown as Product]));
  }

  /**
   * Returns the newest of what an event told and what is known, and the write that keeps it. The write is refused if the
   * known product has changed since. So it does not matter in which order events arrive, and how often.
   */
  async chooseNewest(reported: Product): Promise<{ readonly product: Product; readonly write: TransactWriteItem }> {
    const known = (await this.read([reported.sku])).get(reported.sku);
    if (known && known.version >= reported.version) return { product: known, write: this.unchangedCheck(known) };
    const isAsRead = known ? 'version = :version' : 'attribute_not_exists(pk)';
    const values = known ? { ExpressionAttributeValues: { ':version': known.version } } : {};
    const Item = { ...keyOf(reported.sku), ...reported };
    return {
      product: reported,
      write: { Put: { TableName: this.table, Item, ConditionExpression: isAsRead, ...values } },
    };
  }

  /** Returns the check that a product is still the newest. */
  unchangedCheck({ sku, version }: Product): TransactWriteItem {
    const isAsRead = 'version = :version';
    return {
      ConditionCheck: {
        TableName: this.table,
        Key: keyOf(sku),
        ConditionExpression: isAsRead,
        ExpressionAttributeValues: { ':version': version },
      },
    };
  }
}
