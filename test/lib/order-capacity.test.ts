import { describe, expect, test } from 'vitest';
import { ENVIRONMENT_NAMES } from '../../lib/environment-names.js';
import { checkOrders, fitToAccount, ordersPerSecond, SMALL_ACCOUNT } from '../../lib/order-capacity.js';
import { settingsFor } from '../../lib/settings.js';
import { BATCH_SIZE } from '../../packages/kit/idempotent-consumer/idempotent-consumer.construct.js';
import { executionSeconds } from '../../tools/cost/bill.js';
import { readBudget } from '../../tools/cost/budget.js';

const orders = (sagaConcurrency: number, rate: number, providerConcurrency = 1_000) => ({
  sagaConcurrency,
  providerConcurrency,
  throttle: { rate, burst: 1 },
});

describe('the capacity for orders', () => {
  test('the capacity is that of the slower consumer', () => {
    expect(ordersPerSecond(orders(12, 1))).toBe(100);
    expect(ordersPerSecond(orders(12, 1, 5))).toBe(50);
    // The formula counts batches of ten.
    expect(BATCH_SIZE).toBe(10);
  });

  test('the capacity is at least what the API admits by both routes together', () => {
    expect(() => checkOrders('x', orders(12, 50))).not.toThrow();
    expect(() => checkOrders('x', orders(12, 51))).toThrow(
      "orders of 'x': throttle.rate 51 is too high: consumers process 100 orders/s, and 2 routes share them. Use 50 or less, or raise sagaConcurrency or providerConcurrency",
    );
  });

  test.each([
    [0, 1],
    [-1, 1],
    [Number.NaN, 1],
    [1, 0],
    [1, 1.5],
  ])('refuses to admit %d orders a second with a burst of %d', (rate, burst) => {
    const wrong = orders(12, rate);
    expect(() => checkOrders('x', { ...wrong, throttle: { rate, burst } })).toThrow(
      /^orders of 'x': throttle is .*; expected a rate above 0 and a burst that is an integer above 0$/,
    );
  });

  test.each(ENVIRONMENT_NAMES)(
    'the capacity of %s is mostly used: the API admits a third of it or more by each route',
    (name) => {
      const { orders } = settingsFor(name, {
        issuer: 'https://issuer.example',
        jwksUri: 'https://issuer.example/keys',
      });
      expect(orders.throttle.rate).toBeGreaterThanOrEqual(ordersPerSecond(orders) / 3);
    },
  );
});

describe('a small account', () => {
  const issued = { issuer: 'https://issuer.example', jwksUri: 'https://issuer.example/keys' };
  const small = settingsFor('prod', { ...issued, concurrency: 'small' });

  test('the API admits the orders that ten executions take, beside three for other requests', () => {
    // There are two routes.
    expect(2 * small.orders.throttle.rate * SMALL_ACCOUNT.orderSeconds).toBeLessThanOrEqual(10 - 3);
    expect(small).toMatchObject({
      concurrency: 'small',
      orders: { sagaConcurrency: 2, providerConcurrency: 2, throttle: { rate: 0.7, burst: 2 } },
      throttle: { rate: 20, burst: 20 },
      firewall: { requestsPerAddress: 200, requestsPerToken: 200 },
    });
  });

  test('an order takes the seconds of execution that its counted invocations add up to', () => {
    const { cases, triggers, memory } = readBudget();
    const seconds = Object.values({ approved: cases.approved, first: cases.first }).map(({ functions }) =>
      Object.entries(functions).reduce(
        (sum, [fn, counts]) => sum + executionSeconds(counts, { trigger: triggers[fn], memory: memory[fn] ?? 0 }),
        0,
      ),
    );
    // Rounded up, to a tenth.
    expect(SMALL_ACCOUNT.orderSeconds).toBeCloseTo(Math.ceil(Math.max(...seconds) * 10) / 10, 5);
  });

  test('a limit that is lower already stays', () => {
    const settings = settingsFor('prod', issued);
    const lower = {
      ...settings,
      concurrency: 'small' as const,
      throttle: { rate: 5, burst: 7 },
      firewall: false as const,
    };
    expect(fitToAccount(lower)).toMatchObject({ throttle: { rate: 5, burst: 7 }, firewall: false });
  });

  test('every other setting is that of the environment, and another concurrency changes none', () => {
    const settings = settingsFor('prod', issued);
    const { concurrency, orders, throttle, firewall, ...others } = small;
    expect(settings).toMatchObject(others);
    expect(fitToAccount(settings)).toBe(settings);
  });

  test('the command line takes no reservations as well, and no other concurrency', () => {
    expect(settingsFor('prod', { ...issued, concurrency: 'unreserved' }).concurrency).toBe(false);
    const concurrency = '200' as 'small';
    expect(() => settingsFor('prod', { ...issued, concurrency })).toThrow(
      "concurrency is '200': expected 'small' or 'unreserved'",
    );
  });
});
