import type { Commit } from '../../../lambdas/patterns/event-store/commit.js';
import { recordKey } from '../../../lambdas/patterns/idempotent-consumer/failure-records.js';
import type { OrderView } from '../../../lambdas/services/orders/contract.js';
import type { OrderFacts } from '../../../tools/operator/deliveries.js';
import type { ConsumerRecord } from '../../../tools/operator/records.js';
import type { Service } from '../../../tools/operator/services.js';

const WINDOW = 35 * 86_400;

const consumer = (name: string, service: string, types: readonly string[], projection = false) => ({
  name,
  generation: 0,
  queueUrl: `https://queue/${name}`,
  events: [{ service, types }],
  takesCommands: false,
  dedupeWindowSeconds: WINDOW,
  longestRedeliverySeconds: 22 * 86_400,
  projection,
});

/** Two services as they are deployed. */
export const SERVICES: readonly Service[] = [
  {
    name: 'inventory',
    table: 'inventory',
    records: 'inventory-records',
    relay: 'inventory-relay',
    consumers: [consumer('reservations', 'orders', ['OrderPlaced', 'OrderCancelled'])],
  },
  {
    name: 'orders',
    table: 'orders',
    records: 'orders-records',
    relay: 'orders-relay',
    consumers: [
      consumer('orders-stock', 'inventory', ['StockReserved', 'StockRejected']),
      consumer('orders-list', 'orders', ['OrderPlaced', 'OrderApproved', 'OrderRejected', 'OrderCancelled'], true),
    ],
  },
];

export const AT = '2026-01-01T00:00:00.000Z';

/** @param after seconds since the order was placed */
export const time = (after: number): string => new Date(Date.parse(AT) + after * 1000).toISOString();

export const commit = (aggregate: 'Order' | 'Reservation', version: number, type: string, trigger: string): Commit => ({
  pk: `${aggregate}#o1`,
  sk: `COMMIT#${String(version).padStart(10, '0')}`,
  events: [{ id: `${type}-${version}`, type, schemaVersion: 1, data: '{"orderId":"o1"}' }],
  lastVersion: version,
  trigger,
  actor: 'customer:alice',
  correlationId: 'c1',
  traceparent: 't',
  at: AT,
  feedPk: 'f',
  feedSk: 'f',
});

export const PLACED = commit('Order', 1, 'OrderPlaced', 'request-1');
export const APPROVED = commit('Order', 2, 'OrderApproved', 'StockReserved-1');
export const RESERVED = commit('Reservation', 1, 'StockReserved', 'OrderPlaced-1');

const VIEW: OrderView = {
  orderId: 'o1',
  customerId: 'alice',
  status: 'APPROVED',
  lines: [],
  total: { amount: 1, currency: 'EUR' },
  version: 2,
  placedAt: AT,
};

const processed = (): ConsumerRecord => ({ pk: 'p', status: 'PROCESSED', processedAt: time(1) });

/** An order through which everything went, and all its records by `<consumer>@0#<message id>`. */
export const DONE: Readonly<Record<string, ConsumerRecord>> = {
  'reservations@0#OrderPlaced-1': processed(),
  'orders-stock@0#StockReserved-1': processed(),
};

export interface Given {
  readonly orders?: readonly Commit[];
  readonly reservations?: readonly Commit[];
  readonly status?: OrderView['status'] | 'NONE';
  readonly records?: Readonly<Record<string, ConsumerRecord>>;
  readonly shown?: number;
  /** Seconds since the order was placed. */
  readonly after?: number;
}

export function facts(given: Given = {}): OrderFacts {
  const { orders = [PLACED, APPROVED], reservations = [RESERVED], status = 'APPROVED' } = given;
  const { records = DONE, shown = orders.length, after = 12 } = given;
  return {
    orderId: 'o1',
    now: time(after),
    services: SERVICES,
    order: status === 'NONE' ? undefined : { ...VIEW, status, version: orders.length },
    aggregates: [
      { service: 'orders', subject: 'Order/o1', commits: orders },
      { service: 'inventory', subject: 'Reservation/o1', commits: reservations },
    ],
    recordOf: (listener, messageId) => records[recordKey(listener, messageId)],
    shown: new Map([['orders-list', shown]]),
  };
}
