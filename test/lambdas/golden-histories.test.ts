import { readdirSync, readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../../lambdas/accounts/aggregates.js';
import { toView as accountView } from '../../lambdas/accounts/domain/account.js';
import { APP } from '../../lambdas/app.js';
import { checkouts } from '../../lambdas/baskets/aggregates.js';
import { priceChecks } from '../../lambdas/catalog/aggregates.js';
import { reservations } from '../../lambdas/inventory/aggregates.js';
import { orders } from '../../lambdas/orders/aggregates.js';
import { toView } from '../../lambdas/orders/domain/order.js';
import { createOrderSagas } from '../../lambdas/orders/saga-aggregate.js';
import { payments } from '../../lambdas/payments/aggregates.js';
import { toView as paymentView } from '../../lambdas/payments/domain/payment.js';
import { deliveries, feeds, webhooks } from '../../lambdas/webhooks/aggregates.js';
import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import type { Evolution } from '../../packages/kit/decider/decider.js';
import type { Aggregate, EventStore, Loaded } from '../../packages/kit/event-store/event-store.js';
import { eventStoreFromEnvironment } from '../../packages/kit/event-store/event-store-from-environment.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import { type AnyEvent, readEvent, type ServiceContract } from '../../packages/kit/messages/contract.js';
import { readEnvelope, schemaVersionOf, toBusEntries } from '../../packages/kit/messages/envelope.js';
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

functionEnvironment();
inProcessDynamoDb({ table: ['pk', 'sk'] });

const reader = <State, Event extends AnyEvent>(
  aggregate: Aggregate<Evolution<State, Event>>,
  show: (loaded: Loaded<State>) => unknown = ({ state }) => state,
): Reader => ({
  contract: aggregate.contract,
  store: eventStoreFromEnvironment(aggregate),
  show,
});
/** Readers by the aggregate's type, with the stores that the functions use. */
const READERS: Readonly<Record<string, Reader>> = {
  Order: reader(orders, ({ state, version }) => toView(state, version)),
  CreateOrderSaga: reader(createOrderSagas),
  Reservation: reader(reservations),
  Account: reader(accounts, ({ id, state, version }) => accountView(id, state, version)),
  Payment: reader(payments, ({ state, version }) => paymentView(state, version)),
  PriceCheck: reader(priceChecks),
  Checkout: reader(checkouts),
  Webhook: reader(webhooks),
  WebhookDelivery: reader(deliveries),
  WebhookFeed: reader(feeds),
};

const folder = new URL('../golden/histories/', import.meta.url);
const histories = readdirSync(folder).map((file) => {
  const history = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GoldenHistory;
  return { file, ...history, reader: READERS[history.aggregate]! };
});

test('there is a history of each aggregate', () =>
  expect(new Set(histories.map(({ aggregate }) => aggregate))).toEqual(new Set(Object.keys(READERS))));

test('all event-sourced aggregates have a history', async () => {
  const services = new URL('../../lambdas/', import.meta.url);
  const declarations = readdirSync(services, { recursive: true, encoding: 'utf8' })
    .filter((file) => /aggregates?\.ts$/.test(file))
    .map((file): Promise<Record<string, Aggregate<unknown>>> => import(new URL(file, services).href));
  // A state-stored aggregate has no decider of a history.
  const declared = (await Promise.all(declarations))
    .flatMap((module) => Object.values(module))
    .filter((aggregate) => 'decider' in aggregate);
  expect([...new Set(declared.map(({ aggregate }) => aggregate))].toSorted()).toEqual(Object.keys(READERS).toSorted());
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
        await documentClient.send(new PutCommand({ TableName: 'table', Item }));
      }
    }
  });

  test('the history is shown as it was, at each of its versions and times', async () => {
    for (const [at, { lastVersion, at: time }] of commits.entries()) {
      expect(show((await store.loadVersion(id, lastVersion)) as Loaded<never>)).toMatchObject(shown[at]!);
      const simultaneous = commits.findLastIndex((commit) => commit.at === time);
      expect(show((await store.loadAt(id, time)) as Loaded<never>)).toMatchObject(shown[simultaneous]!);
    }
    expect(show((await store.load(id)) as Loaded<never>)).toMatchObject(shown.at(-1)!);
  });

  test('the history is the same without its snapshots: none of another shape is taken for the present one', async () => {
    expect((await store.load(id)).state).toEqual((await store.load(bare)).state);
  });

  test('reaches consumers in the newest version, as events that are sent again do', async () => {
    const { items } = await store.history(id, { commit: 1, shown: 0 }, 1_000);
    // Commands are read by their receivers' contracts, and no part of the history.
    const read = commits.flatMap(({ commands: _, ...commit }) =>
      toBusEntries(commit, { app: APP.name, service: contract.service }).map(({ Source, DetailType, Detail }) => {
        const body = JSON.stringify({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
        const envelope = readEnvelope(body);
        return readEvent(contract, envelope.type, schemaVersionOf(envelope), envelope.data);
      }),
    );
    expect(read).toEqual(items.map(({ type, data }) => ({ type, data })));
  });
});
