import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RewardEntry } from '../../../../lambdas/rewards/contract.js';
import { toFullUnits } from '../../../../lambdas/rewards/domain/currencies.js';
import { buildEntry, type CountedEvent, type PaidOrder } from '../../../../lambdas/rewards/domain/entries.js';
import { addEntry, findTier, initialStanding } from '../../../../lambdas/rewards/domain/standing.js';

const TIERS = { silver: 1_000, gold: 5_000 };
const AT = '2026-03-01T10:00:00.000Z';
const step = (orderId: string) => ({ customerId: 'c1', orderId, stepId: `${orderId}/step` });
const captured = (amount: number, orderId = 'o1', currency = 'EUR'): CountedEvent => ({
  type: 'AuthorizationCaptured',
  data: { ...step(orderId), amount: { amount, currency } },
});
const refunded = (amount: number, orderId = 'o1', currency = 'EUR'): CountedEvent => ({
  type: 'AccountRefunded',
  data: { ...step(orderId), refundId: 'r', amount: { amount, currency } },
});
const bonus = (points: number): CountedEvent => ({
  type: 'BonusApplied',
  data: { customerId: 'c1', points, reason: 'sealed' as never },
});

/** Entries of events in their order, all at one time. */
function entriesOf(events: readonly CountedEvent[]): readonly RewardEntry[] {
  const orders = new Map<string, PaidOrder>();
  return events.map((event) => {
    const id = event.type === 'BonusApplied' ? '' : event.data.orderId;
    const { entry, order } = buildEntry(event, AT, orders.get(id));
    if (order) orders.set(id, order);
    return entry;
  });
}
const pointsOf = (...events: CountedEvent[]) => entriesOf(events).map(({ points }) => points);
const standingOf = (entries: readonly Pick<RewardEntry, 'at' | 'points'>[]) =>
  entries.reduce((standing, entry) => addEntry(standing, entry, TIERS), initialStanding);
const tierOf = (...events: CountedEvent[]) => findTier(standingOf(entriesOf(events)), AT);

describe('points', () => {
  test.each([
    ['EUR', 1_999, 19],
    ['JPY', 1_999, 1_999],
    ['KWD', 1_999, 1],
    ['CLF', 19_999, 1],
    ['XAU', 3, 3],
    // CLDR shows no digits for it, ISO 4217 has two.
    ['AFN', 250, 2],
  ])('points are one per full unit of %s', (currency, amount, points) => {
    expect(toFullUnits(amount, currency)).toBe(points);
    expect(pointsOf(captured(amount, 'o1', currency))).toEqual([points]);
  });

  test('come from purchases and bonuses, and a refund takes them back', () =>
    expect(entriesOf([captured(1_050), bonus(7), refunded(1_050)])).toEqual([
      { at: AT, type: 'AuthorizationCaptured', points: 10, orderId: 'o1' },
      { at: AT, type: 'BonusApplied', points: 7 },
      { at: AT, type: 'AccountRefunded', points: -10, orderId: 'o1' },
    ]));
  test('points of refunds in parts are those of the whole', () =>
    expect(pointsOf(captured(1_000), refunded(50), refunded(50), refunded(900))).toEqual([10, -1, 0, -9]));
  test('points of one order are not those of another', () =>
    expect(pointsOf(captured(150, 'o1'), captured(150, 'o2'), refunded(60, 'o2'))).toEqual([1, 1, -1]));
  test('points of an unknown order are not taken back', () => expect(pointsOf(refunded(500))).toEqual([0]));

  test('points of an order are the full units that were paid for it, at any time', () => {
    const parts = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50_000 }), parts, (amount, refunds) => {
        let left = amount;
        const events = [captured(amount)];
        for (const part of refunds) {
          const refund = Math.min(part, left);
          left -= refund;
          events.push(refunded(refund));
        }
        expect(pointsOf(...events).reduce((sum, one) => sum + one, 0)).toBe(toFullUnits(left, 'EUR'));
      }),
    );
  });
});

describe('a tier', () => {
  test.each([
    ['BASIC', 999],
    ['SILVER', 1_000],
    ['SILVER', 4_999],
    ['GOLD', 5_000],
  ])('a tier is %s with %i points', (tier, points) => expect(tierOf(bonus(points))).toBe(tier));

  test('depends on the order of the events', () => {
    const [one, other, refund] = [captured(600_00, 'o1'), captured(600_00, 'o2'), refunded(600_00, 'o1')];
    expect(tierOf(one, other, refund)).toBe('SILVER');
    expect(tierOf(one, refund, other)).toBe('BASIC');
    const [first, second] = [entriesOf([one, other, refund]), entriesOf([one, refund, other])];
    expect(standingOf(first).points).toBe(standingOf(second).points);
  });

  test('holds for a year from the last entry with which the points of a year reached it', () => {
    const standing = standingOf([
      { at: '2026-01-01T23:59:59.999Z', points: 1_000 },
      { at: '2026-06-01T00:00:00.000Z', points: 1 },
      { at: '2026-07-01T00:00:00.000Z', points: -2 },
    ]);
    expect(standing).toMatchObject({ points: 999, silverUntil: '2027-06-01' });
    expect(findTier(standing, '2027-05-31T23:59:59.999Z')).toBe('SILVER');
    expect(findTier(standing, '2027-06-01T00:00:00.000Z')).toBe('BASIC');
  });

  test('counts the points of 365 days', () => {
    const [first, second] = [
      { at: '2026-01-01T12:00:00.000Z', points: 500 },
      { at: '2026-12-31T12:00:00.000Z', points: 500 },
    ];
    expect(standingOf([first, second])).toMatchObject({ silverUntil: '2027-12-31' });
    const late = { ...second, at: '2027-01-01T00:00:00.000Z' };
    expect(standingOf([first, late])).toEqual({ points: 1_000, days: [['2027-01-01', 500]] });
  });

  test('counts an entry of a clock that is behind on the newest day', () =>
    expect(
      standingOf([
        { at: '2026-03-02T00:00:00.100Z', points: 1 },
        { at: '2026-03-01T23:59:59.900Z', points: 2 },
      ]),
    ).toEqual({ points: 3, days: [['2026-03-02', 3]] }));

  test('a tier is that of a count of all entries, and needs only the days of a year', () => {
    const DAY = 86_400_000;
    const gaps = fc.array(
      fc.record({ days: fc.integer({ min: 0, max: 200 }), points: fc.integer({ min: -900, max: 900 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(gaps, (entries) => {
        let day = Date.parse('2020-02-28T00:00:00.000Z') / DAY;
        const all: { day: number; points: number }[] = [];
        let standing = initialStanding;
        let until = 0;
        for (const { days, points } of entries) {
          day += days;
          all.push({ day, points });
          standing = addEntry(standing, { at: new Date(day * DAY).toISOString(), points }, TIERS);
          const ofYear = all.reduce((sum, one) => (one.day > day - 365 ? sum + one.points : sum), 0);
          if (ofYear >= TIERS.silver) until = day + 365;
        }
        const silverUntil = until === 0 ? undefined : new Date(until * DAY).toISOString().slice(0, 10);
        expect(standing.silverUntil).toBe(silverUntil);
        expect(standing.points).toBe(all.reduce((sum, one) => sum + one.points, 0));
        expect(standing.days.length).toBeLessThanOrEqual(365);
      }),
    );
  });
});
