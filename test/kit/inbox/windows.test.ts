import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysIn } from '../../../packages/kit/inbox/windows.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kolkata',
  'America/St_Johns',
];
const HOUR = 3_600_000;

describe('the days of a time zone', () => {
  test('have 23, 24 or 25 hours where the clocks change', () => {
    const berlin = daysIn('Europe/Berlin');
    const hours = (day: string): number =>
      (Date.parse(berlin.endOf(day)) - Date.parse(berlin.endOf(dayBefore(day)))) / HOUR;
    const dayBefore = (day: string) => new Date(Date.parse(day) - 24 * HOUR).toISOString().slice(0, 10);
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map(hours)).toEqual([24, 23, 25]);
    expect(berlin.endOf('2026-03-28')).toBe('2026-03-28T23:00:00.000Z');
    expect(berlin.idOf('2026-03-28T23:00:00.000Z')).toBe('2026-03-29');
    expect(berlin.idOf('2026-03-28T22:59:59.999Z')).toBe('2026-03-28');
  });

  test('that a zone has left out are no windows', () => {
    const apia = daysIn('Pacific/Apia');
    expect(apia.next('2011-12-29')).toBe('2011-12-31');
    expect(apia.idOf('2011-12-30T10:00:00.000Z')).toBe('2011-12-31');
  });

  test('are a partition of the time line, in the order of their ids', () => {
    const instant = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2045-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), instant, fc.integer({ min: 0, max: 3 * 24 * HOUR }), (zone, at, later) => {
        const days = daysIn(zone);
        const iso = (time: number) => new Date(time).toISOString();
        const id = days.idOf(iso(at));
        const end = Date.parse(days.endOf(id));
        expect(at).toBeLessThan(end);
        expect(days.idOf(iso(end - 1))).toBe(id);
        expect(days.idOf(iso(end))).toBe(days.next(id));
        expect(days.next(id) > id).toBe(true);
        expect(days.idOf(iso(at + later)) >= id).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
