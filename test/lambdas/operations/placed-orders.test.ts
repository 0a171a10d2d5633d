import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderOrders } from '../../../lambdas/operations/orders-text.js';
import { type PlacedSpan, positionOf, readPlacedOrders } from '../../../lambdas/operations/placed-orders.js';
import { PLACED_INDEX, placedPartition } from '../../../lambdas/orders/keys.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  inProcessDynamoDb({ table: ['pk', 'sk'] }, { table: { [PLACED_INDEX]: ['placedPk', 'sk'] } });
});
afterEach(() => void vi.useRealTimers());

/** Orders every four hours of three days, of two customers, in all shards; midnight's, too. */
const TIMES = Array.from({ length: 18 }, (_, at) => new Date(Date.UTC(2026, 0, 1) + at * 14_400_000).toISOString());
const POSITIONS = TIMES.map((placedAt, at) => `${placedAt}#${at.toString(16).padStart(32, '0')}`);
const newestFirst = (positions: readonly string[]) => positions.toReversed();

async function put(version = 1): Promise<void> {
  const mark = version === 1 ? '' : `@${version}`;
  for (const [at, position] of POSITIONS.entries()) {
    const [placedAt = '', orderId = ''] = position.split('#');
    const summary = JSON.stringify({ status: 'PENDING', total: { amount: 1, currency: 'EUR' }, skus: [] });
    const key = placedPartition({ placedAt, orderId }).replace('PLACED', `PLACED${mark}`);
    const Item = { pk: `CUSTOMER#c${at % 2}`, sk: `ORDER${mark}#${position}`, placedPk: key, summary };
    await documentClient.send(new PutCommand({ TableName: 'table', Item }));
  }
  // An index is behind its table.
  vi.setSystemTime(Date.now() + 60_000);
}

const WHOLE = { table: 'table', version: 1, from: '2026-01-01T00:00:00.000Z', to: '2026-01-04T00:00:00.000Z' };

async function read(span: Partial<PlacedSpan> = {}, pageSize = 2): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { orders } of readPlacedOrders(documentClient, { ...WHOLE, ...span }, pageSize))
    found.push(...orders.map(positionOf));
  return found;
}

test('orders of all shards and days come in one order, the newest first, whatever the size of a page', async () => {
  await put();
  for (const pageSize of [1, 2, 3, 100]) expect(await read({}, pageSize)).toEqual(newestFirst(POSITIONS));
});

test('a time ends before its end, and begins with its beginning', async () => {
  await put();
  const [from = '', to = ''] = [TIMES[4], TIMES[9]];
  expect(await read({ from, to })).toEqual(newestFirst(POSITIONS.slice(4, 9)));
});

test('a round says down to where everything was read', async () => {
  await put();
  const found: string[] = [];
  for await (const { orders, reached } of readPlacedOrders(documentClient, WHOLE, 1)) {
    found.push(...orders.map(positionOf));
    expect(found).toEqual(newestFirst(POSITIONS.filter((one) => one >= reached)));
  }
  expect(found).toHaveLength(POSITIONS.length);
});

test('a page continues behind any position, at midnight too', async () => {
  await put();
  for (const [at, before] of POSITIONS.entries())
    expect(await read({ before }), before).toEqual(newestFirst(POSITIONS.slice(0, at)));
});

test('orders of one customer are read from their list, and those of a version from that version', async () => {
  await put();
  expect(await read({ customer: 'c1' })).toEqual(newestFirst(POSITIONS.filter((_, at) => at % 2 === 1)));
  expect(await read({ version: 2 })).toEqual([]);
  await put(2);
  expect(await read({ version: 2 })).toEqual(newestFirst(POSITIONS));
  expect(await read({})).toEqual(newestFirst(POSITIONS));
});

test('a page of orders fits 80 columns, and uses 200', () => {
  const text = (width?: number) =>
    renderOrders(
      {
        from: TIMES[0] ?? '',
        to: TIMES[6] ?? '',
        orders: [
          {
            orderId: '3f9a1c5e7b2d4f608192a3b4c5d6e7f8',
            customerId: 'a-customer-with-a-long-id-of-an-issuer-7d41402a',
            status: 'REJECTED',
            reason: 'PRODUCT_DISCONTINUED',
            step: 'confirm-prices',
            placedAt: '2026-01-01T12:00:00.123Z',
            decidedAt: '2026-01-01T12:00:01.323Z',
            seconds: 1.2,
            total: { amount: 1200, currency: 'EUR' },
            skus: ['TEA-1'],
          },
        ],
        counts: {
          orders: 1,
          statuses: [{ status: 'REJECTED', orders: 1 }],
          reasons: [{ reason: 'PRODUCT_DISCONTINUED', orders: 1 }],
        },
        looked: 1,
        list: { state: 'filled' },
      },
      width,
    );
  const widest = (width?: number) =>
    Math.max(
      ...text(width)
        .split('\n')
        .map(({ length }) => length),
    );
  expect(widest(80)).toBeLessThanOrEqual(80);
  expect(widest(200)).toBeLessThanOrEqual(200);
  expect(text(80).split('\n')).toEqual([
    '1 order placed from 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z',
    'by status: 1 REJECTED',
    'by reason: 1 PRODUCT_DISCONTINUED',
    '',
    '3f9a1c5e7b2d4f608192a3b4c5d6e7f8  REJECTED PRODUCT_DISCONTINUED at confirm-pric…',
    '    2026-01-01 12:00:00  decided after 1.2 s  12.00 EUR  a-customer-with-a-long…',
  ]);
  for (const cell of ['confirm-prices', '2026-01-01T12:00:00.123Z', '1.2 s', '12.00 EUR'])
    expect(text(200)).toContain(cell);
  expect(text()).toContain('a-customer-with-a-long-id-of-an-issuer-7d41402a');
});
