import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { priceChecks, products as productAggregate } from '../../../lambdas/catalog/aggregates.js';
import { type CatalogCommand, catalogContract, type PriceCheckEvent } from '../../../lambdas/catalog/contract.js';
import type { PriceCheck } from '../../../lambdas/catalog/domain/price-check.js';
import type { EventStore } from '../../../packages/kit/event-store/event-store.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import { stateStoreFromEnvironment } from '../../../packages/kit/state-store/state-store-from-environment.js';
import { commandConsumed, consumerEnvironment } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

/** Races that are too narrow to be met from outside: the rival comes in between two calls, each time. */

let products: typeof import('../../../lambdas/catalog/product-store.js');
let productStore: import('../../../lambdas/catalog/product-store.js').ProductStore;
let priceCheckStore: EventStore<PriceCheck, PriceCheckEvent>;
let onCommand: typeof import('../../../lambdas/catalog/on-command.lambda.js');
let sku = '';
/** Runs once, behind the answer to the next call of an operation. */
let rival: { readonly operation: string; work(): Promise<unknown> } | undefined;
/** How many keys of a batch are answered; the others come back unprocessed. */
let read = Number.POSITIVE_INFINITY;
const { calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });

beforeAll(async () => {
  consumerEnvironment('catalog', 'catalog-commands');
  products = await import('../../../lambdas/catalog/product-store.js');
  productStore = stateStoreFromEnvironment(productAggregate);
  priceCheckStore = eventStoreFromEnvironment(priceChecks);
  onCommand = await import('../../../lambdas/catalog/on-command.lambda.js');
  const { documentClient: documents } = await import('../../../packages/kit/aws/dynamodb.js');
  documents.middlewareStack.add(
    (next, context) => async (args) => {
      const batch = (args.input as { RequestItems?: { table: { Keys: object[] } } }).RequestItems?.table;
      const left = batch?.Keys.splice(read) ?? [];
      const answer = await next(args);
      if (left.length > 0) Object.assign(answer.output as object, { UnprocessedKeys: { table: { Keys: left } } });
      const now = rival?.operation === context.commandName ? rival : undefined;
      if (now) rival = undefined;
      await now?.work();
      return answer;
    },
    { step: 'initialize' },
  );
});
beforeEach(() => {
  sku = randomUUID();
  read = Number.POSITIVE_INFINITY;
  calls.length = 0;
});

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const set = (amount: number, ifMatch?: number, of = sku) =>
  products.setProduct(productStore, of, { name: 'Tea', unitPrice: eur(amount) }, ifMatch, buildTrace(randomUUID()));

const deliver = (command: CatalogCommand) => commandConsumed(onCommand.handler, catalogContract, command);

const confirm = (amount: number, orderId = randomUUID()): CatalogCommand => ({
  type: 'ConfirmPrices',
  data: { orderId, stepId: `${orderId}/confirm-prices`, lines: [{ sku, unitPrice: eur(amount) }] },
});

async function eventsOf(orderId: string): Promise<readonly PriceCheckEvent[]> {
  const { items } = await priceCheckStore.history(orderId, { commit: 1, shown: 0 }, 10);
  return items.map(({ type, data }) => ({ type, data }) as PriceCheckEvent);
}

test('a price that meets another is set on top of it, or refused where it named a version', async () => {
  await set(100);
  rival = { operation: 'GetItemCommand', work: () => set(200) };
  expect(await set(300)).toMatchObject({ unitPrice: eur(300), version: 3 });
  rival = { operation: 'GetItemCommand', work: () => set(400) };
  await expect(set(500, 3)).rejects.toMatchObject({
    code: 'conflict',
    extra: { versions: { expectedVersion: 3, foundVersion: 4 } },
  });
});

test('a reader from before its commits have expired does not overwrite a state', async () => {
  await set(100);
  rival = {
    operation: 'GetItemCommand',
    work: async () => {
      await set(200);
      const { documentClient: documents } = await import('../../../packages/kit/aws/dynamodb.js');
      const { DeleteCommand } = await import('@aws-sdk/lib-dynamodb');
      const Key = { pk: `Product#${sku}`, sk: 'COMMIT#0000000002' };
      await documents.send(new DeleteCommand({ TableName: 'table', Key }));
    },
  };
  await set(300);
  expect(await products.readProduct(productStore, sku)).toMatchObject({ unitPrice: eur(300), version: 3 });
});

test('two concurrent messages of one step, between which the price changes, both get the first answer', async () => {
  await set(100);
  const command = confirm(100);
  const { orderId, stepId } = command.data;
  // The one has read the old price when the other is answered by the new one.
  rival = {
    operation: 'BatchGetItemCommand',
    work: async () => {
      await set(200);
      await deliver(command);
    },
  };
  await deliver(command);
  const prices = [{ sku, unitPrice: { amount: 200, currency: 'EUR' } }];
  const refused = { reason: 'PRICE_CHANGED', skus: [sku], prices } as const;
  expect(await eventsOf(orderId)).toEqual([
    { type: 'PricesRefused', data: { orderId, stepId, ...refused } },
    { type: 'SagaReplyRequested', data: { orderId, stepId, outcome: 'REFUSED', ...refused } },
  ]);
});

test('two concurrent messages of one step, between which the product is sold again, get the first answer', async () => {
  const discontinued = { name: 'Tea', unitPrice: eur(100), discontinued: true };
  await products.setProduct(productStore, sku, discontinued, undefined, buildTrace(randomUUID()));
  const command = confirm(100);
  const { orderId, stepId } = command.data;
  // The one has read that the product is discontinued when the other finds it sold.
  rival = {
    operation: 'BatchGetItemCommand',
    work: async () => {
      await set(100);
      await deliver(command);
    },
  };
  await deliver(command);
  expect(await eventsOf(orderId)).toEqual([
    { type: 'PricesConfirmed', data: { orderId, stepId } },
    { type: 'SagaReplyRequested', data: { orderId, stepId, outcome: 'DONE' } },
  ]);
});

test('keys that DynamoDB leaves unread in a batch are requested again, and no others', async () => {
  const skus = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${sku}-${letter}`);
  for (const [at, one] of skus.entries()) await set(at, undefined, one);
  calls.length = 0;
  read = 2;
  const offers = await products.readOffers('table', [...skus, `${sku}-none`]);
  expect([...offers].toSorted()).toEqual(skus.map((one, at) => [one, { unitPrice: eur(at) }]));
  expect(calls.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(3);
});

test('a price that is left unread again and again does not count as unknown', async () => {
  await set(100);
  const others = Array.from({ length: 6 }, (_, at) => `${sku}-${at}`);
  read = 1;
  expect(await products.readOffers('table', [...others, sku])).toEqual(new Map([[sku, { unitPrice: eur(100) }]]));
});

test('prices are read strongly consistent: one that was set before the order counts', async () => {
  await set(350);
  calls.length = 0;
  expect(await products.readOffers('table', [sku])).toEqual(new Map([[sku, { unitPrice: eur(350) }]]));
  // An eventually consistent read of so little costs half a unit.
  expect(calls).toEqual([{ operation: 'BatchGetItem', readUnits: 1, writeUnits: 0 }]);
});
