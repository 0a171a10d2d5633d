import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CHARGE_LIMITS, findChargeFault, findUnchargeable } from '../../lambdas/charge-limits.js';
import { AppEnv } from '../../lambdas/environment.js';

const { smallest, others, threeDecimals, inAnotherUnit, largest } = CHARGE_LIMITS;

describe('an amount that can be charged', () => {
  test.each(Object.entries(smallest))('an amount in %s has the smallest amount %i at least', (currency, least) => {
    expect(findChargeFault({ amount: least, currency })).toBeUndefined();
    expect(findChargeFault({ amount: least - 1, currency })).toContain(`of ${least} to ${largest}`);
  });
  test('an amount has eight digits at most, in every currency', () => {
    for (const currency of [...Object.keys(smallest), ...others]) {
      expect(findChargeFault({ amount: largest, currency })).toBeUndefined();
      expect(findChargeFault({ amount: largest + 1, currency })).toContain(`to ${largest}`);
    }
  });
  test('an amount in another currency is above 0; no charge is needed for 0', () => {
    for (const currency of others) expect(findChargeFault({ amount: 1, currency })).toBeUndefined();
    for (const currency of ['EUR', 'XXX', 'ISK']) expect(findChargeFault({ amount: 0, currency })).toBeUndefined();
  });
  test.each([...threeDecimals])('an amount in %s, with three decimals, ends in 0', (currency) => {
    expect(findChargeFault({ amount: 5_120, currency })).toBeUndefined();
    expect(findChargeFault({ amount: 5_124, currency })).toContain('last digit is 0');
    expect(findChargeFault({ amount: 5, currency })).toContain('of 10 to');
  });
  test.each([...inAnotherUnit, 'BGN', 'XXX', 'XTS', 'eur', '', 'toString'])(
    'there is no amount in the currency %j',
    (currency) => {
      expect(findChargeFault({ amount: 1_000, currency })).toBe('expected a currency that can be charged');
    },
  );
});

describe('an order that no card can be charged', () => {
  const line = (quantity: number, amount: number) => ({ quantity, unitPrice: { amount, currency: 'EUR' } });
  afterEach(() => void vi.unstubAllEnvs());

  test('an order is refused by the sum of its lines, in an environment that refuses such orders', () => {
    vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
    expect(findUnchargeable([line(4, 12), line(1, 1)])).toContain('of 50 to ');
    expect(findUnchargeable([line(4, 12), line(1, 2)])).toBeUndefined();
    expect(findUnchargeable([line(9, 0)])).toBeUndefined();
    expect(findUnchargeable([])).toBeUndefined();
  });
  test('an order is left to its saga in another environment', () => {
    vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, undefined);
    expect(findUnchargeable([line(1, 49)])).toBeUndefined();
  });
});

test('each currency has one row', () => {
  const all = [...Object.keys(smallest), ...others, ...threeDecimals, ...inAnotherUnit];
  expect(new Set(all).size).toBe(all.length);
});

test('the README of payments shows the table', () => {
  const least = Object.entries(smallest).map(([currency, amount]) => `${currency} ${amount}`);
  const rows = [
    ['smallest charge', least.join(', ')],
    [
      'no smallest charge of their own: Stripe converts 0.50 USD or the like by the rate of the day, so a charge of less than that still fails',
      others.join(' '),
    ],
    ['three decimals: the last digit is 0, so the smallest is 10', threeDecimals.join(' ')],
    ["never: Stripe's unit is another one, so it would charge another sum", inAnotherUnit.join(' ')],
    ['largest charge, in each currency', String(largest)],
  ];
  const table = ['| in the smallest unit | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
  expect(readFileSync('lambdas/payments/README.md', 'utf8')).toContain(
    `<!-- amounts: as lambdas/charge-limits.ts -->\n${table}\n<!-- end`,
  );
});
