import { type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { inventoryContract } from '../lambdas/inventory/contract.js';
import { RESERVATION, STOCK_ITEM } from '../lambdas/inventory/keys.js';
import * as routes from '../lambdas/inventory/routes.js';
import { orderEnds, stepCommands } from '../lambdas/inventory/subscriptions.js';
import type { Settings } from './settings.js';

const STOCK = aggregateKeyPrefix(STOCK_ITEM);

export interface InventoryStackProps extends EnvironmentProps {
  readonly settings: Settings;
}

/**
 * Service `inventory`: stock by SKU, set by operators. Orders' sagas reserve and release it; cancellations release it too,
 * and dispatches take it out.
 * Reservations of hot SKUs take a lane.
 */
export class InventoryStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: InventoryStackProps) {
    const name = inventoryContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;

    service
      .addEndpoint('SetStock', routes.setStock, 'inventory/set-stock')
      .grantItems(table, ['GetItem', 'PutItem', 'UpdateItem'], STOCK);
    service.addEndpoint('GetStock', routes.getStock, 'inventory/get-stock').grantItems(table, ['GetItem'], STOCK);

    const reservations = service.addConsumer('Reservations', {
      name: 'reservations',
      entry: 'inventory/on-order-event',
      subscribesTo: [orderEnds],
    });
    service.grantEffect(reservations, RESERVATION);
    reservations.grantItems(table, ['UpdateItem'], STOCK);

    const { handler: commands, writer } = service.addLane('Commands', {
      name: 'inventory-commands',
      entry: 'inventory/on-command',
      subscribesTo: [stepCommands],
      laneEntry: 'inventory/on-lane',
      hotKeys: props.settings.hotSkus,
    });
    // Each step is answered, so each decision has a write.
    service.grantAppend(commands, RESERVATION);
    commands.grantItems(table, ['UpdateItem'], STOCK);
    // The writer loads nothing: its conditions say what it assumes.
    writer.grantItems(table, ['PutItem'], aggregateKeyPrefix(RESERVATION));
    writer.grantItems(table, ['UpdateItem'], STOCK);
  }
}
