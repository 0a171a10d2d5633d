import { type AnyEvent, commandsOf, eventToWrite, type ServiceContract } from '../../lambdas/patterns/contract.js';
import type { Envelope } from '../../lambdas/patterns/outbox/envelope.js';
import { type AccountCommand, accountsContract } from '../../lambdas/services/accounts/contract.js';
import { type CatalogCommand, catalogContract } from '../../lambdas/services/catalog/contract.js';
import type { OrderLine } from '../../lambdas/services/orders/contract.js';
import { world } from '../support/world.js';

/** Messages that scenarios make by hand: as a publisher of ours would, but for what a scenario changes. */

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

/** An order's id, of an order that was never placed. */
export const newOrderId = (): string => world.uuid().replaceAll('-', '');

export const orderPlaced = (orderId: string, lines: readonly OrderLine[], change: Partial<Envelope> = {}): Envelope =>
  event('OrderPlaced', orderId, change, {
    orderId,
    customerId: 'alice',
    lines,
    total: { amount: lines.reduce((sum, line) => sum + line.quantity * line.unitPrice.amount, 0), currency: 'EUR' },
    placedAt: world.time(),
  });

export const orderCancelled = (orderId: string, change: Partial<Envelope> = {}): Envelope =>
  event('OrderCancelled', orderId, { sequence: 2, ...change }, { orderId });

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

/** A step of a saga's, as its relay would send it to the accounts; a retry of it is another message. */
export const toAccounts = (command: AccountCommand, change: Partial<Envelope> = {}): Envelope =>
  step(accountsContract, command, command.data.orderId, change);

/** The same to the catalogue. */
export const toCatalog = (command: CatalogCommand, change: Partial<Envelope> = {}): Envelope =>
  step(catalogContract, command, command.data.orderId, change);

function step(to: ServiceContract, command: AnyEvent, orderId: string, change: Partial<Envelope>): Envelope {
  const { type, data } = command;
  eventToWrite(commandsOf(to), command);
  return {
    ...DEFAULTS,
    id: world.uuid(),
    to: to.service,
    type,
    subject: `CreateOrderSaga/${orderId}`,
    time: world.time(),
    dataschema: `urn:orderly:${to.service}:${type}:1`,
    data,
    ...change,
  };
}

/** The body of a queue message, as an EventBridge rule writes it. */
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
