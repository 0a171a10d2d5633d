import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { stockItems } from '../../lambdas/inventory/aggregates.js';
import { orders } from '../../lambdas/orders/aggregates.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import type { Order } from '../../lambdas/orders/domain/order.js';
import { eventStoreFromEnvironment } from '../../packages/kit/event-store/event-store-from-environment.js';
import type { Projection } from '../../packages/kit/projection/projection.js';
import { stateStoreFromEnvironment } from '../../packages/kit/state-store/state-store-from-environment.js';
import { functionEnvironment } from '../support/function-environment.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';
import { buildTrace } from '../support/tally.js';

/** Races that are too narrow to be met from outside: the rival comes in between a read and its write, each time. */

let list: typeof import('../../lambdas/orders/order-list.js');
let ordersList: Projection<Order>;
let projections: typeof import('../../packages/kit/projection/projection.js');
let counters: import('../../lambdas/inventory/stock-store.js').StockStore;
let stock: typeof import('../../lambdas/inventory/stock-store.js');
let documents: typeof import('../../packages/kit/aws/dynamodb.js').documentClient;
/** Runs once, between the next read of one item and what follows it. */
let rival: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  functionEnvironment();
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  ({ documentClient: documents } = await import('../../packages/kit/aws/dynamodb.js'));
  list = await import('../../lambdas/orders/order-list.js');
  ordersList = list.createOrdersList(eventStoreFromEnvironment(orders));
  counters = stateStoreFromEnvironment(stockItems);
  projections = await import('../../packages/kit/projection/projection.js');
  stock = await import('../../lambdas/inventory/stock-store.js');
  documents.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      const comesNow = context.commandName?.startsWith('Get') ? rival : undefined;
      if (comesNow) {
        rival = undefined;
        await comesNow();
      }
      return answer;
    },
    { step: 'initialize' },
  );
});

const order = (version: number, change: Partial<OrderView> = {}): OrderView => ({
  orderId: 'order',
  customerId: 'alice',
  status: version === 1 ? 'PENDING' : 'APPROVED',
  lines: [],
  total: { amount: 0, currency: 'EUR' },
  version,
  placedAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

/** A row as the projection makes it, put into the version that is read. */
function put(view: OrderView) {
  const { customerId, version } = view;
  const row = { pk: `CUSTOMER#${customerId}`, sk: `ORDER#${list.orderPosition(view)}`, version };
  return projections.putRow(ordersList, { ...row, order: JSON.stringify(view) }, 1);
}

/** An order takes pieces, as its reservation does. */
const take = (sku: string, quantity: number) =>
  documents.send(
    new UpdateCommand({
      TableName: 'table',
      Key: { pk: `StockItem#${sku}`, sk: 'STATE' },
      UpdateExpression: 'SET reserved = reserved + :quantity, available = available - :quantity',
      ExpressionAttributeValues: { ':quantity': quantity },
    }),
  );
const set = (sku: string, onHand: number, ifMatch?: number) =>
  stock.setStock(counters, sku, onHand, ifMatch, buildTrace(randomUUID()));

describe("a row of a customer's list", () => {
  test('an older row never replaces a newer one, in whichever order they are put', async () => {
    const customerId = randomUUID();
    for (const version of [2, 1, 2, 3, 1]) await put(order(version, { customerId }));
    expect(await list.readOrders(ordersList, customerId, undefined, 10)).toEqual([
      { view: order(3, { customerId }), sealed: {} },
    ]);
    expect(await put(order(2, { customerId }))).toBe('duplicate');
    expect(await put(order(4, { customerId }))).toBe('applied');
  });
});

describe('setting a stock', () => {
  test('a stock is refused if an order takes more than stays, between reading and writing', async () => {
    const sku = randomUUID();
    await set(sku, 10);
    rival = () => take(sku, 7);
    await expect(set(sku, 5)).rejects.toMatchObject({ code: 'stock-reserved' });
    expect(await stock.readStock(counters, sku)).toEqual({ sku, onHand: 10, reserved: 7, available: 3, version: 1 });
  });

  test('counts what an order takes between reading and writing', async () => {
    const sku = randomUUID();
    await set(sku, 10);
    rival = () => take(sku, 7);
    expect(await set(sku, 20)).toEqual({ sku, onHand: 20, reserved: 7, available: 13, version: 2 });
  });

  test('a stock under If-Match is refused if another operator sets it in between', async () => {
    const sku = randomUUID();
    await set(sku, 10);
    rival = () => set(sku, 11);
    const versions = { expectedVersion: 1, foundVersion: 2 };
    await expect(set(sku, 12, 1)).rejects.toMatchObject({ code: 'conflict', extra: { versions } });
    expect(await stock.readStock(counters, sku)).toMatchObject({ onHand: 11, version: 2 });
  });

  test("a stock without If-Match is set after the other operator's", async () => {
    const sku = randomUUID();
    await set(sku, 10);
    rival = () => set(sku, 11);
    expect(await set(sku, 12)).toMatchObject({ onHand: 12, version: 3 });
  });

  test('a first stock by two operators is counted twice, one after the other', async () => {
    const sku = randomUUID();
    rival = () => set(sku, 1);
    expect(await set(sku, 2)).toMatchObject({ onHand: 2, version: 2 });
  });
});
