import type { AggregateFacts, OrderFacts } from '../../../lambdas/operations/deliveries.js';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { createOrderSaga } from '../../../lambdas/orders/domain/create-order.js';
import type { CreateOrder } from '../../../lambdas/orders/saga-contract.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import type { OutgoingCommand } from '../../../packages/kit/messages/contract.js';
import { compensationIdOf, decide, type SagaMessage, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import type { ConsumerRecord } from '../../../packages/operator/records/consumer-records.js';
import { foldSaga, listSagaKinds } from '../../../packages/operator/sagas/sagas.js';

const WINDOW = 35 * 86_400;

const consumer = (name: string, heard: Readonly<Record<string, readonly string[]>> = {}, more: object = {}) => ({
  name,
  generation: 0,
  queueUrl: `https://queue/${name}`,
  events: Object.entries(heard).map(([service, types]) => ({ service, types })),
  takesCommands: name.endsWith('-commands'),
  dedupeWindowSeconds: WINDOW,
  longestRedeliverySeconds: 22 * 86_400,
  projection: false,
  ...more,
});
const service = (name: string, ...consumers: Service['consumers']): Service => ({
  name,
  table: name,
  records: `${name}-records`,
  relay: `${name}-relay`,
  feedShards: [],
  consumers,
});
const OF_ORDERS = ['OrderPlaced', 'OrderApproved', 'OrderRejected', 'OrderCancelled'];
const REPLY = 'SagaReplyRequested';

/** Services as they are deployed, with what an order needs of them. */
export const SERVICES: readonly Service[] = [
  service(
    'accounts',
    consumer('accounts-commands'),
    consumer('accounts-orders', { orders: ['OrderApproved', 'OrderCancelled'] }),
  ),
  service('catalog', consumer('catalog-commands')),
  service('inventory', consumer('inventory-commands'), consumer('reservations', { orders: ['OrderCancelled'] })),
  service(
    'orders',
    consumer(
      'orders-saga',
      {
        orders: ['OrderPlaced', 'OrderCancelled'],
        catalog: ['PricesConfirmed', 'PricesRefused', REPLY],
        accounts: ['AccountAuthorized', 'AuthorizationReleased', REPLY],
        inventory: ['StockReserved', 'StockRejected', 'StockReleased', REPLY],
        payments: [REPLY],
      },
      { saga: 'CreateOrderSaga' },
    ),
    consumer('orders-list', { orders: OF_ORDERS }, { projection: true }),
  ),
  service(
    'payments',
    consumer('payments-commands'),
    consumer('payments-orders', { orders: ['OrderCancelled'] }),
    consumer('payments-provider', {
      payments: ['PaymentRequested', 'PaymentPrepared', 'RefundRequested', 'RefundFailed'],
    }),
  ),
];

export const AT = '2026-01-01T00:00:00.000Z';

/** @param after seconds since the order was placed */
export const time = (after: number): string => new Date(Date.parse(AT) + after * 1000).toISOString();

interface Event {
  readonly type: string;
  readonly data: unknown;
}

/** A commit of the order's; its events' and commands' ids are `<type>-<version>`. */
function commitOf(
  aggregate: string,
  version: number,
  events: readonly Event[],
  trigger: string,
  commands: readonly OutgoingCommand[] = [],
): Commit {
  const lastVersion = version + events.length - 1;
  const message = ({ type, data }: Event, at: number) => ({
    id: `${type}-${at}`,
    type,
    schemaVersion: 1,
    data: JSON.stringify(data),
  });
  return {
    pk: `${aggregate}#o1`,
    sk: `COMMIT#${String(version).padStart(10, '0')}`,
    events: events.map((event, at) => message(event, version + at)),
    commands: commands.map(({ to, command }) => ({ ...message(command, lastVersion), to: to.service })),
    lastVersion,
    trigger,
    actor: 'customer:alice',
    correlationId: 'c1',
    traceparent: 't',
    at: AT,
    feedPk: 'f',
    feedSk: 'f',
  };
}

/** One event or several of one commit. */
export const commit = (aggregate: string, version: number, types: string | readonly string[], trigger: string) =>
  commitOf(
    aggregate,
    version,
    [types].flat().map((type) => ({ type, data: { orderId: 'o1' } })),
    trigger,
  );

/** A message to the order's saga, and its id. */
export type Told = readonly [trigger: string, message: SagaMessage<CreateOrder>];

/** The commits of the order's saga, as it decides, all at the moment of the order. */
export function sagaCommits(told: readonly Told[]): readonly Commit[] {
  const commits: Commit[] = [];
  let state: SagaState<CreateOrder> = initialState;
  for (const [trigger, message] of told) {
    const { events, commands } = decide(createOrderSaga, 'o1', state, message, AT);
    commits.push(commitOf('CreateOrderSaga', (commits.at(-1)?.lastVersion ?? 0) + 1, events, trigger, commands));
    state = events.reduce(evolve<CreateOrder>, state);
  }
  return commits;
}

const money = { amount: 100, currency: 'EUR' };
const lines = [{ sku: 'tea', quantity: 1, unitPrice: money }];
const START: SagaMessage<CreateOrder> = {
  type: 'Start',
  data: { orderId: 'o1', customerId: 'alice', lines, total: money },
};
const done = (trigger: string, step: string): Told => [
  trigger,
  { type: 'Reply', stepId: stepIdOf('o1', step), outcome: 'DONE' },
];
export const refused = (trigger: string, step: string, reason: string): Told => [
  trigger,
  { type: 'Reply', stepId: stepIdOf('o1', step), outcome: 'REFUSED', reason },
];
export const undone = (trigger: string, step: string, outcome: 'DONE' | 'REFUSED' = 'DONE'): Told => [
  trigger,
  {
    type: 'Reply',
    stepId: compensationIdOf('o1', step),
    outcome,
    ...(outcome === 'REFUSED' && { reason: 'REFUND_FAILED' }),
  },
];

/** All messages that the saga of an approved order receives. */
export const TOLD: readonly Told[] = [
  ['OrderPlaced-1', START],
  done('PricesConfirmed-1', 'confirm-prices'),
  done('AccountAuthorized-1', 'authorize-account'),
  done('StockReserved-1', 'reserve-stock'),
  done('SagaReplyRequested-4', 'charge-payment'),
];

export const PLACED = commit('Order', 1, 'OrderPlaced', 'request-1');
export const APPROVED = commit('Order', 2, 'OrderApproved', 'SagaReplyRequested-4');
export const CONFIRMED = commit('PriceCheck', 1, 'PricesConfirmed', 'ConfirmPrices-3');
export const AUTHORIZED = commit('Account', 1, 'AccountAuthorized', 'AuthorizeAccount-5');
export const CAPTURED = commit('Account', 2, 'AuthorizationCaptured', 'OrderApproved-2');
export const RESERVED = commit('Reservation', 1, 'StockReserved', 'ReserveStock-7');
export const CHARGED = [
  commit('Payment', 1, 'PaymentRequested', 'ChargePayment-9'),
  commit('Payment', 2, 'PaymentPrepared', 'PaymentRequested-1'),
  commit('Payment', 3, ['PaymentCharged', REPLY], 'PaymentPrepared-2'),
];

const VIEW: OrderView = {
  orderId: 'o1',
  customerId: 'alice',
  status: 'APPROVED',
  lines: [],
  total: { amount: 1, currency: 'EUR' },
  version: 2,
  placedAt: AT,
};

const processed: ConsumerRecord = { pk: 'p', status: 'PROCESSED', processedAt: time(1) };

/** A scheduled timeout of a saga. */
export const TIMEOUT = { 'orders-saga@0#o1/timer-1': { pk: 'p', status: 'PENDING' } } as const;

/** An order through which everything went, and all its records by `<consumer>@0#<message id>`. */
export const DONE: Readonly<Record<string, ConsumerRecord>> = Object.fromEntries(
  [
    ...TOLD.map(([trigger]) => `orders-saga@0#${trigger}`),
    'catalog-commands@0#ConfirmPrices-3',
    'accounts-commands@0#AuthorizeAccount-5',
    'inventory-commands@0#ReserveStock-7',
    'payments-commands@0#ChargePayment-9',
    'payments-provider@0#PaymentRequested-1',
    'payments-provider@0#PaymentPrepared-2',
    'accounts-orders@0#OrderApproved-2',
  ].map((key) => [key, processed]),
);

/** Facts of an order that went through: a test names those that differ. */
export interface Given {
  readonly orders?: readonly Commit[];
  readonly told?: readonly Told[];
  readonly prices?: readonly Commit[];
  readonly account?: readonly Commit[];
  readonly reservations?: readonly Commit[];
  readonly payments?: readonly Commit[];
  readonly status?: OrderView['status'] | 'NONE';
  readonly records?: Readonly<Record<string, ConsumerRecord>>;
  readonly shown?: number;
  /** Seconds since the order was placed. */
  readonly after?: number;
  /** Deduplication window of all consumers. */
  readonly window?: Service['consumers'][number]['dedupeWindowSeconds'];
}

/** Of an order whose saga waits for its stock: nothing is there that comes later. */
export const RESERVING = {
  orders: [PLACED],
  told: TOLD.slice(0, 3),
  account: [AUTHORIZED],
  payments: [],
  status: 'PENDING',
  records: { ...DONE, ...TIMEOUT },
} as const satisfies Given;

export function facts(given: Given = {}): OrderFacts {
  const { orders = [PLACED, APPROVED], status = 'APPROVED', told = TOLD } = given;
  const { records = DONE, shown = orders.length, after = 12, window = WINDOW } = given;
  const led = sagaCommits(told);
  const aggregates: readonly AggregateFacts[] = [
    { service: 'orders', subject: 'Order/o1', commits: orders },
    { service: 'orders', subject: 'CreateOrderSaga/o1', commits: led },
    { service: 'catalog', subject: 'PriceCheck/o1', commits: given.prices ?? [CONFIRMED] },
    { service: 'accounts', subject: 'Account of o1', commits: given.account ?? [AUTHORIZED, CAPTURED] },
    { service: 'inventory', subject: 'Reservation/o1', commits: given.reservations ?? [RESERVED] },
    { service: 'payments', subject: 'Payment/o1', commits: given.payments ?? CHARGED },
  ];
  return {
    orderId: 'o1',
    now: time(after),
    services: SERVICES.map((one) => ({
      ...one,
      consumers: one.consumers.map((consumer) => ({ ...consumer, dedupeWindowSeconds: window })),
    })),
    order: status === 'NONE' ? undefined : { ...VIEW, status, version: orders.length },
    aggregates,
    sagas: led.length === 0 ? [] : listSagaKinds(SERVICES).map((kind) => foldSaga(kind, 'o1', led)),
    recordAt: (_, pk) => records[pk],
    shown: new Map([['orders-list', shown]]),
  };
}
