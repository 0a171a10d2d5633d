import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { AppEnv } from '../../../lambdas/environment.js';
import type { Alongside } from '../../../packages/kit/idempotent-receiver/create-once.js';
import { functionEnvironment, LIMITS } from '../../support/function-environment.js';

/** Limits of a day, each changed and reached alone. */

const limits = { ...LIMITS, paymentsPerDay: 2, refundsPerDay: 3, refundedPerDay: 1_000 };
const AT = '2026-03-01T22:00:00.000Z';
const TOMORROW = '2026-03-02T00:00:00.000Z';
let dynamodb: typeof import('../../../packages/kit/aws/dynamodb.js');
let daily: typeof import('../../../lambdas/payments/daily-limits.js');
let customer = '';

beforeAll(async () => {
  functionEnvironment({ [AppEnv.CUSTOMER_LIMITS]: JSON.stringify(limits) });
  // Modules read their limits once, and files of a worker share them: another file may have loaded them with its own limits.
  vi.resetModules();
  const { inProcessDynamoDb } = await import('../../support/in-process-dynamodb.js');
  inProcessDynamoDb({ records: ['pk'] });
  dynamodb = await import('../../../packages/kit/aws/dynamodb.js');
  daily = await import('../../../lambdas/payments/daily-limits.js');
});
afterAll(() => {
  vi.resetModules();
});
beforeEach(() => {
  customer = randomUUID();
});

/** @returns `counted`, or the limit that is reached */
async function counted({ writes, refuse }: Alongside): Promise<unknown> {
  try {
    await dynamodb.transact([...writes]);
    return 'counted';
  } catch (error) {
    if (!(error instanceof dynamodb.TransactionRefused)) throw error;
    try {
      refuse?.(error.existingItem(writes[0]!));
    } catch (problem) {
      return (problem as { readonly extra: { readonly limit: string } }).extra.limit;
    }
    return 'refused';
  }
}
const refund = (amount: number, currency = 'EUR', at = AT, of = customer) =>
  counted(daily.countRefund('records', of, { amount, currency }, at));
const pay = (at = AT, of = customer) => counted(daily.countPayment('records', of, at));

test('the sum of a day counts in each currency for itself', async () => {
  expect(await refund(1_000, 'EUR')).toBe('counted');
  expect(await refund(1_000, 'USD')).toBe('counted');
  expect(await refund(1, 'USD')).toBe('REFUNDED_PER_DAY');
  expect(await refund(1, 'EUR')).toBe('REFUNDED_PER_DAY');
});

test('the refunds of a day count in all currencies together', async () => {
  for (const currency of ['EUR', 'USD', 'JPY']) expect(await refund(1, currency)).toBe('counted');
  expect(await refund(1, 'CHF')).toBe('REFUNDS_PER_DAY');
});

test('payments and refunds count apart, for each customer and day', async () => {
  expect([await pay(), await pay(), await pay()]).toEqual(['counted', 'counted', 'PAYMENTS_PER_DAY']);
  expect(await refund(1)).toBe('counted');
  expect([await pay(TOMORROW), await pay(AT, randomUUID())]).toEqual(['counted', 'counted']);
});

test('counts outlive their day, so that a slow clock does not start it again', () => {
  const [write] = daily.countPayment('records', customer, AT).writes;
  const expiresAt = Number(write?.Update?.ExpressionAttributeValues?.[':expiresAt']);
  expect(expiresAt).toBeGreaterThanOrEqual(Date.parse(TOMORROW) / 1000 + 3_600);
});
