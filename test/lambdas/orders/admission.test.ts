import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppEnv } from '../../../lambdas/environment.js';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import type { Order } from '../../../lambdas/orders/domain/order.js';
import { OrdersEnv } from '../../../lambdas/orders/environment.js';
import type { Table } from '../../../packages/kit/aws/table.js';
import type { Projection } from '../../../packages/kit/projection/projection.js';
import { functionEnvironment, LIMITS } from '../../support/function-environment.js';
import type { Call } from '../../support/in-process-dynamodb.js';

/** Reads of a customer before an order, with limits above what one query reads. */

const NOW = '2026-03-01T10:50:00.000Z';
let calls: Call[] = [];
let table: Table;
let ordersList: Projection<Order>;
let admission: typeof import('../../../lambdas/orders/admission.js');
let statuses: typeof import('../../../lambdas/orders/user-status.js');
let copying: typeof import('../../../lambdas/orders/list-statuses.js');
let replay: typeof import('../../../packages/kit/projection/replay.js');
let put: (item: object) => Promise<unknown>;

beforeAll(async () => {
  functionEnvironment({
    [AppEnv.CUSTOMER_LIMITS]: JSON.stringify({ ...LIMITS, ordersUnderWay: 40, ordersPerHour: 60 }),
  });
  vi.resetModules();
  const { inProcessDynamoDb } = await import('../../support/in-process-dynamodb.js');
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }));
  const { documentClient } = await import('../../../packages/kit/aws/dynamodb.js');
  put = (Item) => documentClient.send(new PutCommand({ TableName: 'table', Item: Item as Record<string, unknown> }));
  const { dynamoDbTable } = await import('../../../packages/kit/aws/table.js');
  table = dynamoDbTable('table');
  const { eventStoreFromEnvironment } = await import(
    '../../../packages/kit/event-store/event-store-from-environment.js'
  );
  const { orders } = await import('../../../lambdas/orders/aggregates.js');
  const { createOrdersList } = await import('../../../lambdas/orders/order-list.js');
  ordersList = createOrdersList(eventStoreFromEnvironment(orders));
  admission = await import('../../../lambdas/orders/admission.js');
  statuses = await import('../../../lambdas/orders/user-status.js');
  copying = await import('../../../lambdas/orders/list-statuses.js');
  replay = await import('../../../packages/kit/projection/replay.js');
});
let customer = '';
let placed = 0;
beforeEach(() => {
  customer = randomUUID();
  placed = 0;
  vi.stubEnv(OrdersEnv.USER_STATUSES, 'listed');
});
afterEach(() => vi.unstubAllEnvs());

/** Shows orders of two lines in the customer's list, ten seconds apart. */
async function lists(count: number, status: OrderView['status'] = 'APPROVED', version = 1, mark = ''): Promise<void> {
  const line = { sku: 'TEA-daf94c', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } };
  for (let number = 0; number < count; number++) {
    const orderId = (placed + 1).toString(16).padStart(32, '0');
    const placedAt = new Date(Date.parse('2026-03-01T10:00:00.000Z') + 10_000 * placed++).toISOString();
    const order = {
      orderId,
      customerId: customer,
      status,
      lines: [line, line],
      total: line.unitPrice,
      placedAt,
      version,
    };
    const sk = `ORDER${mark}#${placedAt}#${orderId}`;
    await put({ pk: `CUSTOMER#${customer}`, sk, version, order: JSON.stringify(order) });
  }
}

async function admits() {
  calls.length = 0;
  const { status, reached } = await admission.readAdmission(ordersList, table, customer, NOW);
  const reads = calls.reduce((sum, { readUnits }) => sum + readUnits, 0);
  return { status, limit: reached?.limit, calls: calls.map(({ operation }) => operation), reads };
}

const stored = (at: 'list' | 'apart', status: string, version: number) =>
  put({
    ...(at === 'list' ? statuses.listedKey(customer) : { pk: `USER#${customer}`, sk: 'STATUS' }),
    status,
    version,
    epoch: 0,
  });

describe('what is read of a customer before an order', () => {
  test('is one query, which costs as much for the 300th order as for the 30th, with and without a status', async () => {
    await lists(30);
    const few = await admits();
    expect(few).toMatchObject({ status: 'ACTIVE', limit: undefined, calls: ['Query'] });
    expect(few.reads).toBeLessThanOrEqual(3);
    // Those of the hours before: this hour has room for fewer.
    placed = -270;
    await lists(270);
    await stored('list', 'SUSPECT', 1);
    expect(await admits()).toEqual({ ...few, status: 'SUSPECT' });
  });

  test('continues to count the orders under way only if all that it has read are under way', async () => {
    await lists(39, 'PENDING');
    expect(await admits()).toMatchObject({ limit: undefined, calls: ['Query', 'GetItem', 'Query'] });
    await lists(1, 'PENDING');
    expect(await admits()).toMatchObject({ limit: 'ORDERS_UNDER_WAY', calls: ['Query', 'GetItem', 'Query'] });
    await lists(1, 'REJECTED');
    expect(await admits()).toMatchObject({ limit: undefined, calls: ['Query'] });
  });

  test('counts an hour from request to request, although each one reads the newest orders only', async () => {
    for (let number = 0; number < 3; number++) {
      await lists(20);
      expect((await admits()).limit).toBe(number < 2 ? undefined : 'ORDERS_PER_HOUR');
    }
    // The hour is known to be full: only the status is read.
    expect(await admits()).toMatchObject({ limit: 'ORDERS_PER_HOUR', calls: ['Query'], reads: 0.5 });
  });

  test('never counts more orders than the list has, whatever the requests have seen', async () => {
    await lists(59);
    for (let number = 0; number < 5; number++) expect((await admits()).limit).toBeUndefined();
  });

  test('counts an order once during a rebuild, as its newest row shows it', async () => {
    await lists(20, 'PENDING');
    placed = 0;
    await lists(20, 'APPROVED', 2, '@2');
    const { readListedCustomer } = await import('../../../lambdas/orders/customer-reads.js');
    const { newest } = await readListedCustomer('table', customer, 40);
    expect(newest).toHaveLength(20);
    expect(newest.every(({ status }) => status === 'APPROVED')).toBe(true);
    expect(newest.map(({ placedAt }) => placedAt)).toEqual(
      newest
        .map(({ placedAt }) => placedAt)
        .toSorted()
        .reverse(),
    );
  });
});

describe('the move of statuses beside the lists', () => {
  test.each(['apart', 'both'] as const)('with %s, the newer of two copies is the status', async (step) => {
    vi.stubEnv(OrdersEnv.USER_STATUSES, step);
    await stored('apart', 'BLOCKED', 1);
    expect(await admits()).toMatchObject({ status: 'BLOCKED', calls: ['Query', 'GetItem'] });
    await stored('list', 'ACTIVE', 2);
    expect((await admits()).status).toBe('ACTIVE');
    await stored('apart', 'SUSPECT', 3);
    expect((await admits()).status).toBe('SUSPECT');
  });

  test('a status is stored in both places from the second step on, and in the old one alone before', async () => {
    const change = async (step: string, sequence: number, status: 'BLOCKED' | 'ACTIVE' | 'SUSPECT') => {
      vi.stubEnv(OrdersEnv.USER_STATUSES, step);
      await table.transact(await statuses.statusEffect(table, customer, status, { sequence, epoch: 0 }));
      return [await table.read(statuses.listedKey(customer)), await statuses.readStatusCopy(table, customer)];
    };
    const [listed, apart] = await change('apart', 1, 'BLOCKED');
    expect({ listed, apart: apart?.status }).toEqual({ listed: undefined, apart: 'BLOCKED' });
    // An older event stores the newest status beside the list, too.
    expect((await change('both', 0, 'ACTIVE')).map((copy) => copy?.status)).toEqual(['BLOCKED', 'BLOCKED']);
    expect((await change('listed', 2, 'SUSPECT')).map((copy) => copy?.status)).toEqual(['SUSPECT', 'SUSPECT']);
  });

  test('a rebuild of the list copies what was stored before, and overwrites nothing newer', async () => {
    await stored('apart', 'BLOCKED', 1);
    const first = customer;
    customer = randomUUID();
    await stored('apart', 'BLOCKED', 1);
    await stored('list', 'ACTIVE', 2);
    expect(await copying.listStatuses('table', () => false)).toBe(false);
    expect(await copying.listStatuses('table', () => true)).toBe(true);
    expect((await admits()).status).toBe('ACTIVE');
    customer = first;
    expect((await admits()).status).toBe('BLOCKED');
  });

  test('a rebuild neither compares nor deletes a status beside the list', async () => {
    await stored('list', 'BLOCKED', 1);
    await lists(1);
    expect((await replay.scanRows(ordersList, undefined, 1_000)).done.map(({ sk }) => sk)).not.toContain('STATUS');
    await replay.deletePage(ordersList, { keeps: 2, upTo: 2 }, undefined, 1_000);
    expect((await admits()).status).toBe('BLOCKED');
  });

  test('an unknown step is refused by name', () => {
    vi.stubEnv(OrdersEnv.USER_STATUSES, 'elsewhere');
    expect(() => statuses.statusesStep()).toThrow('USER_STATUSES: expected apart, both or listed');
  });
});
