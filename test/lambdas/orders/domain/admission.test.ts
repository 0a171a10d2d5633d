import { describe, expect, test } from 'vitest';
import type { OrderView } from '../../../../lambdas/orders/contract.js';
import { findReachedLimit, findRejection, startOfLookback } from '../../../../lambdas/orders/domain/admission.js';

const now = '2026-03-01T10:15:00.500Z';
const limits = { ordersUnderWay: 2, ordersPerHour: 3 };
const orders = (count: number, status: OrderView['status'], placedAt = '2026-03-01T10:10:00.000Z') =>
  Array.from({ length: count }, () => ({ status, placedAt }));

describe("a customer's limits, by their list", () => {
  test('admit an order below them', () => {
    expect(findReachedLimit([], limits, now)).toBeUndefined();
    expect(findReachedLimit([...orders(1, 'PENDING'), ...orders(1, 'REJECTED')], limits, now)).toBeUndefined();
  });
  test('refuse one more than may be under way', () =>
    expect(findReachedLimit(orders(2, 'PENDING'), limits, now)).toEqual({
      limit: 'ORDERS_UNDER_WAY',
      retryAfterSeconds: 60,
    }));
  test.each(['APPROVED', 'REJECTED', 'CANCELLED'] as const)(
    'refuse one more in this hour, whatever became of them: %s',
    (status) =>
      expect(findReachedLimit(orders(3, status), limits, now)).toEqual({
        limit: 'ORDERS_PER_HOUR',
        retryAfterSeconds: 2700,
      }),
  );
  test('forget the hour before, but not what is still under way from it', () => {
    const before = '2026-03-01T09:59:59.999Z';
    expect(findReachedLimit(orders(3, 'APPROVED', before), limits, now)).toBeUndefined();
    expect(findReachedLimit(orders(2, 'PENDING', before), limits, now)).toMatchObject({ limit: 'ORDERS_UNDER_WAY' });
  });
  test('look back for an hour, so at all orders of the clock hour', () => {
    expect(startOfLookback(now)).toBe('2026-03-01T09:15:00.500Z');
    expect(startOfLookback('2026-03-01T10:59:59.999Z') <= '2026-03-01T10:00:00.000Z').toBe(true);
  });
});

describe('an unattended order', () => {
  const line = (sku: string, amount: number, quantity: number) => ({
    sku,
    quantity,
    unitPrice: { amount, currency: 'EUR' },
  });
  test('an unattended order is rejected by the limit that refuses a request', () => {
    expect(findRejection([line('TEA-1', 350, 1)], { isBlocked: false, reached: undefined })).toBeUndefined();
    const reached = { limit: 'ORDERS_UNDER_WAY', retryAfterSeconds: 60 } as const;
    expect(findRejection([line('TEA-1', 350, 1)], { isBlocked: false, reached })).toEqual({
      reason: 'OVER_LIMIT',
      limit: 'ORDERS_UNDER_WAY',
      skus: [],
    });
  });
  test('an unattended order is rejected for too many pieces of a free line', () =>
    expect(
      findRejection([line('TEA-1', 350, 11), line('CUP-1', 0, 11), line('POT-1', 0, 10)], {
        isBlocked: false,
        reached: undefined,
      }),
    ).toEqual({
      reason: 'STEP_REFUSED',
      skus: ['CUP-1'],
    }));
});
