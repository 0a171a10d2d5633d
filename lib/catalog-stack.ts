import { type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { catalogContract, PRODUCTS_INDEX } from '../lambdas/catalog/contract.js';
import { PRICE_CHECK, PRODUCT, PRODUCT_LISTS } from '../lambdas/catalog/keys.js';
import * as routes from '../lambdas/catalog/routes.js';
import { stepCommands } from '../lambdas/catalog/subscriptions.js';

const PRODUCTS = aggregateKeyPrefix(PRODUCT);

/** Service `catalog`: products and their prices, set by operators. It confirms an order's prices on a command of its saga. */
export class CatalogStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: EnvironmentProps) {
    const name = catalogContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;
    // Sparse: only products have these keys, not their commits.
    const bySku = {
      partitionKey: { name: 'listPk', type: AttributeType.STRING },
      sortKey: { name: 'listSk', type: AttributeType.STRING },
    };
    // The projection of an index can't be changed. This one has the whole item, so a new field needs no new index.
    table.addGlobalSecondaryIndex({ indexName: PRODUCTS_INDEX, ...bySku, projectionType: ProjectionType.ALL });
    // 0.2.0 reads this one, during a deployment and after a rollback. The release after this one removes it.
    table.addGlobalSecondaryIndex({
      indexName: 'products',
      ...bySku,
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['name', 'unitPrice', 'version'],
    });

    service
      .addEndpoint('SetProduct', routes.setProduct, 'catalog/set-product')
      .grantItems(table, ['GetItem', 'PutItem'], PRODUCTS);
    service
      .addEndpoint('GetProduct', routes.getProduct, 'catalog/get-product')
      .grantItems(table, ['GetItem'], PRODUCTS);
    service
      .addEndpoint('ListProducts', routes.listProducts, 'catalog/list-products')
      .grantIndex(table, PRODUCTS_INDEX, PRODUCT_LISTS);

    const commands = service.addConsumer('Commands', {
      name: 'catalog-commands',
      entry: 'catalog/on-command',
      subscribesTo: [stepCommands],
    });
    service.grantAppend(commands, PRICE_CHECK);
    commands.grantItems(table, ['BatchGetItem'], PRODUCTS);
  }
}
