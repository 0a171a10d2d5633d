import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  type AskRelays,
  type CommandContext,
  type ConsumerRecord,
  inVersion,
  OperatorError,
  pointerKey,
  readRecords as readRecordsOf,
  recordKey,
  type Saga,
  type Service,
  sagaIn,
  sagaKindsOf,
  timerIdOf,
  versionsIn,
} from '@orderly/operator';
import { type OrderView, ordersContract } from '../orders/contract.js';
import { CUSTOMER_LISTS, ORDER_ID, ORDERS_LIST } from '../orders/keys.js';
import {
  type AggregateFacts,
  eventsOf,
  hasNothing,
  type NeededRecord,
  type OrderFacts,
  recordKeys,
} from './deliveries.js';
import { checkDeployed, orderOf, readAggregates, serviceNamed } from './order-aggregates.js';

/** Maximum number of reads until nothing was committed in between. */
const READS = 4;

/**
 * Reads all data about an order, strongly consistent. If commits arrive meanwhile, it reads again, a few times. So a
 * message that is reported as pending was pending at the end.
 * @throws {OperatorError} `not-found`
 */
export async function readOrder(
  { documents, services, clock }: Pick<CommandContext, 'documents' | 'services' | 'clock'>,
  orderId: string,
): Promise<OrderFacts> {
  checkDeployed(services);
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

/** Returns the services whose relays tell whether a message is published. */
export const relaysToAsk = (facts: OrderFacts): readonly Service[] => {
  const waits = facts.aggregates
    .flatMap((aggregate) => eventsOf(aggregate, facts))
    .filter(({ deliveries, publication }) => !publication && deliveries.some(hasNothing));
  const names = new Set(waits.map(({ service }) => service));
  return facts.services.filter(({ name }) => names.has(name));
};

/** Adds where the relays are, if a message waits of which no consumer has anything: only then it is asked. */
export async function withRelays(facts: OrderFacts, ask: AskRelays): Promise<OrderFacts> {
  const services = relaysToAsk(facts);
  return services.length === 0 ? facts : { ...facts, relays: await ask(services) };
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
