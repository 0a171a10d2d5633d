import { describe, expect, test } from 'vitest';
import { matcher } from '../../../lambdas/operations/list-orders.js';
import {
  type OrdersQuery,
  parseOrdersQuery,
  REASONS,
  STATUSES,
  toCursor,
  WrongOrdersQuery,
} from '../../../lambdas/operations/orders-request.js';
import type { PlacedOrder } from '../../../lambdas/operations/placed-orders.js';
import { OrderView, RejectionReason } from '../../../lambdas/orders/contract.js';

const NOW = '2026-11-29T10:30:00.000Z';
const JUST_AFTER = '2026-11-29T10:30:00.001Z';
const parse = (query: OrdersQuery) => parseOrdersQuery(query, NOW);

test('the statuses and reasons that can be asked for are all that orders have', () => {
  expect(STATUSES).toEqual(OrderView.shape.status.options);
  expect(REASONS).toEqual(RejectionReason.options);
});

describe('the time of a list of orders', () => {
  test.each<[OrdersQuery, string, string]>([
    [{}, '2026-11-29T09:30:00.000Z', JUST_AFTER],
    [{ since: '90s' }, '2026-11-29T10:28:30.000Z', JUST_AFTER],
    [{ customer: 'alice' }, '2026-11-28T10:30:00.000Z', JUST_AFTER],
    [{ search: '3f9a' }, '2026-11-28T10:30:00.000Z', JUST_AFTER],
    // The latest noon was yesterday.
    [{ from: '12:00', to: '13:00' }, '2026-11-28T12:00:00.000Z', '2026-11-28T13:00:00.000Z'],
    [{ from: '08:00' }, '2026-11-29T08:00:00.000Z', JUST_AFTER],
    [{ from: '23:00', to: '01:00' }, '2026-11-28T23:00:00.000Z', '2026-11-29T01:00:00.000Z'],
    [{ from: '2026-11-20', to: '2026-11-21T02:00+02:00' }, '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ])('of %j is from %s to %s', (query, from, to) => expect(parse(query)).toMatchObject({ from, to }));

  test.each<[OrdersQuery, string]>([
    [{ from: '2026-11-29T09:00' }, 'from'],
    [{ from: '25:00' }, 'from'],
    [{ from: '2026-12-01' }, 'from'],
    [{ from: '2026-11-20', to: 'noon' }, 'to'],
    [{ to: '13:00' }, 'to'],
    [{ since: '1w' }, 'since'],
    [{ since: '1h', to: '13:00' }, 'since'],
    [{ since: '93d' }, 'since'],
  ])('of %j is refused for %s', (query, parameter) => {
    const refused = (): unknown => {
      try {
        return parse(query);
      } catch (error) {
        return error;
      }
    };
    expect(refused()).toBeInstanceOf(WrongOrdersQuery);
    expect(refused()).toMatchObject({ parameter, detail: expect.stringMatching(/expected/) });
  });

  test('of one customer may be as long as they have ordered', () =>
    expect(parse({ customer: 'alice', since: '999d' }).from).toBe('2024-03-05T10:30:00.000Z'));
});

test('statuses and reasons are words in any case, with hyphens or underscores', () => {
  const { statuses, reasons } = parse({ status: 'rejected,UNDER_REVIEW', reason: 'out-of-stock, Timed_Out' });
  expect({ statuses, reasons }).toEqual({
    statuses: ['REJECTED', 'UNDER_REVIEW'],
    reasons: ['OUT_OF_STOCK', 'TIMED_OUT'],
  });
});

test('a cursor is a position, and a time alone is the one before its orders', () => {
  const id = '3f9a'.padEnd(32, '0');
  expect(parse({ cursor: toCursor(`${NOW}#${id}`) }).cursor).toBe(`${NOW}#${id}`);
  expect(parse({ cursor: toCursor(NOW) }).cursor).toBe(`${NOW}#${'0'.repeat(32)}`);
});

describe('an order', () => {
  const order: PlacedOrder = {
    orderId: '3f9a'.padEnd(32, '0'),
    customerId: 'alice',
    placedAt: NOW,
    status: 'REJECTED',
    reason: 'OUT_OF_STOCK',
    total: { amount: 1, currency: 'EUR' },
    skus: ['TEA-1', 'CUP-2'],
    correlationId: 'cart-17',
  };
  const matches = (query: OrdersQuery, synthetic?: string) => matcher(parse(query), synthetic)(order);

  test('is found by what it is, and by the beginning of each id', () => {
    for (const query of [
      {},
      { status: 'rejected' },
      { status: 'approved,rejected', reason: 'out-of-stock' },
      { sku: 'CUP-2' },
      ...['3F9A', 'ali', 'cup', 'cart-'].map((search) => ({ search })),
    ])
      expect(matches(query), JSON.stringify(query)).toBe(true);
  });

  test('is not found by what it is not, nor by the middle of an id', () => {
    for (const query of [
      { status: 'approved' },
      { reason: 'timed-out' },
      { sku: 'CUP' },
      ...['f9a', 'lice', 'UP-2', '17'].map((search) => ({ search })),
    ])
      expect(matches(query), JSON.stringify(query)).toBe(false);
  });

  test('of the synthetic customer is left out, unless it or that customer is asked for', () => {
    expect(matches({}, 'alice')).toBe(false);
    expect(matches({ synthetic: true }, 'alice')).toBe(true);
    expect(matches({ customer: 'alice' }, 'alice')).toBe(true);
    expect(matches({}, 'somebody')).toBe(true);
  });
});
