import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  type AttemptReader,
  type CommandContext,
  type ConsumerRecord,
  foldSaga,
  listSagaKinds,
  OperatorError,
  parseVersions,
  pointerKey,
  type RelayReader,
  readRecords as readRecordsOf,
  recordKey,
  type Saga,
  type Service,
  timerIdOf,
  versionedKey,
} from '@orderly/operator';
import { type OrderView, ordersContract } from '../orders/contract.js';
import { CUSTOMER_LISTS, ORDER_ID, ORDERS_LIST } from '../orders/keys.js';
import {
  type AggregateFacts,
  hasNothing,
  listNeededRecords,
  type NeededRecord,
  type OrderFacts,
  reportEvents,
} from './deliveries.js';
import { checkDeployed, foldOrder, readAggregates, requireService } from './order-aggregates.js';

/** Maximum number of reads until nothing was committed in between. */
const MAX_READS = 4;

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
  if (aggregates.every(({ commits }) => commits.length === 0)) throw unknownOrderError(orderId);
  for (let read = 1; ; read++) {
    const order = foldOrder(aggregates);
    const sagas = foldSagas(services, orderId, aggregates);
    const needed = [...listNeededRecords(services, aggregates), ...sagas.map(timeoutRecordKey)];
    const [shown, records] = await Promise.all([
      readListedVersions(documents, services, order),
      readRecords(documents, needed),
    ]);
    const now = clock.now();
    const again = await readAggregates(documents, services, orderId);
    if (countCommits(again) === countCommits(aggregates) || read === MAX_READS) {
      const recordAt: OrderFacts['recordAt'] = ({ service }, pk) => records.get(`${service.name} ${pk}`);
      return { orderId, now, services, order, aggregates, sagas, recordAt, shown };
    }
    aggregates = again;
  }
}

const countCommits = (aggregates: readonly AggregateFacts[]): number =>
  aggregates.reduce((sum, { commits }) => sum + commits.length, 0);

function foldSagas(
  services: readonly Service[],
  orderId: string,
  aggregates: readonly AggregateFacts[],
): readonly Saga[] {
  return listSagaKinds(services)
    .map((kind) => {
      const subject = `${kind.type}/${orderId}`;
      const own = aggregates.find((one) => one.service === kind.service.name && one.subject === subject);
      return foldSaga(kind, orderId, own?.commits ?? []);
    })
    .filter(({ state }) => state.status !== 'NONE');
}

/** Returns the key of the newest timeout's record, which shows whether it will fire. */
const timeoutRecordKey = ({ kind, id, state }: Saga): NeededRecord => ({
  service: kind.service,
  pk: recordKey(kind.consumer, timerIdOf(id, state.timers)),
});

async function readListedVersions(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  order: OrderView | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (!order) return new Map();
  const { table } = requireService(services, ordersContract.service);
  return new Map([[ORDERS_LIST, await readListedVersion(documents, table, order)]]);
}

/**
 * Reads the version of an order that its customer's list shows, strongly consistent; 0 if the list doesn't contain it.
 * The keys are those of lambdas/orders/order-list.ts.
 * @param TableName of orders
 */
export async function readListedVersion(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { customerId, placedAt, orderId }: Pick<OrderView, 'customerId' | 'placedAt' | 'orderId'>,
): Promise<number> {
  const read = (Key: Record<string, string>) =>
    documents.send(new GetCommand({ TableName, Key, ConsistentRead: true })).then(({ Item }) => Item);
  const { reads } = parseVersions(await read(pointerKey(ORDERS_LIST)));
  const row = await read({ pk: CUSTOMER_LISTS + customerId, sk: versionedKey(`ORDER#${placedAt}#${orderId}`, reads) });
  return Number(row?.version ?? 0);
}

/** Returns the services whose relays tell whether a message is published. */
export const findRelaysToAsk = (facts: OrderFacts): readonly Service[] => {
  const waits = facts.aggregates
    .flatMap((aggregate) => reportEvents(aggregate, facts))
    .filter(({ deliveries, publication }) => !publication && deliveries.some(hasNothing));
  const names = new Set(waits.map(({ service }) => service));
  return facts.services.filter(({ name }) => names.has(name));
};

/** Adds where the relays are, if a message waits of which no consumer has anything: only then it is asked. */
export async function withRelays(facts: OrderFacts, ask: RelayReader): Promise<OrderFacts> {
  const services = findRelaysToAsk(facts);
  return services.length === 0 ? facts : { ...facts, relays: await ask(services) };
}

/** Adds the attempts of consumers at the messages of all these aggregates, as the logs tell them: one query. */
export async function withAttempts(facts: readonly OrderFacts[], ask: AttemptReader): Promise<readonly OrderFacts[]> {
  const commits = facts.flatMap(({ aggregates }) => aggregates.flatMap((one) => one.commits));
  const [since] = commits.map(({ at }) => at).toSorted();
  if (since === undefined) return facts;
  const found = await ask({ correlationIds: [...new Set(commits.map(({ correlationId }) => correlationId))], since });
  return facts.map((one) => ({ ...one, found }));
}

/** Reads what consumers have done with the messages of some aggregates that need not belong to an order. */
export async function readFacts(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  aggregates: readonly AggregateFacts[],
  now: string,
): Promise<OrderFacts> {
  const records = await readRecords(documents, listNeededRecords(services, aggregates));
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
export function unknownOrderError(orderId: string): OperatorError {
  const next = ORDER_ID.test(orderId) ? ['failures', 'list'] : ABOUT_IDS;
  return new OperatorError('not-found', `There is no order '${orderId}'.`, next);
}
