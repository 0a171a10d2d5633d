import { describe, expect, test } from 'vitest';
import { totalOf } from '../../tools/cost/bill.js';
import { ADVICE, differences, readBudget } from '../../tools/cost/budget.js';
import { billOfCase, dollarsByPart } from '../../tools/cost/case-bills.js';
import { CASES, type CaseName } from '../../tools/cost/cases.js';
import { countOrders } from '../../tools/cost/count.js';
import { type CountedCase, total } from '../../tools/cost/counts.js';
import { perMillion } from '../../tools/cost/prices.js';
import { AUDITOR, STACK } from '../../tools/cost/webhooks.js';

const counted = await countOrders();
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

  test('webhooks cost nothing where nobody uses them, and change what no other function does', () => {
    const { cases } = readBudget().webhooks;
    const ofOthers = ({ functions }: CountedCase) =>
      Object.fromEntries(Object.entries(functions).filter(([fn]) => !fn.startsWith(STACK) && fn !== AUDITOR));
    const invocations = (one: CountedCase) =>
      Object.entries(ofOthers(one)).map(([fn, counts]) => [fn, counts.invocations]);
    expect(Object.keys(cases.off.functions).filter((fn) => fn.startsWith(STACK))).toEqual([]);
    // Few bytes of a log differ by the length of a number.
    for (const name of ['none', 'delivered', 'inOrder'] as const)
      expect(invocations(cases[name])).toEqual(invocations(cases.off));
    const units = (one: CountedCase) => {
      const { busBytes: _, logBytes: __, ...counted } = total(ofOthers(one));
      return counted;
    };
    expect(units(cases.none)).toEqual(units(cases.off));
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
