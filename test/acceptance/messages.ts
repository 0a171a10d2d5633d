import { type AccountCommand, accountsContract } from '../../lambdas/accounts/contract.js';
import { type CatalogCommand, catalogContract } from '../../lambdas/catalog/contract.js';
import { type InventoryCommand, inventoryContract } from '../../lambdas/inventory/contract.js';
import type { OrderLine } from '../../lambdas/orders/contract.js';
import { paymentsContract, type StepCommand } from '../../lambdas/payments/contract.js';
import {
  type AnyEvent,
  encodeEvent,
  type ServiceContract,
  toCommandContract,
} from '../../packages/kit/messages/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import type { Aggregate } from './world.js';

/**
 * Messages that scenarios make by hand. They equal those of Orderly's publishers, except for what a scenario changes.
 */

const DEFAULTS = {
  specversion: '1.0',
  source: 'orderly.orders',
  sequence: 1,
  epoch: 0,
  causationid: 'scenario',
  correlationid: 'scenario',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  actor: 'customer:alice',
} as const;

/** Returns the id of an order that was never placed. */
export const newOrderId = (): string => world.uuid().replaceAll('-', '');

export const orderPlaced = (orderId: string, lines: readonly OrderLine[], change: Partial<Envelope> = {}): Envelope =>
  event('OrderPlaced', orderId, change, {
    orderId,
    customerId: 'alice',
    lines,
    total: { amount: lines.reduce((sum, line) => sum + line.quantity * line.unitPrice.amount, 0), currency: 'EUR' },
    placedAt: world.time(),
  });

/** @param data further fields, such as `underWay` if the order's saga was still running */
export const orderCancelled = (orderId: string, data: object = {}, change: Partial<Envelope> = {}): Envelope =>
  event('OrderCancelled', orderId, { sequence: 2, ...change }, { orderId, customerId: 'alice', ...data });

function event(type: string, orderId: string, change: Partial<Envelope>, data: object): Envelope {
  return {
    ...DEFAULTS,
    id: world.uuid(),
    type,
    subject: `Order/${orderId}`,
    time: world.time(),
    dataschema: `urn:orderly:orders:${type}:1`,
    data,
    ...change,
  };
}

/** Returns a saga's step as its relay would send it to a service. A retry of the step is another message. */
const commandTo =
  <Command extends AnyEvent & { readonly data: { readonly orderId: string } }>(contract: ServiceContract) =>
  (command: Command, change: Partial<Envelope> = {}): Envelope => {
    const { type, data } = command;
    encodeEvent(toCommandContract(contract), command);
    return {
      ...DEFAULTS,
      id: world.uuid(),
      to: contract.service,
      type,
      subject: `CreateOrderSaga/${data.orderId}`,
      time: world.time(),
      dataschema: `urn:orderly:${contract.service}:${type}:1`,
      data,
      ...change,
    };
  };

export const toAccounts = commandTo<AccountCommand>(accountsContract);
export const toInventory = commandTo<InventoryCommand>(inventoryContract);
export const toCatalog = commandTo<CatalogCommand>(catalogContract);
export const toPayments = commandTo<StepCommand>(paymentsContract);

/** Waits for the events of the commit that a message caused. */
export const causedBy = ({ id }: Envelope, aggregate: Aggregate, of: string): Promise<readonly Envelope[]> =>
  world.eventually(`${aggregate} ${of} has answered ${id}`, async () => {
    const own = (await world.events({ aggregate, id: of })).filter(({ causationid }) => causationid === id);
    if (own.length === 0) throw new Error('not yet');
    return own;
  });

/** Returns the body of a queue message, as an EventBridge rule writes it. */
export const queued = (envelope: Envelope): string =>
  JSON.stringify({
    version: '0',
    id: world.uuid(),
    'detail-type': envelope.type,
    source: envelope.source,
    account: '000000000000',
    time: envelope.time,
    region: 'us-east-1',
    resources: [],
    detail: envelope,
  });
