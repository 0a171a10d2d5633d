import { type OrderEvent, type OrderView, ordersContract } from '../../../lambdas/services/orders/contract.js';
import { evolve, initialState, viewOf } from '../../../lambdas/services/orders/domain/order.js';
import type { BusEvent } from '../../simulator/aws/eventbridge.js';
import type { Orderly, Row } from './orderly.js';

/** An append as it lies in a table. */
export interface Commit {
  readonly pk: string;
  readonly sk: string;
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: string }[];
  readonly lastVersion: number;
  readonly trigger: string;
}

/** A consumer's record of a message. */
export interface MessageRecord {
  readonly pk: string;
  readonly status: 'PROCESSED' | 'FAILED';
  readonly payload?: string;
}

export interface Counter {
  readonly sku: string;
  readonly onHand: number;
  readonly reserved: number;
  readonly available: number;
}

/** Who listens to what: consumers by name, with the table of their records and their functions' queues. */
export const CONSUMERS = [
  {
    name: 'reservations',
    source: 'orderly.orders',
    types: ['OrderPlaced', 'OrderCancelled'],
    construct: 'Inventory/Reservations',
  },
  {
    name: 'orders-stock',
    source: 'orderly.inventory',
    types: ['StockReserved', 'StockRejected'],
    construct: 'Orders/StockAnswers',
  },
  {
    name: 'orders-list',
    source: 'orderly.orders',
    types: Object.keys(ordersContract.events),
    construct: 'Orders/ListProjection',
  },
] as const;

/** Everything that invariants look at, read once from the tables after a history has come to rest. */
export class Facts {
  readonly orders: ReadonlyMap<string, readonly Commit[]>;
  readonly reservations: ReadonlyMap<string, readonly Commit[]>;
  readonly commits: readonly Commit[];
  readonly counters: readonly Counter[];
  readonly rows: readonly Row[];
  readonly records: ReadonlyMap<string, MessageRecord>;
  readonly published: ReadonlyMap<string, BusEvent>;

  constructor(readonly orderly: Orderly) {
    const tables = [...orderly.items('orders'), ...orderly.items('inventory')];
    this.commits = tables.filter(({ sk }) => String(sk).startsWith('COMMIT#')) as unknown as Commit[];
    this.orders = byId(this.commits, 'Order#');
    this.reservations = byId(this.commits, 'Reservation#');
    this.counters = tables
      .filter(({ pk, sk }) => String(pk).startsWith('StockItem#') && sk === 'STATE')
      .map((row) => ({ ...(row as unknown as Counter), sku: String(row.pk).slice('StockItem#'.length) }));
    this.rows = tables.filter(({ pk }) => String(pk).startsWith('CUSTOMER#'));
    const records = [...orderly.items('ordersRecords'), ...orderly.items('inventoryRecords')];
    this.records = new Map(records.map((record) => [String(record.pk), record as unknown as MessageRecord]));
    this.published = new Map(
      orderly.cloud.events.accepted
        .filter(({ event }) => event.source.startsWith('orderly.'))
        .map(({ event }) => [String((event.detail as { id?: unknown }).id), event]),
    );
  }

  /** The order as its events tell it. */
  order(id: string): OrderView | undefined {
    const events = (this.orders.get(id) ?? []).flatMap(({ events }) => events);
    const state = events.reduce(
      (order, { type, data }) => evolve(order, { type, data: JSON.parse(data) } as OrderEvent),
      initialState,
    );
    return viewOf(state, events.length);
  }

  /** What a reservation's last event says: which event, and lines where there are any. */
  reservation(
    id: string,
  ): { readonly type: string; readonly lines: readonly { sku: string; quantity: number }[] } | undefined {
    const event = this.reservations.get(id)?.at(-1)?.events.at(-1);
    if (!event) return undefined;
    const { lines = [] } = JSON.parse(event.data) as { lines?: readonly { sku: string; quantity: number }[] };
    return { type: event.type, lines };
  }

  /** Whether anything about an order is visible as failed or still waits in a queue: then it may lag behind. */
  isVisible(id: string): boolean {
    const mentions = (text: string | undefined): boolean => text?.includes(id) ?? false;
    const failed = [...this.records.values()].some((record) => record.status === 'FAILED' && mentions(record.payload));
    const waiting = [...this.orderly.cloud.queues.values()].some((queue) =>
      queue.all().some(({ body }) => mentions(body)),
    );
    return failed || waiting;
  }
}

function byId(commits: readonly Commit[], prefix: string): ReadonlyMap<string, readonly Commit[]> {
  const found = new Map<string, Commit[]>();
  for (const commit of commits) {
    if (!commit.pk.startsWith(prefix)) continue;
    const id = commit.pk.slice(prefix.length);
    found.set(id, [...(found.get(id) ?? []), commit]);
  }
  return found;
}
