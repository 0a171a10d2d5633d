import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  aggregateKey,
  type Commit,
  listSagaKinds,
  MAX_CLOCK_SKEW_MS,
  OperatorError,
  readCommits,
  readCommitsSince,
  readEvent,
  type Service,
} from '@orderly/operator';
import { accountsContract } from '../accounts/contract.js';
import { basketsContract } from '../baskets/contract.js';
import { catalogContract } from '../catalog/contract.js';
import { inventoryContract } from '../inventory/contract.js';
import { type OrderView, ordersContract } from '../orders/contract.js';
import { evolve, initialState, toView } from '../orders/domain/order.js';
import { ORDER_ID } from '../orders/keys.js';
import { paymentsContract } from '../payments/contract.js';
import type { AggregateFacts } from './deliveries.js';

/** Aggregates that have the order's id, besides its sagas. */
const PARTS = [
  { service: ordersContract.service, aggregate: 'Order' },
  { service: catalogContract.service, aggregate: 'PriceCheck' },
  { service: inventoryContract.service, aggregate: 'Reservation' },
  { service: paymentsContract.service, aggregate: 'Payment' },
  { service: basketsContract.service, aggregate: 'Checkout' },
] as const;

/** @throws {OperatorError} `not-found`: a service that has a part of each order is not deployed */
export function checkDeployed(services: readonly Service[]): void {
  for (const { service } of [...PARTS, accountsContract]) requireService(services, service);
}

/**
 * Reads the aggregates of an order, strongly consistent: those that have its id, and what its customer's account has about it.
 * It leaves out a service that is not deployed.
 * @param accounts reads accounts. Several orders may share it: it reads an account once for all of them
 */
export async function readAggregates(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  orderId: string,
  accounts = new AccountReader(documents, services),
): Promise<readonly AggregateFacts[]> {
  const sagas = listSagaKinds(services)
    .filter(({ service }) => service.name === ordersContract.service)
    .map(({ type, service }) => ({ service: service.name, aggregate: type }));
  const parts = [...PARTS, ...sagas].flatMap(({ service: name, aggregate }) =>
    services.filter((service) => service.name === name).map((service) => ({ service, aggregate })),
  );
  const own = await Promise.all(
    parts.map(async ({ service, aggregate }) => {
      const commits = await readCommits(documents, service, aggregateKey(aggregate, orderId));
      return { service: service.name, subject: `${aggregate}/${orderId}`, commits };
    }),
  );
  const order = foldOrder(own);
  return order ? [...own, await accounts.read(order)] : own;
}

/** Commits of an account since a time, by the orders that they are about. */
interface ReadAccount {
  readonly since: string;
  readonly byOrder: Promise<ReadonlyMap<string, readonly Commit[]>>;
}

/** Reads what accounts have about orders. An account contains all of its customer's orders, so it is kept for the next one. */
export class AccountReader {
  private readonly cache = new Map<string, ReadAccount>();

  constructor(
    private readonly documents: DynamoDBDocumentClient,
    private readonly services: readonly Service[],
  ) {}

  async read({ orderId, customerId, placedAt }: OrderView): Promise<AggregateFacts> {
    const { service } = accountsContract;
    const since = new Date(Date.parse(placedAt) - MAX_CLOCK_SKEW_MS).toISOString();
    const known = this.cache.get(customerId);
    const account = known && known.since <= since ? known : { since, byOrder: this.readByOrder(customerId, since) };
    this.cache.set(customerId, account);
    // An account's key is its customer's id; the report shows an order's customer on request only.
    return { service, subject: `Account of ${orderId}`, commits: (await account.byOrder).get(orderId) ?? [] };
  }

  private async readByOrder(customerId: string, since: string): Promise<ReadonlyMap<string, readonly Commit[]>> {
    const service = this.services.find(({ name }) => name === accountsContract.service);
    const byOrder = new Map<string, Commit[]>();
    if (!service) return byOrder;
    for (const commit of await readCommitsSince(this.documents, service, aggregateKey('Account', customerId), since)) {
      for (const id of new Set(commit.events.map(readOrderId))) {
        const own = byOrder.get(id);
        if (own) own.push(commit);
        else byOrder.set(id, [commit]);
      }
    }
    return byOrder;
  }
}

/** Returns the order that an event names, or an empty text. */
const readOrderId = ({ data }: { readonly data: string }): string =>
  String((JSON.parse(data) as { readonly orderId?: unknown }).orderId ?? '');

/** Returns ids that an order may have: that of the commit's aggregate, and those that its events name. */
export const findOrderIds = ({ pk, events }: Pick<Commit, 'pk' | 'events'>): readonly string[] => [
  ...new Set([pk.slice(pk.indexOf('#') + 1), ...events.map(readOrderId)].filter((id) => ORDER_ID.test(id))),
];

/** @throws {OperatorError} `not-found`: another release is deployed, or only a part of this one */
export function requireService(services: readonly Service[], name: string): Service {
  const service = services.find((one) => one.name === name);
  if (service) return service;
  throw new OperatorError('not-found', `The service '${name}' is not deployed here.`);
}

/** Folds the order from the commits of its aggregate; `undefined` if there are none. */
export function foldOrder(aggregates: readonly AggregateFacts[]): OrderView | undefined {
  const commits = aggregates.find(({ subject }) => subject.startsWith('Order/'))?.commits ?? [];
  const state = commits
    .flatMap((commit) => commit.events)
    .map(({ type, schemaVersion, data }) => readEvent(ordersContract, type, schemaVersion, JSON.parse(data)))
    .reduce(evolve, initialState);
  return toView(state, commits.at(-1)?.lastVersion ?? 0);
}
