import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { baskets as basketAggregate, checkouts } from '../../../lambdas/baskets/aggregates.js';
import type { Baskets } from '../../../lambdas/baskets/basket-store.js';
import { type BasketCommand, toView } from '../../../lambdas/baskets/domain/basket.js';
import type { Product } from '../../../lambdas/baskets/domain/product.js';
import type { Products } from '../../../lambdas/baskets/products.js';
import { catalogContract, type ProductEvent } from '../../../lambdas/catalog/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import { parseIdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import { toBusEntries } from '../../../packages/kit/messages/envelope.js';
import { stateStoreFromEnvironment } from '../../../packages/kit/state-store/state-store-from-environment.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import {
  type ConsumerHandler,
  consumerEnvironment,
  deliverMessage,
  readOutcome,
  toQueueBody,
} from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

/** Races that are too narrow to be met from outside: the rival comes in between two calls, each time. */

let documents: typeof import('../../../packages/kit/aws/dynamodb.js').documentClient;
let products: Products;
let baskets: Baskets;
let checkOut: typeof import('../../../lambdas/baskets/check-out.js').checkOut;
let onProduct: ConsumerHandler;
let onOrder: ConsumerHandler;
let sku = '';
let customerId = '';
/** Runs once, behind the answer to the next call of an operation. */
let rival: { readonly operation: string; work(): Promise<unknown> } | undefined;
/** The write of this basket fails, as if its function were killed. */
let failing: string | undefined;
const { calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });

beforeAll(async () => {
  consumerEnvironment('baskets', 'baskets-products');
  ({ documentClient: documents } = await import('../../../packages/kit/aws/dynamodb.js'));
  const { Products } = await import('../../../lambdas/baskets/products.js');
  const { Baskets } = await import('../../../lambdas/baskets/basket-store.js');
  products = new Products('table');
  baskets = new Baskets(stateStoreFromEnvironment(basketAggregate), products);
  ({ checkOut } = await import('../../../lambdas/baskets/check-out.js'));
  onProduct = (await import('../../../lambdas/baskets/on-product-event.lambda.js')).handler;
  onOrder = (await import('../../../lambdas/baskets/on-order-event.lambda.js')).handler;
  documents.middlewareStack.add(
    (next, context) => async (args) => {
      const { TransactItems = [] } = args.input as { TransactItems?: object[] };
      if (failing && JSON.stringify(TransactItems).includes(`Basket#${failing}`)) {
        failing = undefined;
        throw new Error('killed');
      }
      const answer = await next(args);
      const now = rival?.operation === context.commandName ? rival : undefined;
      if (now) rival = undefined;
      await now?.work();
      return answer;
    },
    { step: 'initialize' },
  );
});
beforeEach(() => {
  [sku, customerId] = [randomUUID(), randomUUID()];
  failing = undefined;
  calls.length = 0;
});

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const trace = () => buildTrace(randomUUID());
/** Keeps a product as an event of it does. */
const learn = async (product: Product): Promise<void> => {
  const { transact } = await import('../../../packages/kit/aws/dynamodb.js');
  await transact([(await products.chooseNewest(product)).write]);
};
const learned = (amount: number, version: number) => learn({ sku, unitPrice: eur(amount), version });
type OfOne = BasketCommand extends infer One ? (One extends object ? Omit<One, 'customerId'> : never) : never;
const change = (command: OfOne, customer = customerId, ifMatch?: number) =>
  baskets.change({ ...command, customerId: customer } as BasketCommand, trace(), ifMatch);
const put = (quantity: number, of = sku, customer = customerId) =>
  change({ type: 'SetItem', sku: of, quantity }, customer);
const look = async (customer = customerId) => {
  const { basket, version } = await change({ type: 'Look' }, customer);
  return toView(basket, version);
};
const stored = async (customer: string) =>
  (await documents.send(new GetCommand({ TableName: 'table', Key: { pk: `Basket#${customer}`, sk: 'STATE' } }))).Item;
const itemsOf = async (pk: string) => {
  const query = { TableName: 'table', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  return (await documents.send(new QueryCommand(query))).Items ?? [];
};

function priceMessage(amount: number, sequence: number, epoch = 0) {
  const data = { sku, name: 'Tea', unitPrice: eur(amount), oldUnitPrice: eur(1) };
  const event: ProductEvent = { type: 'ProductPriceChanged', data };
  const id = randomUUID();
  return {
    id,
    body: toQueueBody(eventMessage(catalogContract, event, { id, source: 'orderly.catalog', sequence, epoch })),
  };
}
const priceChanges = (amount: number, sequence: number) =>
  deliverMessage(onProduct, priceMessage(amount, sequence).body);

test('a price that reached more baskets than a page has may be processed again, on purpose', async () => {
  await learned(100, 1);
  for (let n = 0; n < 25; n++) await put(1, sku, `c-${String(n).padStart(3, '0')}-${customerId}`);
  await deliverMessage(onProduct, priceMessage(200, 2).body);
  const asked = await itemsOf(`PriceRollout#${sku}@2`);
  expect(asked).toHaveLength(1);
  // Another generation of the consumer has no record of the event: here it has another id.
  const again = priceMessage(200, 2);
  await deliverMessage(onProduct, again.body);
  expect(await readOutcome(again.id)).toBe('PROCESSED');
  expect(await itemsOf(`PriceRollout#${sku}@2`)).toEqual(asked);
});

describe('a product', () => {
  test('a product is the newest one from the catalogue, in whichever order its events came', async () => {
    for (const version of [2, 3, 1, 2]) await learned(100 * version, version);
    expect((await products.read([sku, 'none'])).get(sku)).toEqual({ sku, unitPrice: eur(300), version: 3 });
  });

  test('a product is read strongly consistent', async () => {
    await learned(100, 1);
    calls.length = 0;
    await products.read([sku]);
    expect(calls).toEqual([{ operation: 'BatchGetItem', readUnits: 1, writeUnits: 0 }]);
  });
});

describe('a line', () => {
  test('a line that is added while its new price passes by gets it at the next look', async () => {
    await learned(100, 1);
    // The price has reached every basket that had the product when this one writes its line.
    rival = { operation: 'BatchGetItemCommand', work: () => priceChanges(200, 2) };
    await put(1);
    expect((await stored(customerId))?.lines).toMatchObject([{ unitPrice: eur(100) }]);
    const [line] = (await look()).lines;
    expect(line).toEqual({ sku, quantity: 1, unitPrice: eur(200), oldUnitPrice: eur(100) });
    expect((await stored(customerId))?.lines).toMatchObject([{ unitPrice: eur(200), productVersion: 2 }]);
  });

  test('an older price that is being processed never replaces a newer one', async () => {
    await learned(100, 1);
    await put(1);
    const [older, newer] = [priceMessage(200, 2), priceMessage(300, 3)];
    // The older event's page has read the product when the newer one comes and is through.
    rival = { operation: 'QueryCommand', work: () => deliverMessage(onProduct, newer.body) };
    await deliverMessage(onProduct, older.body);
    expect((await stored(customerId))?.lines).toMatchObject([{ unitPrice: eur(300), productVersion: 3 }]);
    expect(await readOutcome(older.id)).toBe('PROCESSED');
  });

  test('a line is on the list of its product as long as the basket has it', async () => {
    await learned(100, 1);
    const holders = async () => (await itemsOf(`HOLDERS#${sku}`)).map(({ sk }) => sk);
    await put(1);
    await put(2);
    expect(await holders()).toEqual([customerId]);
    await change({ type: 'RemoveItem', sku });
    expect(await holders()).toEqual([]);
  });

  test('a change that meets another change of the basket is set on top of it', async () => {
    await learned(100, 1);
    const other = randomUUID();
    await learn({ sku: other, unitPrice: eur(5), version: 1 });
    rival = { operation: 'BatchGetItemCommand', work: () => put(7, other) };
    await put(1);
    expect((await look()).lines.map(({ quantity }) => quantity)).toEqual([7, 1]);
  });

  test('a reader of the basket from before its commits have expired does not overwrite a line', async () => {
    await learned(100, 1);
    await put(1);
    rival = {
      operation: 'BatchGetItemCommand',
      work: async () => {
        await put(2);
        const Key = { pk: `Basket#${customerId}`, sk: 'COMMIT#0000000002' };
        await documents.send(new DeleteCommand({ TableName: 'table', Key }));
      },
    };
    await put(3);
    expect(await look()).toMatchObject({ lines: [{ quantity: 3 }], version: 3 });
  });
});

describe('prices that were seen', () => {
  test('seen prices do not include the one that comes in between', async () => {
    await learned(100, 1);
    await put(1);
    await learned(200, 2);
    const { basket } = await change({ type: 'See' });
    expect(basket.lines).toMatchObject([{ unitPrice: eur(200), oldUnitPrice: eur(100) }]);
  });
});

describe('a price in more baskets than a page has', () => {
  /** Two pages. */
  const customers = Array.from({ length: 22 }, (_, at) => `c-${String(at).padStart(2, '0')}`);
  /** Delivers the commands that the rollout has sent to itself, oldest first, until there are none. */
  async function rolledOut(version: number): Promise<number> {
    for (let page = 1; ; page++) {
      const commit = (await itemsOf(`PriceRollout#${sku}@${version}`))[page - 1];
      if (!commit) return page;
      const entries = toBusEntries(commit as unknown as Commit, { app: 'orderly', service: 'baskets' });
      const { Source, DetailType, Detail } = entries.at(-1)!;
      expect(DetailType).toBe('ContinuePriceRollout');
      const body = JSON.stringify({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
      for (const _ of ['first', 'again']) await deliverMessage(onProduct, body);
    }
  }
  const pricesOf = async () =>
    Promise.all(customers.map(async (customer) => (await stored(customer))?.lines.at(-1)?.unitPrice.amount));

  beforeEach(async () => {
    await learned(100, 1);
    await Promise.all(customers.map((customer) => put(1, sku, customer)));
  });

  test('continues after a crash in the middle of a page', async () => {
    failing = 'c-07';
    const message = priceMessage(200, 2);
    await expect(deliverMessage(onProduct, message.body)).rejects.toThrow();
    expect(await readOutcome(message.id)).toBeUndefined();
    expect(await itemsOf(`PriceRollout#${sku}@2`)).toEqual([]);
    await deliverMessage(onProduct, message.body);
    expect(await rolledOut(2)).toBe(2);
    expect(new Set(await pricesOf())).toEqual(new Set([200]));
  });
});

describe('a checkout', () => {
  const keyOf = (header: string) =>
    parseIdempotencyKey({
      header,
      client: `customer:${customerId}`,
      method: 'POST',
      path: '/basket/checkout',
      query: {},
      body: undefined,
    });
  const out = (key: string, ifMatch?: number) =>
    checkOut({
      baskets,
      checkouts: eventStoreFromEnvironment(checkouts),
      customerId,
      key: keyOf(key),
      ifMatch,
      trace: trace(),
    });
  const placed = (orderId: string) => ({
    type: 'OrderPlaced' as const,
    data: {
      orderId,
      customerId,
      lines: [{ sku, quantity: 1, unitPrice: eur(100) }],
      total: eur(100),
      placedAt: '2026-01-01T00:00:00.000Z',
    },
  });
  const orderPlaced = (orderId: string) =>
    deliverMessage(onOrder, toQueueBody(eventMessage(ordersContract, placed(orderId), { source: 'orderly.orders' })));
  beforeEach(async () => {
    await learned(100, 1);
    await put(1);
  });

  test('orders what the basket has when it commits, not what it had when it was read', async () => {
    rival = { operation: 'BatchGetItemCommand', work: () => put(5) };
    const { loaded } = await out('k');
    expect(loaded.state).toMatchObject({ lines: [{ quantity: 5 }] });
  });

  test('a checkout that has become an order leaves later changes, in whatever order they happen', async () => {
    const { loaded } = await out('k');
    rival = { operation: 'GetItemCommand', work: () => put(4) };
    await orderPlaced(loaded.id);
    expect((await look()).lines).toMatchObject([{ sku, quantity: 4 }]);
    expect(await itemsOf(`HOLDERS#${sku}`)).toHaveLength(1);
  });

  test('an order that was no basket changes nothing, and is recorded', async () => {
    const before = await stored(customerId);
    await orderPlaced(randomUUID().replaceAll('-', ''));
    expect(await stored(customerId)).toEqual(before);
  });
});
