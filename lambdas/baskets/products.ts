import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type Item, retryOnConflict, Throttled } from '@orderly/kit/aws';
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

  /** Keeps a product, unless a newer event told it before. So it does not matter in which order events arrive. */
  async learn(product: Product): Promise<void> {
    const isNewer = 'attribute_not_exists(pk) OR version < :version';
    try {
      await documents.send(
        new PutCommand({
          TableName: this.table,
          Item: { ...keyOf(product.sku), ...product },
          ConditionExpression: isNewer,
          ExpressionAttributeValues: { ':version': product.version },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /**
   * Reads the product of each SKU, strongly consistent; the result omits unknown SKUs.
   * @param skus at most 100, each once
   * @throws {Throttled} DynamoDB left some of them unread five times
   */
  async of(skus: readonly string[]): Promise<ReadonlyMap<string, Product>> {
    const found = new Map<string, Product>();
    if (skus.length === 0) return found;
    let Keys: Item[] = skus.map(keyOf);
    return retryOnConflict(async () => {
      const { Responses, UnprocessedKeys } = await documents.send(
        new BatchGetCommand({ RequestItems: { [this.table]: { Keys, ConsistentRead: true } } }),
      );
      for (const { pk: _, sk: __, ...product } of Responses?.[this.table] ?? [])
        found.set(product.sku, product as Product);
      Keys = UnprocessedKeys?.[this.table]?.Keys ?? [];
      if (Keys.length > 0) throw new Throttled('batch read');
      return found;
    });
  }
}
