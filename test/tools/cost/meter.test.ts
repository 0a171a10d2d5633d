import { describe, expect, test } from 'vitest';
import { LINES, type Line, measuresOf } from '../../../tools/cost/bill.js';
import { type Budget, differences, readBudget } from '../../../tools/cost/budget.js';
import { MEASURES } from '../../../tools/cost/counts.js';
import { measureOf, NotMeasured } from '../../../tools/cost/meter.js';
import { NoPart, partOf } from '../../../tools/cost/parts.js';
import { PRICES } from '../../../tools/cost/prices.js';

describe('a total leaves nothing out', () => {
  test('a call of a service that nothing counts is an error that says where to count it', () => {
    expect(measureOf('Orders/PlaceOrder', 'kms.Decrypt')).toBe('kmsCalls');
    expect(() => measureOf('Orders/PlaceOrder', 'sns.Publish')).toThrow(NotMeasured);
    expect(() => measureOf('Orders/PlaceOrder', 'sns.Publish')).toThrow(
      'Orders/PlaceOrder calls sns.Publish, which no measure counts: add it to OPERATIONS in tools/cost/meter.ts',
    );
  });

  test('a function of a new service is an error until it belongs to a part', () => {
    expect(partOf('Orders/PlaceOrder')).toBe('order');
    expect(() => partOf('Returns/OnCommand')).toThrow(NoPart);
    expect(() => partOf('Returns/OnCommand')).toThrow('add it to OF_FUNCTION in tools/cost/parts.ts');
  });

  test('each measure is charged in one line of a bill, or explains another one', () => {
    const charged = (Object.keys(LINES) as Line[]).flatMap(measuresOf);
    expect(new Set(charged).size).toBe(charged.length);
    expect(MEASURES.filter((measure) => !charged.includes(measure))).toEqual([
      'calls',
      'refusedWrites',
      'messages',
      'logLines',
    ]);
  });

  test('each price has a source and a date', () => {
    for (const { source, date, dollars } of Object.values(PRICES)) {
      expect(source).not.toBe('');
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(dollars).toBeGreaterThan(0);
    }
  });
});

describe('the budget', () => {
  const written = readBudget();
  const changed = (measure: string, by: number): Budget => {
    const copy = structuredClone(written) as Budget;
    const counts = copy.cases.approved.functions['Orders/PlaceOrder'] as Record<string, number>;
    counts[measure] = (counts[measure] ?? 0) + by;
    return copy;
  };

  test('names what is dearer and what is cheaper, with both numbers', () => {
    const { reads = 0, plainWrites = 0 } = written.cases.approved.functions['Orders/PlaceOrder'] ?? {};
    expect(differences(written, changed('reads', 0.5))).toEqual([
      `approved: Orders/PlaceOrder reads ${reads + 0.5}, written down ${reads} (dearer)`,
    ]);
    expect(differences(written, changed('plainWrites', -1))).toEqual([
      `approved: Orders/PlaceOrder plainWrites ${plainWrites - 1}, written down ${plainWrites} (cheaper)`,
    ]);
  });

  test('leaves out a few bytes more or less, and names a tenth of a line', () => {
    expect(differences(written, changed('logBytes', 1))).toEqual([]);
    expect(differences(written, changed('logBytes', 20))).toHaveLength(1);
  });
});
