import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dailyWindows } from '../../../packages/kit/inbox/windows.js';

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
  test('days have 23, 24 or 25 hours where the clocks change', () => {
    const berlin = dailyWindows('Europe/Berlin');
    const hours = (day: string): number =>
      (Date.parse(berlin.endOf(day)) - Date.parse(berlin.endOf(dayBefore(day)))) / HOUR;
    const dayBefore = (day: string) => new Date(Date.parse(day) - 24 * HOUR).toISOString().slice(0, 10);
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map(hours)).toEqual([24, 23, 25]);
    expect(berlin.endOf('2026-03-28')).toBe('2026-03-28T23:00:00.000Z');
    expect(berlin.idOf('2026-03-28T23:00:00.000Z')).toBe('2026-03-29');
    expect(berlin.idOf('2026-03-28T22:59:59.999Z')).toBe('2026-03-28');
  });

  test('days that a zone has left out are no windows', () => {
    const apia = dailyWindows('Pacific/Apia');
    expect(apia.next('2011-12-29')).toBe('2011-12-31');
    expect(apia.idOf('2011-12-30T10:00:00.000Z')).toBe('2011-12-31');
  });

  const [BEGIN, END] = [Date.parse('2005-01-01'), Date.parse('2045-01-01')];
  const whichZone = fc.constantFrom(...ZONES);

  test('days are a partition of the time line, in the order of their ids', () =>
    fc.assert(
      fc.property(
        whichZone,
        fc.integer({ min: BEGIN, max: END }),
        fc.integer({ min: 0, max: 3 * 24 * HOUR }),
        arePartition,
      ),
      { numRuns: 100 },
    ));

  test('days are a partition where the clocks change, too', () => {
    const changes = new Map(ZONES.map((zone) => [zone, changesIn(zone, BEGIN, END)]));
    const place = fc.record({ change: fc.nat(), minutes: fc.integer({ min: -180, max: 26 * 60 }) });
    fc.assert(
      fc.property(whichZone, place, fc.integer({ min: 0, max: 3 * HOUR }), (zone, { change, minutes }, later) => {
        const all = changes.get(zone) ?? [];
        arePartition(zone, (all[change % all.length] ?? BEGIN) + minutes * 60_000, later);
      }),
      { numRuns: 300 },
    );
  });

  test('days are one interval each, also where clocks go back over midnight and a date comes twice', () => {
    // At 00:01 of 7 November it was 23:01 of the 6th again.
    const [first, second] = [Date.parse('2010-11-07T02:30:00.000Z'), Date.parse('2010-11-07T03:30:00.000Z')];
    for (const zone of ['America/St_Johns', 'America/Goose_Bay']) {
      for (let at = first - 2 * HOUR; at < second + 2 * HOUR; at += 30_000) arePartition(zone, at, 30_000);
    }
  });
});

/** @param at an instant, and one that is `later` than it */
function arePartition(zone: string, at: number, later: number): void {
  const days = dailyWindows(zone);
  const iso = (time: number) => new Date(time).toISOString();
  const id = days.idOf(iso(at));
  const end = Date.parse(days.endOf(id));
  expect(at).toBeLessThan(end);
  expect(days.idOf(iso(end - 1))).toBe(id);
  expect(days.idOf(iso(end))).toBe(days.next(id));
  expect(days.next(id) > id).toBe(true);
  expect(days.idOf(iso(at + later)) >= id).toBe(true);
}

/** Returns instants within a day of which the clocks of a zone change. */
function changesIn(zone: string, from: number, to: number): readonly number[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const found: number[] = [];
  for (let at = from, before = clock.format(at); at < to; at += 24 * HOUR) {
    const now = clock.format(at);
    if (now !== before) found.push(at - 24 * HOUR);
    before = now;
  }
  return found;
}
