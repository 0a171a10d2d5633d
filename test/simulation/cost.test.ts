import { describe, expect, test } from 'vitest';
import { totalOf } from '../../tools/cost/bill.js';
import { ADVICE, differences, readBudget } from '../../tools/cost/budget.js';
import { billOfCase, dollarsByPart } from '../../tools/cost/case-bills.js';
import { CASES, type CaseName } from '../../tools/cost/cases.js';
import { countAll } from '../../tools/cost/count.js';

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

  test('a customer’s tenth order in a row costs place-order as many read units as the first one', () => {
    const [first = 0] = counted.placing;
    expect(counted.placing.at(-1)).toBeLessThanOrEqual(1.05 * first);
  });
});
