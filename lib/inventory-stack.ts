import type { Construct } from 'constructs';
import { inventoryContract } from '../lambdas/inventory/contract.js';
import { RESERVATION, STOCK_ITEM } from '../lambdas/inventory/keys.js';
import { cancellations, steps } from '../lambdas/inventory/subscriptions.js';
import { keysOf } from '../packages/kit/messages/keys.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';

const STOCK = keysOf(STOCK_ITEM);

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
    this.grantEffect(reservations, RESERVATION);
    reservations.grantItems(table, ['UpdateItem'], STOCK);

    const commands = this.consumer('Commands', {
      name: 'inventory-commands',
      entry: 'inventory/on-command',
      hears: [steps],
    });
    // A step is always answered: none is decided without a write.
    this.grantAppend(commands, RESERVATION);
    commands.grantItems(table, ['UpdateItem'], STOCK);
  }
}
