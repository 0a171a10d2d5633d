import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { clientConfig } from '../../tools/local/endpoint.js';
import type { Aggregate, ConsumerName, FunctionName, RelayName } from '../acceptance/world.js';
import type { Deployed } from './deployed.js';

/** Where a consumer's queue, function and records are found, by the names of stacks and outputs. */
export const CONSUMERS: Readonly<Record<ConsumerName, { stack: string; construct: string; fn: FunctionName }>> = {
  reservations: { stack: 'Inventory', construct: 'Reservations', fn: 'inventory/on-order-event' },
  'inventory-commands': { stack: 'Inventory', construct: 'Commands', fn: 'inventory/on-command' },
  'orders-saga': { stack: 'Orders', construct: 'Saga', fn: 'orders/on-saga-message' },
  'orders-list': { stack: 'Orders', construct: 'ListProjection', fn: 'orders/list-projection' },
  'accounts-commands': { stack: 'Accounts', construct: 'Commands', fn: 'accounts/on-command' },
  'accounts-orders': { stack: 'Accounts', construct: 'OrderEnds', fn: 'accounts/on-order-event' },
  'payments-commands': { stack: 'Payments', construct: 'Commands', fn: 'payments/on-command' },
  'payments-orders': { stack: 'Payments', construct: 'Cancellations', fn: 'payments/on-order-event' },
  'payments-provider': { stack: 'Payments', construct: 'Provider', fn: 'payments/charge-at-sandbox' },
  'catalog-commands': { stack: 'Catalog', construct: 'Commands', fn: 'catalog/on-command' },
  'accounts-exhausted': { stack: 'Accounts', construct: 'ExhaustedProjection', fn: 'accounts/exhausted-projection' },
};

/** Stack in which a relay works; its failure records lie there under the name `relay`. */
export const RELAYS: Readonly<Record<RelayName, string>> = {
  'orders/relay': 'Orders',
  'inventory/relay': 'Inventory',
  'accounts/relay': 'Accounts',
  'payments/relay': 'Payments',
  'catalog/relay': 'Catalog',
};

/** Service and stack of each kind of aggregate. */
export const HOMES: Readonly<Record<Aggregate, { service: string; stack: string }>> = {
  Order: { service: 'orders', stack: 'Orders' },
  CreateOrderSaga: { service: 'orders', stack: 'Orders' },
  Reservation: { service: 'inventory', stack: 'Inventory' },
  StockItem: { service: 'inventory', stack: 'Inventory' },
  Account: { service: 'accounts', stack: 'Accounts' },
  Payment: { service: 'payments', stack: 'Payments' },
  Product: { service: 'catalog', stack: 'Catalog' },
  PriceCheck: { service: 'catalog', stack: 'Catalog' },
};

/** Part of each function's physical name that no other function's has. */
export const PART_OF_NAME: Readonly<Record<FunctionName, string>> = {
  'orders/relay': 'Orders-OutboxRelay',
  'inventory/relay': 'Inventory-OutboxRelay',
  'orders/place-order': 'Orders-PlaceOrder',
  'orders/get-order': 'Orders-GetOrder',
  'orders/list-orders': 'Orders-ListOrders',
  'orders/cancel-order': 'Orders-CancelOrder',
  'orders/on-saga-message': 'Orders-OnSaga',
  'orders/list-projection': 'Orders-OnListProjection',
  'inventory/set-stock': 'Inventory-SetStock',
  'inventory/on-order-event': 'Inventory-OnReservations',
  'inventory/on-command': 'Inventory-OnCommands',
  'payments/relay': 'Payments-OutboxRelay',
  'payments/request-payment': 'Payments-RequestPayment',
  'payments/on-command': 'Payments-OnCommands',
  'payments/on-order-event': 'Payments-OnCancellations',
  'payments/charge-at-sandbox': 'Payments-OnProvider',
  'catalog/relay': 'Catalog-OutboxRelay',
  'catalog/set-product': 'Catalog-SetProduct',
  'catalog/on-command': 'Catalog-OnCommands',
  'accounts/relay': 'Accounts-OutboxRelay',
  'accounts/set-credit-limit': 'Accounts-SetCreditLimit',
  'accounts/on-command': 'Accounts-OnCommands',
  'accounts/on-order-event': 'Accounts-OnOrderEnds',
  'accounts/exhausted-projection': 'Accounts-OnExhaustedProjection',
};

/** Undefined for functions that scenarios don't speak of. */
export const functionOf = (physicalName: string): FunctionName | undefined =>
  (Object.keys(PART_OF_NAME) as FunctionName[]).find((fn) => physicalName.includes(PART_OF_NAME[fn]));

/** An output of a stack. @throws {Error} where the deployment hasn't it */
export function output({ outputs }: Pick<Deployed, 'outputs'>, stack: string, name: string): string {
  const value = outputs[stack]?.[name];
  if (!value) throw new Error(`the deployment has no output ${stack}.${name}`);
  return value;
}

/**
 * Log groups of each function that scenarios speak of: the one that it is given, and the one by its own name, where
 * LocalStack logs all the same.
 */
export async function logGroups(
  deployed: Pick<Deployed, 'endpoint' | 'region'>,
): Promise<ReadonlyMap<FunctionName, readonly string[]>> {
  const client = new LambdaClient(clientConfig({ url: deployed.endpoint, region: deployed.region }));
  const groups = new Map<FunctionName, readonly string[]>();
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName: name = '', LoggingConfig } of Functions) {
      const fn = functionOf(name);
      const given = LoggingConfig?.LogGroup ?? [];
      if (fn) groups.set(fn, [`/aws/lambda/${name}`].concat(given));
    }
  }
  client.destroy();
  return groups;
}
