import { Tags } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { inventoryContract } from '../lambdas/services/inventory/contract.js';
import { ordersContract } from '../lambdas/services/orders/contract.js';
import type { Bundles } from './constructs/bundles.js';
import { AccountsStack } from './services/accounts.js';
import { ApiStack } from './services/api.js';
import { CatalogStack } from './services/catalog.js';
import { InventoryStack } from './services/inventory.js';
import { OrdersStack } from './services/orders.js';
import { PaymentsStack } from './services/payments.js';
import { PlatformStack } from './services/platform.js';
import type { Settings } from './settings.js';

export interface OrderlyStageProps {
  readonly settings: Settings;
  readonly bundles: Pick<Bundles, 'code'>;
}

/**
 * Every stack of one environment, and who listens to whom:
 *
 *     client -> Api -> Orders    -- OrderPlaced, OrderCancelled ---> Inventory
 *                      Orders    <- StockReserved, StockRejected --- Inventory
 *                      Orders    -- its own events (the list) -----> Orders
 *                      Accounts  -- its own events (who has no credit left) -> Accounts
 *                      Payments  -- its own events (what the provider is to do) -> Payments -> provider
 *
 * Commands of sagas go to Inventory, Accounts, Payments and Catalog from whoever has one.
 *
 * Services share the bus and the people's keys, and nothing else: no stack of a service refers to another's.
 *
 * Not a `cdk.Stage`: inside one, `cdk deploy --all` finds no stack, and `cdk synth` ends with 0 in spite of findings.
 */
export class OrderlyStage extends Construct {
  constructor(scope: Construct, id: string, { settings, bundles }: OrderlyStageProps) {
    super(scope, id);
    const { bus, alarmTopic, personalKeys } = new PlatformStack(this, 'Platform', { settings });
    const common = { settings, bundles, bus, alarmTopic };
    const orders = new OrdersStack(this, 'Orders', {
      ...common,
      personalKeys,
      stockAnswers: { contract: inventoryContract, types: ['StockReserved', 'StockRejected'] },
    });
    const inventory = new InventoryStack(this, 'Inventory', {
      ...common,
      orderEvents: { contract: ordersContract, types: ['OrderPlaced', 'OrderCancelled'] },
    });
    const accounts = new AccountsStack(this, 'Accounts', common);
    const payments = new PaymentsStack(this, 'Payments', common);
    const catalog = new CatalogStack(this, 'Catalog', common);
    const routes = [orders, inventory, accounts, payments, catalog].flatMap((service) => service.routes);
    new ApiStack(this, 'Api', { ...common, routes });
    Tags.of(this).add('orderly:environment', settings.environment);
  }
}
