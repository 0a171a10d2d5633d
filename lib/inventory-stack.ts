import type { Construct } from 'constructs';
import { inventoryContract } from '../lambdas/inventory/contract.js';
import { cancellations, steps } from '../lambdas/inventory/subscriptions.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';

const STOCK = 'StockItem#';
const RESERVATIONS = 'Reservation#';

/** Inventory: stock by SKU, set by an operator, reserved and released by orders' sagas, released by cancellations. */
export class InventoryStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, inventoryContract.service, props);
    const { table } = this;

    this.endpoint('SetStock', 'PUT', '/stock/{sku}', 'inventory/set-stock').grantItems(
      table,
      ['GetItem', 'PutItem', 'UpdateItem'],
      STOCK,
    );
    this.endpoint('GetStock', 'GET', '/stock/{sku}', 'inventory/get-stock').grantItems(table, ['GetItem'], STOCK);

    const reservations = this.consumer('Reservations', {
      name: 'reservations',
      entry: 'inventory/on-order-event',
      hears: [cancellations],
    });
    reservations.grantItems(table, ['Query', 'PutItem', 'ConditionCheckItem'], RESERVATIONS);
    reservations.grantItems(table, ['UpdateItem'], STOCK);

    const commands = this.consumer('Commands', {
      name: 'inventory-commands',
      entry: 'inventory/on-command',
      hears: [steps],
    });
    // A step is always answered: none is decided without a write.
    commands.grantItems(table, ['Query', 'PutItem'], RESERVATIONS);
    commands.grantItems(table, ['UpdateItem'], STOCK);
  }
}
