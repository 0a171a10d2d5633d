import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { catalogContract, PRODUCTS_INDEX } from '../lambdas/catalog/contract.js';
import { PRICE_CHECK, PRODUCT, PRODUCT_LISTS } from '../lambdas/catalog/keys.js';
import { steps } from '../lambdas/catalog/subscriptions.js';
import { keysOf } from '../packages/kit/messages/keys.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';

const PRODUCTS = keysOf(PRODUCT);

/** Catalogue: what is sold and for how much, set by operators; confirms an order's prices by its saga's command. */
export class CatalogStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, catalogContract.service, props);
    const { table } = this;
    // Sparse: products alone have its key, not their commits.
    table.addGlobalSecondaryIndex({
      indexName: PRODUCTS_INDEX,
      partitionKey: { name: 'listPk', type: AttributeType.STRING },
      sortKey: { name: 'listSk', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['name', 'unitPrice', 'version'],
    });

    this.endpoint('SetProduct', 'PUT', '/products/{sku}', 'catalog/set-product').grantItems(
      table,
      ['GetItem', 'PutItem'],
      PRODUCTS,
    );
    this.endpoint('GetProduct', 'GET', '/products/{sku}', 'catalog/get-product').grantItems(
      table,
      ['GetItem'],
      PRODUCTS,
    );
    this.endpoint('ListProducts', 'GET', '/products', 'catalog/list-products').grantIndex(
      table,
      PRODUCTS_INDEX,
      PRODUCT_LISTS,
    );

    const commands = this.consumer('Commands', {
      name: 'catalog-commands',
      entry: 'catalog/on-command',
      hears: [steps],
    });
    this.grantAppend(commands, PRICE_CHECK);
    commands.grantItems(table, ['BatchGetItem'], PRODUCTS);
  }
}
