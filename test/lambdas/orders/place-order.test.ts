import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppEnv } from '../../../lambdas/environment.js';
import type { OrderStore } from '../../../lambdas/orders/aggregates.js';
import type { Order } from '../../../lambdas/orders/domain/order.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import type { Projection } from '../../../packages/kit/projection/projection.js';
import { functionEnvironment, LIMITS } from '../../support/function-environment.js';
import type { Call } from '../../support/in-process-dynamodb.js';

/** At the limits of its customer, as far as their list shows; the account's exact limits are in accounts' own tests. */

const limits = { ...LIMITS, ordersUnderWay: 2, ordersPerHour: 4 };
let handler: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
let orderStore: OrderStore;
let ordersList: Projection<Order>;
let list: typeof import('../../../lambdas/orders/order-list.js');
let projections: typeof import('../../../packages/kit/projection/projection.js');
let domain: typeof import('../../../lambdas/orders/domain/order.js');
let calls: Call[] = [];
beforeAll(async () => {
  // In the middle of an hour: the next one would begin with nothing counted.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T10:15:00.000Z') });
  functionEnvironment({
    [AppEnv.CUSTOMER_LIMITS]: JSON.stringify(limits),
    [Env.PERSONAL_KEYS]: 'people',
    [Env.PERSONAL_DATA_KEY]: 'none',
  });
  // Modules read their limits once, and files of a worker share them: another file may have loaded them with its own limits.
  vi.resetModules();
  const { inProcessDynamoDb } = await import('../../support/in-process-dynamodb.js');
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'], people: ['pk'] }));
  const { eventStoreFromEnvironment } = await import(
    '../../../packages/kit/event-store/event-store-from-environment.js'
  );
  const { orders } = await import('../../../lambdas/orders/aggregates.js');
  orderStore = eventStoreFromEnvironment(orders);
  list = await import('../../../lambdas/orders/order-list.js');
  ordersList = list.createOrdersList(orderStore);
  projections = await import('../../../packages/kit/projection/projection.js');
  domain = await import('../../../lambdas/orders/domain/order.js');
  ({ handler } = await import('../../../lambdas/orders/place-order.lambda.js'));
});
afterAll(() => {
  vi.useRealTimers();
  vi.resetModules();
});
let customer = '';
beforeEach(() => {
  customer = randomUUID();
});

const body = { lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] };

async function post(key: string, sent: object = body) {
  const event = {
    httpMethod: 'POST',
    resource: '/orders',
    path: '/v1/orders',
    headers: { 'Idempotency-Key': key },
    body: JSON.stringify(sent),
    isBase64Encoded: false,
    requestContext: { authorizer: { sub: customer, role: 'customer', exp: clock.epochSeconds() + 60 } },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, headers, body: text } = await handler(event);
  return { status: statusCode, headers, body: JSON.parse(text) };
}

/** Places an order, and shows it in its customer's list as its projection does. */
async function listed(key: string, end?: 'Approve'): Promise<string> {
  const { status, body: order } = await post(key);
  expect(status).toBe(201);
  let loaded = await orderStore.load(order.orderId);
  if (end) {
    const trace = { trigger: randomUUID(), actor: 'test', correlationId: 'test', traceparent: 'test' };
    const events = domain.decide(loaded.state, { type: end }, { now: clock.now() });
    await orderStore.append(orderStore.buildCommit(loaded, events, trace));
    loaded = await orderStore.load(order.orderId);
  }
  await projections.updateProjection(ordersList, loaded);
  return order.orderId;
}

describe('a customer at the limit of their orders', () => {
  test('a customer at the limit under way is refused one more, and learns when to retry', async () => {
    for (const key of ['one', 'two']) await listed(key);
    const { status, headers, body } = await post('three');
    expect({ status, retry: headers?.['Retry-After'] }).toEqual({ status: 429, retry: '60' });
    expect(body).toMatchObject({ type: 'urn:orderly:problem:limit-reached', limit: 'ORDERS_UNDER_WAY' });
  });

  test('a customer at the limit of an hour is refused until the next one, though none is under way', async () => {
    for (const key of ['one', 'two', 'three', 'four']) await listed(key, 'Approve');
    const { status, headers, body } = await post('five');
    expect({ status, retry: headers?.['Retry-After'] }).toEqual({ status: 429, retry: '2700' });
    expect(body).toMatchObject({ type: 'urn:orderly:problem:limit-reached', limit: 'ORDERS_PER_HOUR' });
  });

  test('gets the first answer to the repeat of an accepted request, and 422 for another under its key', async () => {
    const orderId = await listed('one');
    await listed('two');
    const { status, headers, body: order } = await post('one');
    expect({ status, replayed: headers?.['Idempotency-Replayed'] }).toEqual({ status: 201, replayed: 'true' });
    expect(order.orderId).toBe(orderId);
    body.lines[0]!.quantity = 2;
    expect((await post('one')).status).toBe(422);
    body.lines[0]!.quantity = 1;
  });

  test('leaves nothing behind: the same request passes once there is room', async () => {
    const [first] = [await listed('one'), await listed('two')];
    expect((await post('three')).status).toBe(429);
    const loaded = await orderStore.load(first);
    const trace = { trigger: randomUUID(), actor: 'test', correlationId: 'test', traceparent: 'test' };
    const events = domain.decide(loaded.state, { type: 'Approve' }, { now: clock.now() });
    await orderStore.append(orderStore.buildCommit(loaded, events, trace));
    await projections.updateProjection(ordersList, await orderStore.load(first));
    expect((await post('three')).status).toBe(201);
  });

  test('a customer at the limit does not limit others', async () => {
    for (const key of ['one', 'two']) await listed(key);
    customer = randomUUID();
    expect((await post('one')).status).toBe(201);
  });
});

test('a customer whose hour is full is refused without a read of their orders, until the next hour', async () => {
  for (const key of ['one', 'two', 'three', 'four']) await listed(key, 'Approve');
  expect((await post('five')).status).toBe(429);
  calls.length = 0;
  expect((await post('six')).status).toBe(429);
  // Whether the user is blocked, in both places, and whether it is the repeat of an accepted request. Of the orders, one is read.
  expect(calls.map(({ operation }) => operation)).toEqual(['Query', 'GetItem', 'Query']);
  vi.setSystemTime(Date.parse('2026-03-01T11:00:00.000Z'));
  expect((await post('six')).status).toBe(201);
  vi.setSystemTime(Date.parse('2026-03-01T10:15:00.000Z'));
});

test('a request reads 25 orders and one page at most, however large the orders are', async () => {
  const { documentClient: documents } = await import('../../../packages/kit/aws/dynamodb.js');
  const sku = 's'.repeat(61);
  const lines = Array.from({ length: 50 }, (_, at) => ({
    sku: `${sku}-${at}`,
    quantity: 10_000,
    unitPrice: { amount: 1e12, currency: 'EUR' },
  }));
  for (let at = 0; at < 300; at++) {
    const orderId = at.toString(16).padStart(32, '0');
    const placedAt = new Date(clock.epochSeconds() * 1000 - 1_000 * at).toISOString();
    const order = JSON.stringify({ orderId, customerId: customer, status: 'APPROVED', lines, placedAt });
    const Item = { pk: `CUSTOMER#${customer}`, sk: `ORDER#${placedAt}#${orderId}`, version: 1, order };
    await documents.send(new PutCommand({ TableName: 'table', Item }));
  }
  const { readListedCustomer } = await import('../../../lambdas/orders/customer-reads.js');
  calls.length = 0;
  expect((await readListedCustomer('table', customer, 25)).newest).toHaveLength(25);
  expect(calls.map(({ operation }) => operation)).toEqual(['Query']);
  // Such an order costs 14 write units when it is placed, each the price of 5 read units.
  expect(calls.reduce((sum, { readUnits }) => sum + readUnits, 0)).toBeLessThanOrEqual(46);
  // Those under way are counted by one page, which has all of the limit of `prod`.
  calls.length = 0;
  const newest = await list.readNewestSince(ordersList, customer, '2026-03-01T09:15:00.000Z', { limit: 300, calls: 1 });
  expect(newest.length).toBeGreaterThan(100);
  expect(calls.reduce((sum, { readUnits }) => sum + readUnits, 0)).toBeLessThanOrEqual(130);
});

describe('more than ten pieces of a line that costs nothing', () => {
  const free = { lines: [{ sku: 'TEA-1', quantity: 11, unitPrice: { amount: 0, currency: 'EUR' } }] };

  test('free pieces above ten are refused in a new order, with their place', async () => {
    const { status, body } = await post('free', free);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      type: 'urn:orderly:problem:invalid-request',
      errors: [{ pointer: '/lines/0/quantity' }],
    });
  });

  test('free pieces above ten are answered as before if the order was accepted before the rule', async () => {
    const { createOnce } = await import('../../../packages/kit/idempotent-receiver/create-once.js');
    const { parseIdempotencyKey: idempotencyKey } = await import(
      '../../../packages/kit/idempotent-receiver/idempotency-key.js'
    );
    const request = { header: 'free', client: `customer:${customer}`, method: 'POST', path: '/orders', query: {} };
    const { loaded } = await createOnce({
      store: orderStore,
      key: idempotencyKey({ ...request, body: free, session: undefined }),
      trace: { trigger: randomUUID(), actor: 'test', correlationId: 'test', traceparent: 'test' },
      command: (orderId) => ({ type: 'Place', orderId, customerId: customer, ...free }),
    });
    const { status, headers, body } = await post('free', free);
    expect({ status, replayed: headers?.['Idempotency-Replayed'] }).toEqual({ status: 201, replayed: 'true' });
    expect(body.orderId).toBe(loaded.id);
  });
});

test('a new order that no card can be charged is refused where the environment says so, and the repeat of one is not', async () => {
  const cheap = { lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 49, currency: 'EUR' } }] };
  expect((await post('before', cheap)).status).toBe(201);
  vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
  try {
    const { status, body: problem } = await post('cheap', cheap);
    expect(status).toBe(400);
    expect(problem).toMatchObject({ type: 'urn:orderly:problem:invalid-request', errors: [{ pointer: '/lines' }] });
    expect((await post('before', cheap)).status).toBe(201);
    expect((await post('dear', body)).status).toBe(201);
  } finally {
    vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, undefined);
  }
});

test('placing an order is one write, behind a small read of the list and one of the status', async () => {
  calls.length = 0;
  await post('one');
  expect(calls.map(({ operation }) => operation)).toEqual(['Query', 'GetItem', 'PutItem']);
  expect(calls.map(({ readUnits }) => readUnits)).toEqual([0.5, 1, 0]);
});
