import { APP } from '../../../lambdas/app.js';
import type { Line as BasketLine } from '../../../lambdas/baskets/domain/basket.js';
import { type OrderEvent, type OrderView, ordersContract } from '../../../lambdas/orders/contract.js';
import { evolve, initialState, toView } from '../../../lambdas/orders/domain/order.js';
import { CREATE_ORDER_SAGA } from '../../../lambdas/orders/keys.js';
import type { CreateOrder, CreateOrderEvent } from '../../../lambdas/orders/saga-contract.js';
import { recordKey, relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import { cursorKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { isRequest, REQUEST_PREFIX } from '../../../packages/kit/lane/contract.js';
import type { Commit as StoredCommit } from '../../../packages/kit/messages/commit.js';
import { type AnyEvent, readEvent, type ServiceContract } from '../../../packages/kit/messages/contract.js';
import { type Envelope, messageIdOf, toBusEntries } from '../../../packages/kit/messages/envelope.js';
import type { Versions } from '../../../packages/kit/projection/contract.js';
import { parseKeyVersion, parseVersions, pointerKey } from '../../../packages/kit/projection/versions.js';
import { stuckKey } from '../../../packages/kit/saga/contract.js';
import { evolve as evolveSaga, initialState as noSaga, type SagaState } from '../../../packages/kit/saga/state.js';
import { type Listener, listListeners, listRecordKeys } from '../../../packages/operator/deployment/services.js';
import { toPlainItem } from '../../../packages/simulator/services/dynamodb/plain.js';
import type { Change } from '../../../packages/simulator/services/dynamodb/wire.js';
import type { BusEvent } from '../../../packages/simulator/services/events/bus-event.js';

import type { Queue } from '../../../packages/simulator/services/sqs/model.js';
import type { Orderly, Row } from './orderly.js';
import { STRIPE, Stripe } from './stripe.js';

interface Message {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
}

/** Stored commit. */
export interface Commit {
  readonly pk: string;
  readonly sk: string;
  readonly events: readonly Message[];
  /** Commands to other services. They are sent with the events, and are not part of the history. */
  readonly commands?: readonly Message[];
  readonly lastVersion: number;
  readonly trigger: string;
  readonly actor: string;
  readonly correlationId: string;
  /** ISO 8601 */
  readonly at: string;
  /** API commits only. */
  readonly requestHash?: string;
  /** Epoch seconds; state-stored aggregates only. */
  readonly expiresAt?: number;
  /** State after the commit, as JSON, in some commits. */
  readonly snapshot?: { readonly state: string };
}

/** A message that services hear. */
export type Published = Pick<BusEvent, 'source' | 'detail-type' | 'detail'>;

/** Record of a consumer about a message. */
export interface MessageRecord {
  readonly pk: string;
  readonly status: 'PENDING' | 'PROCESSED' | 'FAILED' | 'DISCARDED' | 'REPEATED';
  /** For a repeated command: the message whose failure stands for it. */
  readonly repeats?: string;
  readonly payload?: string;
  readonly subject?: string;
  readonly unknown?: boolean;
  /** Window in which a message of an inbox in mode batch has a place. */
  readonly window?: string;
  /** Deliveries until it failed. */
  readonly attempts?: number;
  /** Key of the list of failures. */
  readonly failedConsumer?: string;
  /** Newest first. */
  readonly failures?: readonly { readonly name: string; readonly message: string; readonly at: string }[];
}

export interface Counter {
  readonly sku: string;
  readonly onHand: number;
  readonly reserved: number;
  readonly available: number;
}

/** Row of a customer's list of orders. */
export interface ListRow {
  readonly pk: string;
  readonly sk: string;
  readonly version: number;
  readonly order: string;
  readonly placedPk?: string;
  readonly summary?: string;
}

/** Row of the list of accounts without credit. */
export interface CreditRow {
  readonly version: number;
  readonly account?: string;
  readonly exhaustedPk?: string;
  readonly exhaustedSk?: string;
}

/** Write of a function, with items as plain objects. */
export interface Write {
  readonly at: number;
  readonly fn: string;
  readonly changes: readonly { readonly table: string; readonly before?: Row; readonly after?: Row }[];
  readonly conditions: readonly { readonly key: Row; readonly holds: boolean }[];
}

/** Facts about a saga. */
export interface SagaTold {
  readonly events: readonly CreateOrderEvent[];
  readonly state: SagaState<CreateOrder>;
  /** Steps that an operator resolved. */
  readonly undoneByHand: readonly string[];
}

/** Consumer with queues. */
export type QueueListener = Listener & Required<Pick<Listener, 'consumer'>>;

/**
 * State of an event at a consumer. `failed`, `waiting` (in a queue) and `unpublished` explain a missing effect by something
 * that an operator can see. `missing` has no such explanation.
 */
export type Delivery = 'processed' | 'failed' | 'waiting' | 'unpublished' | 'missing';

/** All data that invariants check, read once after a history has come to rest: the tables, and the writes in their order. */
export class Facts {
  readonly orders: ReadonlyMap<string, readonly Commit[]>;
  readonly sagas: ReadonlyMap<string, readonly Commit[]>;
  readonly reservations: ReadonlyMap<string, readonly Commit[]>;
  readonly accounts: ReadonlyMap<string, readonly Commit[]>;
  readonly payments: ReadonlyMap<string, readonly Commit[]>;
  readonly priceChecks: ReadonlyMap<string, readonly Commit[]>;
  readonly checkouts: ReadonlyMap<string, readonly Commit[]>;
  /** Baskets by their customers. */
  readonly baskets: ReadonlyMap<string, { readonly lines: readonly BasketLine[] }>;
  /** Items of products' lists of holders. */
  readonly holders: readonly { readonly pk: string; readonly sk: string }[];
  readonly commits: readonly Commit[];
  /** Items of the payments' sandbox provider, by key; or what Stripe did, as such items. */
  readonly sandbox: ReadonlyMap<string, Row>;
  /** Stored authorizations of orders, by the item's keys. */
  readonly authorizations: ReadonlyMap<string, string>;
  /** By customer, of the current version. */
  readonly creditRows: ReadonlyMap<string, CreditRow>;
  readonly counters: readonly Counter[];
  /** Orders in the list of stuck sagas. */
  readonly stuck: ReadonlySet<string>;
  /** Rows of the current version. */
  readonly rows: readonly ListRow[];
  /** Rows of lists in versions that are not current. */
  readonly unreadRows: readonly Row[];
  /** Versions of a projection. */
  readonly versionsOf: (projection: string) => Versions;
  readonly records: ReadonlyMap<string, MessageRecord>;
  /** Events and commands, by their ids. */
  readonly published: ReadonlyMap<string, Published>;
  readonly listeners: readonly QueueListener[];
  readonly writes: readonly Write[];
  /** Time of the first record with a key. TTL may have deleted it since. */
  readonly recordedAt = new Map<string, number>();
  /** Time at which a message was first stored for a lane, by the key of its record. */
  readonly storedAt = new Map<string, number>();
  /** Keys of records that were PROCESSED at any time. */
  readonly processed = new Set<string>();
  /** Highest version of an order's row in its customer's list, or of a customer's row in the list of accounts. */
  readonly shown = new Map<string, number>();

  constructor(readonly orderly: Orderly) {
    const tables = orderly.services.flatMap(({ table }) => orderly.itemsOf(table));
    const pointers = new Map(tables.map((item) => [`${String(item.pk)} ${String(item.sk)}`, item]));
    this.versionsOf = (projection) => {
      const { pk, sk } = pointerKey(projection);
      return parseVersions(pointers.get(`${pk} ${sk}`));
    };
    const isRead = (projection: string, { sk }: Row): boolean =>
      parseKeyVersion(String(sk)) === this.versionsOf(projection).reads;
    this.commits = tables.filter(isCommit) as unknown as Commit[];
    this.orders = byId(this.commits, 'Order#');
    this.sagas = byId(this.commits, `${CREATE_ORDER_SAGA}#`);
    this.stuck = new Set(tables.filter(({ pk }) => pk === stuckKey(CREATE_ORDER_SAGA)).map(({ sk }) => String(sk)));
    this.reservations = byId(this.commits, 'Reservation#');
    this.accounts = byId(this.commits, 'Account#');
    this.payments = byId(this.commits, 'Payment#');
    this.priceChecks = byId(this.commits, 'PriceCheck#');
    this.checkouts = byId(this.commits, 'Checkout#');
    this.baskets = new Map(
      tables
        .filter(({ pk, sk }) => String(pk).startsWith('Basket#') && sk === 'STATE')
        .map((row) => [String(row.pk).slice('Basket#'.length), row as unknown as { lines: readonly BasketLine[] }]),
    );
    this.holders = tables.filter(({ pk }) => String(pk).startsWith('HOLDERS#')) as unknown as Facts['holders'];
    const stripe = orderly.cloud.thirdParties.find(STRIPE);
    this.sandbox =
      stripe instanceof Stripe
        ? stripe.tallies
        : new Map(orderly.itemsOf(String(orderly.stacks.Payments?.SandboxName)).map((item) => [String(item.pk), item]));
    this.authorizations = new Map(
      tables
        .filter(({ sk }) => String(sk).startsWith('AUTH#'))
        .map(({ pk, sk, authorization }) => [`${String(pk)} ${String(sk)}`, String(authorization)]),
    );
    this.creditRows = new Map(
      tables
        .filter((row) => String(row.pk).startsWith('CREDIT#') && isRead('accounts-exhausted', row))
        .map((row) => [String(row.pk).slice('CREDIT#'.length), row as unknown as CreditRow]),
    );
    this.counters = tables
      .filter(({ pk, sk }) => String(pk).startsWith('StockItem#') && sk === 'STATE')
      .map((row) => ({ ...(row as unknown as Counter), sku: String(row.pk).slice('StockItem#'.length) }));
    // A copy of the customer's status lies beside the rows.
    const isListed = ({ pk, sk }: Record<string, unknown>) => String(pk).startsWith('CUSTOMER#') && sk !== 'STATUS';
    this.rows = tables.filter((row) => isListed(row) && isRead('orders-list', row)) as unknown as ListRow[];
    this.unreadRows = tables.filter(
      (row) =>
        (isListed(row) && !isRead('orders-list', row)) ||
        (String(row.pk).startsWith('CREDIT#') && !isRead('accounts-exhausted', row)),
    );
    const records = orderly.services.flatMap(({ records }) => orderly.itemsOf(records));
    this.records = new Map(records.map((record) => [String(record.pk), record as unknown as MessageRecord]));
    this.published = new Map([
      // The audit, by itself or by hand, sends to consumers what never came to the bus.
      ...(orderly.cloud.losesMessages ? this.committed(orderly) : []),
      ...orderly.cloud.events.accepted
        .map(({ event }) => event)
        .filter(({ source }) => source.startsWith('orderly.'))
        .map((event) => [String((event.detail as { id?: unknown }).id), event] as const),
    ]);
    this.listeners = listListeners(orderly.services).filter((one): one is QueueListener => one.consumer !== undefined);
    this.writes = orderly.cloud.tableCalls
      .filter(({ effects }) => effects.changes.length > 0)
      .map(({ at, fn, effects }) => ({
        at,
        fn,
        changes: effects.changes.map(plainChange),
        conditions: effects.conditions.map(({ key, holds }) => ({ key: toPlainItem(key), holds })),
      }));
    const rebuilders = new Set(orderly.services.flatMap(({ consumers }) => consumers.map(({ rebuild }) => rebuild)));
    const rebuilding = new Set(
      [...orderly.cloud.functions.values()]
        .filter(({ resource }) => rebuilders.has(resource.ref))
        .map((fn) => fn.label),
    );
    for (const { at, fn, changes } of this.writes) {
      // Rows of a rebuild are visible once their version is current.
      if (!rebuilding.has(fn)) for (const { after } of changes) if (after) this.remember(at, after);
    }
    for (const row of tables) if (!this.unreadRows.includes(row)) this.show(row);
  }

  /** Every event and command of a commit, as its relay would publish it. */
  private committed({ services }: Orderly): readonly (readonly [id: string, Published])[] {
    return services.flatMap(({ name: service, table }) =>
      this.orderly
        .itemsOf(table)
        .filter(isCommit)
        .flatMap((commit) => toBusEntries(commit as unknown as StoredCommit, { app: APP.name, service }))
        .map(({ Source: source, DetailType: type, Detail }) => {
          const detail = JSON.parse(Detail) as Envelope;
          return [detail.id, { source, 'detail-type': type, detail }] as const;
        }),
    );
  }

  /** Folds the order from its first events. @param version number of events; all by default */
  order(id: string, version = Number.POSITIVE_INFINITY): OrderView | undefined {
    const events = (this.orders.get(id) ?? []).flatMap(({ events }) => events).slice(0, version);
    const state = events.reduce(
      (order, event) => evolve(order, parseEvent(ordersContract, event) as OrderEvent),
      initialState,
    );
    return toView(state, events.length);
  }

  /** Whether a service takes part in this history. */
  isAwake(service: string): boolean {
    return this.orderly.services.some(({ name }) => name === service);
  }

  /** Folds the saga of an order from its events. */
  saga(id: string): SagaTold {
    const events = (this.sagas.get(id) ?? []).flatMap(({ events }) =>
      events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as CreateOrderEvent),
    );
    return {
      events,
      state: events.reduce<SagaState<CreateOrder>>(evolveSaga, noSaga),
      undoneByHand: events.flatMap(({ type, data }) =>
        type === 'CompensationDone' && data.by !== undefined ? [data.step] : [],
      ),
    };
  }

  /** Whether the saga of an order was through, and approved it. */
  wasApproved(orderId: string): boolean {
    const events = (this.orders.get(orderId) ?? []).flatMap(({ events }) => events);
    return events.some(({ type }) => type === 'OrderApproved');
  }

  /** Whether the cancellation of an order says that its saga compensates its steps. */
  wasCancelledUnderWay(orderId: string): boolean {
    const events = (this.orders.get(orderId) ?? []).flatMap(({ events }) => events);
    return events.some(({ type, data }) => type === 'OrderCancelled' && JSON.parse(data).underWay === true);
  }

  /** Returns the last fact of a reservation: its id, event type, and its lines if it has any. */
  reservation(id: string): { readonly id: string; readonly type: string; readonly lines: readonly Line[] } | undefined {
    const events = this.reservations.get(id)?.flatMap(({ events }) => events) ?? [];
    // An answer to a repeated step changes nothing.
    const event = events.findLast(({ type }) => type !== 'SagaReplyRequested');
    return event && { id: event.id, type: event.type, lines: linesOf(event.data) };
  }

  /** @throws {Error} if no consumer has this name */
  listener(name: string): QueueListener {
    const found = this.listeners.find((listener) => listener.name === name);
    if (!found) throw new Error(`there is no consumer ${name}`);
    return found;
  }

  /** Returns the state of an event at a consumer that subscribes to its type. */
  delivery(listener: QueueListener, event: { readonly id: string }): Delivery {
    const detail = this.published.get(event.id)?.detail as Envelope | undefined;
    const keys = detail
      ? listRecordKeys(listener, { ...detail, id: messageIdOf(detail) })
      : [recordKey(listener, event.id)];
    if (keys.some((key) => this.processed.has(key))) return 'processed';
    // A projection stores no processed record. The version of its row shows whether it has applied the event.
    const shown = this.shown.get(detail ? idIn(detail.subject) : '') ?? 0;
    if (listener.consumer.projection && detail && shown >= detail.sequence) return 'processed';
    const statuses = keys.map((key) => this.records.get(key)?.status);
    if (statuses.includes('FAILED') || statuses.includes('DISCARDED')) return 'failed';
    if (statuses.includes('REPEATED')) return this.repeated(listener, keys);
    // What an inbox has stored waits for its turn (invariants/inboxes.ts).
    if (listener.consumer.inbox && statuses.includes('PENDING')) return 'waiting';
    if (this.listQueues(listener).some((queue) => queue.listMessages().some(({ body }) => body.includes(event.id))))
      return 'waiting';
    return detail ? 'missing' : 'unpublished';
  }

  /** A repeated command had no effect: it is visible by the failure of the first one of its step, however that ended. */
  private repeated(listener: QueueListener, keys: readonly string[]): Delivery {
    const firsts = keys.map((key) => recordKey(listener, this.records.get(key)?.repeats ?? ''));
    const stands = (key: string): boolean =>
      this.processed.has(key) || ['FAILED', 'DISCARDED'].includes(String(this.records.get(key)?.status));
    return firsts.some(stands) ? 'failed' : 'missing';
  }

  /** Returns the sequence of the last event of a subject that a sequential inbox has processed; 0 if there is none. */
  lastPosition(listener: QueueListener, subject: string): number {
    const cursor = this.records.get(cursorKey(listener, subject)) as { readonly position?: number } | undefined;
    return cursor?.position ?? 0;
  }

  /** Whether an operator can see an unpublished commit: as a failure, or in a failed batch. */
  isVisibleAsUnpublished({ pk, sk }: Commit): boolean {
    if (this.records.get(recordKey(relayConsumer, `${pk}/${sk}`))?.status === 'FAILED') return true;
    const { cloud } = this.orderly;
    const undrained = [...cloud.queues.values()].filter(({ label }) => label.endsWith('/Undrained'));
    return [...cloud.buckets.all()]
      .filter(([, body]) => body.includes(pk) && body.includes(sk))
      .map(([path]) => path.slice(path.indexOf('/') + 1))
      .some((key) => undrained.some((queue) => queue.listMessages().some(({ body }) => body.includes(key))));
  }

  /** Returns the queues of a consumer: its own, and its dead-letter queues. */
  listQueues({ consumer }: QueueListener): readonly Queue[] {
    const queues = [...this.orderly.cloud.queues.values()];
    const own = queues.find(({ resource }) => resource.ref === consumer.queueUrl);
    const folder = own?.label.slice(0, own.label.lastIndexOf('/') + 1) ?? '';
    return queues.filter(({ label }) => folder !== '' && label.startsWith(folder));
  }

  private show({ pk, sk, version }: Row): void {
    if (!/^(CUSTOMER|CREDIT)#/.test(String(pk)) || typeof version !== 'number') return;
    const key = String(pk).startsWith('CREDIT#') ? String(pk) : String(sk);
    const id = key.slice(key.lastIndexOf('#') + 1);
    this.shown.set(id, Math.max(version, this.shown.get(id) ?? 0));
  }

  private remember(at: number, after: Row): void {
    const { pk, sk, status } = after as { pk: string; sk?: string; status?: string };
    if (isRequest(sk)) {
      const record = String(sk).slice(REQUEST_PREFIX.length);
      if (!this.storedAt.has(record)) this.storedAt.set(record, at);
    }
    if (status !== undefined) {
      if (!this.recordedAt.has(pk)) this.recordedAt.set(pk, at);
      if (status === 'PROCESSED') this.processed.add(pk);
    }
    this.show(after);
  }
}

/** A stored event as its consumers read it: in the newest version. */
export function parseEvent(contract: ServiceContract, { type, schemaVersion, data }: Message): AnyEvent {
  const read: unknown = JSON.parse(data);
  // Few events have an earlier version, and these facts are asked for often.
  return schemaVersion === contract.events[type]?.version
    ? { type, data: read }
    : readEvent(contract, type, schemaVersion, read);
}

export interface Line {
  readonly sku: string;
  readonly quantity: number;
}

/** Returns the lines in an event's data, if it has any. */
export const linesOf = (data: string): readonly Line[] => (JSON.parse(data) as { lines?: readonly Line[] }).lines ?? [];

/** `Order/3f…` */
export const idIn = (subject: string): string => subject.slice(subject.indexOf('/') + 1);

export const isCommit = ({ sk }: Row): boolean => String(sk).startsWith('COMMIT#');

const plainChange = ({ table, before, after }: Change) => ({
  table,
  ...(before && { before: toPlainItem(before) }),
  ...(after && { after: toPlainItem(after) }),
});

function byId(commits: readonly Commit[], prefix: string): ReadonlyMap<string, readonly Commit[]> {
  const found = new Map<string, Commit[]>();
  for (const commit of commits) {
    if (!commit.pk.startsWith(prefix)) continue;
    const id = commit.pk.slice(prefix.length);
    found.set(id, [...(found.get(id) ?? []), commit]);
  }
  return found;
}
