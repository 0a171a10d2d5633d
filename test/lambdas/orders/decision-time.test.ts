import { beforeEach, expect, test, vi } from 'vitest';
import { countDecision } from '../../../lambdas/orders/decision-time.js';
import type { Order } from '../../../lambdas/orders/domain/order.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';

const pending = { status: 'PENDING', placedAt: '2026-11-29T12:00:00.000Z' } as Order;
const counted: string[] = [];

beforeEach(() => {
  counted.length = 0;
  vi.spyOn(telemetry, 'count').mockImplementation((name) => {
    counted.push(name);
  });
});

/** Returns what is counted for a decision so many seconds after noon. */
function decidedAfter(seconds: number, order: Order = pending): readonly string[] {
  vi.spyOn(clock, 'now').mockReturnValue(
    new Date(Date.parse('2026-11-29T12:00:00.000Z') + seconds * 1000).toISOString(),
  );
  countDecision(order);
  return counted.splice(0);
}

test('an order is late if it is decided more than 30 seconds after it was placed', () => {
  expect(decidedAfter(30)).toEqual(['OrdersDecided']);
  expect(decidedAfter(30.001)).toEqual(['OrdersDecided', 'OrdersDecidedLate']);
});

test('an order that people review is not counted', () => {
  expect(decidedAfter(90_000, { ...pending, status: 'UNDER_REVIEW' } as Order)).toEqual([]);
  expect(decidedAfter(90_000, { ...pending, review: 'APPROVED' } as Order)).toEqual([]);
});
