import { readdirSync, readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { type Account, viewOf as accountView } from '../../lambdas/accounts/domain/account.js';
import { APP } from '../../lambdas/app.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../lambdas/inventory/contract.js';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { type Order, viewOf } from '../../lambdas/orders/domain/order.js';
import { createOrderContract } from '../../lambdas/orders/saga-contract.js';
import { paymentsContract } from '../../lambdas/payments/contract.js';
import { type Payment, viewOf as paymentView } from '../../lambdas/payments/domain/payment.js';
import { documents } from '../../packages/kit/aws/dynamodb.js';
import type { EventStore, Loaded } from '../../packages/kit/event-store/event-store.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import { readEvent, type ServiceContract } from '../../packages/kit/messages/contract.js';
import { busEntries, readEnvelope, schemaVersionOf } from '../../packages/kit/messages/envelope.js';
import { functionEnvironment } from '../support/function-environment.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';

/** One aggregate as a release left it in the table, and what a reader was shown after each of its commits. */
interface GoldenHistory {
  readonly aggregate: string;
  readonly id: string;
  readonly commits: readonly Commit[];
  readonly shown: readonly object[];
}

interface Reader {
  readonly contract: ServiceContract;
  readonly store: EventStore<unknown, never>;
  readonly show: (loaded: Loaded<never>) => unknown;
}

functionEnvironment({ CONSUMER: 'orders-saga', CONSUMER_GENERATION: '0' });
inProcessDynamoDb({ table: ['pk', 'sk'] });
const { orderStore } = await import('../../lambdas/orders/order-store.js');
const { createOrderStore } = await import('../../lambdas/orders/create-order-store.js');
const { reservationStore } = await import('../../lambdas/inventory/reservation-store.js');
const { accountStore } = await import('../../lambdas/accounts/account-store.js');
const { paymentStore } = await import('../../lambdas/payments/payment-store.js');
const { priceCheckStore } = await import('../../lambdas/catalog/price-check-store.js');

/** The stores that the functions use, by the aggregate's type. */
const READERS: Readonly<Record<string, Reader>> = {
  Order: {
    contract: ordersContract,
    store: orderStore,
    show: ({ state, version }: Loaded<Order>) => viewOf(state, version),
  },
  CreateOrderSaga: { contract: createOrderContract, store: createOrderStore, show: ({ state }) => state },
  Reservation: { contract: inventoryContract, store: reservationStore, show: ({ state }) => state },
  Account: {
    contract: accountsContract,
    store: accountStore,
    show: ({ id, state, version }: Loaded<Account>) => accountView(id, state, version),
  },
  Payment: {
    contract: paymentsContract,
    store: paymentStore,
    show: ({ state, version }: Loaded<Payment>) => paymentView(state, version),
  },
  PriceCheck: { contract: catalogContract, store: priceCheckStore, show: ({ state }) => state },
};

const folder = new URL('../golden/histories/', import.meta.url);
const histories = readdirSync(folder).map((file) => {
  const history = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GoldenHistory;
  return { file, ...history, reader: READERS[history.aggregate]! };
});

test('there is a history of each aggregate', () =>
  expect(new Set(histories.map(({ aggregate }) => aggregate))).toEqual(new Set(Object.keys(READERS))));

test('no event-sourced aggregate is left out', () => {
  const services = new URL('../../lambdas/', import.meta.url);
  const stores = readdirSync(services, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readFileSync(new URL(file, services), 'utf8').match(/new DynamoDbEventStore\b/g) ?? []);
  expect(stores).toHaveLength(Object.keys(READERS).length);
});

describe.each(histories)('the history in $file', ({ aggregate, id, commits, shown, reader }) => {
  const { contract, store, show } = reader;
  const bare = `${id}-without-snapshots`;
  beforeAll(async () => {
    for (const { snapshot, ...commit } of commits) {
      for (const Item of [
        { ...commit, ...(snapshot ? { snapshot } : {}) },
        { ...commit, pk: `${aggregate}#${bare}` },
      ]) {
        await documents.send(new PutCommand({ TableName: 'table', Item }));
      }
    }
  });

  test('is shown as it was, at each of its versions and times', async () => {
    for (const [at, { lastVersion, at: time }] of commits.entries()) {
      expect(show((await store.loadVersion(id, lastVersion)) as Loaded<never>)).toMatchObject(shown[at]!);
      const simultaneous = commits.findLastIndex((commit) => commit.at === time);
      expect(show((await store.loadAt(id, time)) as Loaded<never>)).toMatchObject(shown[simultaneous]!);
    }
    expect(show((await store.load(id)) as Loaded<never>)).toMatchObject(shown.at(-1)!);
  });

  test('is the same without its snapshots: none of another shape is taken for the present one', async () => {
    expect((await store.load(id)).state).toEqual((await store.load(bare)).state);
  });

  test('reaches consumers in the newest version, as events that are sent again do', async () => {
    const { items } = await store.history(id, { commit: 1, shown: 0 }, 1_000);
    // Commands are read by their receivers' contracts, and no part of the history.
    const read = commits.flatMap(({ commands: _, ...commit }) =>
      busEntries(commit, { app: APP.name, service: contract.service, epoch: 0 }).map(
        ({ Source, DetailType, Detail }) => {
          const body = JSON.stringify({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
          const envelope = readEnvelope(body);
          return readEvent(contract, envelope.type, schemaVersionOf(envelope), envelope.data);
        },
      ),
    );
    expect(read).toEqual(items.map(({ type, data }) => ({ type, data })));
  });
});
