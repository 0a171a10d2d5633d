import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  aggregateKey,
  CLOCKS_DIFFER_MS,
  type ConsumerRecord,
  clock,
  inVersion,
  OperatorError,
  pointerKey,
  readCommits,
  readCommitsSince,
  readEvent,
  readRecords as readRecordsOf,
  recordKey,
  type Saga,
  type Service,
  sagaIn,
  sagaKindsOf,
  timerIdOf,
  versionsIn,
} from '@orderly/kit/operator';
import { accountsContract } from '../accounts/contract.js';
import { basketsContract } from '../baskets/contract.js';
import { catalogContract } from '../catalog/contract.js';
import { inventoryContract } from '../inventory/contract.js';
import { type OrderView, ordersContract } from '../orders/contract.js';
import { evolve, initialState, viewOf } from '../orders/domain/order.js';
import { CUSTOMER_LISTS, ORDER_ID, ORDERS_LIST } from '../orders/keys.js';
import { paymentsContract } from '../payments/contract.js';
import { type AggregateFacts, type NeededRecord, type OrderFacts, recordKeys } from './deliveries.js';

/** Aggregates that have the order's id, besides its sagas. */
const PARTS = [
  { service: ordersContract.service, aggregate: 'Order' },
  { service: catalogContract.service, aggregate: 'PriceCheck' },
  { service: inventoryContract.service, aggregate: 'Reservation' },
  { service: paymentsContract.service, aggregate: 'Payment' },
  { service: basketsContract.service, aggregate: 'Checkout' },
] as const;

/** Maximum number of reads until nothing was committed in between. */
const READS = 4;

/**
 * Reads all data about an order, strongly consistent. If commits arrive meanwhile, it reads again, a few times. So a
 * message that is reported as pending was pending at the end.
 * @throws {OperatorError} `not-found`
 */
export async function readOrder(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  orderId: string,
): Promise<OrderFacts> {
  let aggregates = await readAggregates(documents, services, orderId);
  if (aggregates.every(({ commits }) => commits.length === 0)) throw unknownOrder(orderId);
  for (let read = 1; ; read++) {
    const order = orderOf(aggregates);
    const sagas = sagasOf(services, orderId, aggregates);
    const needed = [...recordKeys(services, aggregates), ...sagas.map(timeoutRecordOf)];
    const [shown, records] = await Promise.all([readShown(documents, services, order), readRecords(documents, needed)]);
    const now = clock.now();
    const again = await readAggregates(documents, services, orderId);
    if (count(again) === count(aggregates) || read === READS) {
      const recordAt: OrderFacts['recordAt'] = ({ service }, pk) => records.get(`${service.name} ${pk}`);
      return { orderId, now, services, order, aggregates, sagas, recordAt, shown };
    }
    aggregates = again;
  }
}

const count = (aggregates: readonly AggregateFacts[]): number =>
  aggregates.reduce((sum, { commits }) => sum + commits.length, 0);

async function readAggregates(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  orderId: string,
): Promise<readonly AggregateFacts[]> {
  const sagas = sagaKindsOf(services)
    .filter(({ service }) => service.name === ordersContract.service)
    .map(({ type, service }) => ({ service: service.name, aggregate: type }));
  const own = await Promise.all(
    [...PARTS, ...sagas].map(async ({ service, aggregate }) => {
      const commits = await readCommits(documents, serviceNamed(services, service), aggregateKey(aggregate, orderId));
      return { service, subject: `${aggregate}/${orderId}`, commits };
    }),
  );
  const order = orderOf(own);
  return order ? [...own, await readAccount(documents, services, order)] : own;
}

/** Reads the commits about this order from its customer's account, which contains all of the customer's orders. */
async function readAccount(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  { orderId, customerId, placedAt }: OrderView,
): Promise<AggregateFacts> {
  const { service } = accountsContract;
  const since = new Date(Date.parse(placedAt) - CLOCKS_DIFFER_MS).toISOString();
  const pk = aggregateKey('Account', customerId);
  const commits = await readCommitsSince(documents, serviceNamed(services, service), pk, since);
  const isOfOrder = ({ data }: { readonly data: string }) => JSON.parse(data).orderId === orderId;
  // An account's key is its customer's id; the report shows an order's customer on request only.
  return { service, subject: `Account of ${orderId}`, commits: commits.filter(({ events }) => events.some(isOfOrder)) };
}

function sagasOf(
  services: readonly Service[],
  orderId: string,
  aggregates: readonly AggregateFacts[],
): readonly Saga[] {
  return sagaKindsOf(services)
    .map((kind) => {
      const subject = `${kind.type}/${orderId}`;
      const own = aggregates.find((one) => one.service === kind.service.name && one.subject === subject);
      return sagaIn(kind, orderId, own?.commits ?? []);
    })
    .filter(({ state }) => state.status !== 'NONE');
}

/** Returns the key of the newest timeout's record, which shows whether it will fire. */
const timeoutRecordOf = ({ kind, id, state }: Saga): NeededRecord => ({
  service: kind.service,
  pk: recordKey(kind.consumer, timerIdOf(id, state.timers)),
});

/** @throws {OperatorError} `not-found`: another release is deployed, or only a part of this one */
function serviceNamed(services: readonly Service[], name: string): Service {
  const service = services.find((one) => one.name === name);
  if (service) return service;
  throw new OperatorError('not-found', `The service '${name}' is not deployed here.`);
}

function orderOf(aggregates: readonly AggregateFacts[]): OrderView | undefined {
  const commits = aggregates.find(({ subject }) => subject.startsWith('Order/'))?.commits ?? [];
  const state = commits
    .flatMap((commit) => commit.events)
    .map(({ type, schemaVersion, data }) => readEvent(ordersContract, type, schemaVersion, JSON.parse(data)))
    .reduce(evolve, initialState);
  return viewOf(state, commits.at(-1)?.lastVersion ?? 0);
}

async function readShown(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  order: OrderView | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (!order) return new Map();
  const { table } = serviceNamed(services, ordersContract.service);
  return new Map([[ORDERS_LIST, await listedVersion(documents, table, order)]]);
}

/**
 * Reads the version of an order that its customer's list shows, strongly consistent; 0 if the list doesn't contain it.
 * The keys are those of lambdas/orders/order-list.ts.
 * @param TableName of orders
 */
export async function listedVersion(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { customerId, placedAt, orderId }: Pick<OrderView, 'customerId' | 'placedAt' | 'orderId'>,
): Promise<number> {
  const read = (Key: Record<string, string>) =>
    documents.send(new GetCommand({ TableName, Key, ConsistentRead: true })).then(({ Item }) => Item);
  const { reads } = versionsIn(await read(pointerKey(ORDERS_LIST)));
  const row = await read({ pk: CUSTOMER_LISTS + customerId, sk: inVersion(`ORDER#${placedAt}#${orderId}`, reads) });
  return Number(row?.version ?? 0);
}

/** Reads what consumers have done with the messages of some aggregates that need not belong to an order. */
export async function readFacts(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  aggregates: readonly AggregateFacts[],
  now: string,
): Promise<OrderFacts> {
  const records = await readRecords(documents, recordKeys(services, aggregates));
  const recordAt: OrderFacts['recordAt'] = ({ service }, pk) => records.get(`${service.name} ${pk}`);
  return { orderId: '', now, services, order: undefined, aggregates, sagas: [], recordAt, shown: new Map() };
}

async function readRecords(
  documents: DynamoDBDocumentClient,
  needed: readonly NeededRecord[],
): Promise<ReadonlyMap<string, ConsumerRecord>> {
  const keys = new Map<Service, Set<string>>();
  for (const { service, pk } of needed) keys.set(service, (keys.get(service) ?? new Set()).add(pk));
  const found = await Promise.all(
    [...keys].map(async ([service, own]) =>
      (await readRecordsOf(documents, service, [...own])).map((one) => [`${service.name} ${one.pk}`, one] as const),
    ),
  );
  return new Map(found.flat());
}

const ABOUT_IDS =
  "an order's id has 32 hexadecimal digits. As an operator, GET /orders?customerId=<customer> lists a customer's (docs/api.md)";

/** Returns the refusal of an id that nothing has, with what to do next. */
export function unknownOrder(orderId: string): OperatorError {
  const next = ORDER_ID.test(orderId) ? ['failures', 'list'] : ABOUT_IDS;
  return new OperatorError('not-found', `There is no order '${orderId}'.`, next);
}
