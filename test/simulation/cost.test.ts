import { describe, expect, test } from 'vitest';
import { totalOf } from '../../tools/cost/bill.js';
import { ADVICE, differences, readBudget } from '../../tools/cost/budget.js';
import { billOfCase, dollarsByPart } from '../../tools/cost/case-bills.js';
import { CASES, type CaseName } from '../../tools/cost/cases.js';
import { countAll } from '../../tools/cost/count.js';
import { perMillion } from '../../tools/cost/prices.js';

const counted = await countAll();
const names = Object.keys(CASES) as CaseName[];

describe('what an order costs', () => {
  test('each case uses what test/budget.json says, no more and no less', () => {
    expect(differences(readBudget(), counted), ADVICE).toEqual([]);
  });

  test.each(names)('%s: the parts of a total add up to it, so each function that ran is in one', (name) => {
    for (const isBatch of [false, true]) {
      const parts = Object.values(dollarsByPart(counted, counted.cases[name], isBatch));
      const total = totalOf(billOfCase(counted, counted.cases[name], isBatch));
      expect(total).toBeGreaterThan(0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 6);
    }
  });

  test('nothing costs less than nothing: an idle hour has the same cost wherever it is taken away', () => {
    const negative = names.flatMap((name) =>
      Object.entries(counted.cases[name].functions).filter(([, counts]) =>
        Object.values(counts).some((one) => one < 0),
      ),
    );
    expect(negative).toEqual([]);
  });

  test('the orders 1, 10, 100 and 300 of a customer in an hour are placed for three read units at most, and cost the same within 5 %', () => {
    const { placing, cases } = counted;
    expect(Object.keys(placing)).toEqual(['1', '10', '100', '300']);
    expect(Math.max(...Object.values(placing))).toBeLessThanOrEqual(3);
    const { reads = 0 } = cases.duplicateRequest.functions['Orders/PlaceOrder'] ?? {};
    // A repeat makes the same calls as a new order, and sets nothing else off.
    const request = totalOf(billOfCase(counted, cases.duplicateRequest)) - perMillion('reads', reads);
    const [first = 0, ...later] = Object.values(placing).map((units) => request + perMillion('reads', units));
    for (const one of later) expect(one / first).toBeLessThanOrEqual(1.05);
  });
});
