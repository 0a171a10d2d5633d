import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { clientConfig } from '../../packages/kit/operator/endpoint.js';
import { type Listener, listenersOf, type Service } from '../../packages/kit/operator/services.js';
import type { Aggregate, ConsumerName, FunctionName, RelayName } from '../acceptance/world.js';
import type { Deployed } from './deployed.js';

/** Entry point of each consumer; outputs don't name functions by what scenarios call them. */
export const FUNCTION_OF: Readonly<Record<ConsumerName, FunctionName>> = {
  reservations: 'inventory/on-order-event',
  'inventory-commands': 'inventory/on-command',
  'orders-saga': 'orders/on-saga-message',
  'orders-list': 'orders/list-projection',
  'accounts-commands': 'accounts/on-command',
  'accounts-orders': 'accounts/on-order-event',
  'payments-commands': 'payments/on-command',
  'payments-orders': 'payments/on-order-event',
  'payments-provider': 'payments/charge-at-sandbox',
  'catalog-commands': 'catalog/on-command',
  'accounts-exhausted': 'accounts/exhausted-projection',
};

/** Service of each kind of aggregate. */
export const SERVICE_OF: Readonly<Record<Aggregate, string>> = {
  Order: 'orders',
  CreateOrderSaga: 'orders',
  Reservation: 'inventory',
  StockItem: 'inventory',
  Account: 'accounts',
  Payment: 'payments',
  Product: 'catalog',
  PriceCheck: 'catalog',
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

/** A consumer, or a service's relay, as the outputs tell. @throws {Error} where the deployment hasn't it */
export function listenerNamed(services: readonly Service[], name: ConsumerName | RelayName): Listener {
  const found = listenersOf(services).find(
    (one) => name === (one.consumer ? one.name : `${one.service.name}/${one.name}`),
  );
  if (!found) throw new Error(`the deployment has no consumer or relay ${name}`);
  return found;
}

/** The service that owns an aggregate. @throws {Error} where the deployment hasn't it */
export function homeOf(services: readonly Service[], aggregate: Aggregate): Service {
  const found = services.find(({ name }) => name === SERVICE_OF[aggregate]);
  if (!found) throw new Error(`the deployment has no service ${SERVICE_OF[aggregate]}`);
  return found;
}

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
