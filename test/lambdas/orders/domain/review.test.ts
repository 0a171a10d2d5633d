import { describe, expect, test } from 'vitest';
import { type AboutUser, type Addresses, reviewReasons } from '../../../../lambdas/orders/domain/review.js';

const RULES = { highValue: 50_000, manyOrders: 3, otherAddress: true };
const HOME = { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' };
const recent = (...times: readonly string[]) => times.map((time) => ({ placedAt: `2026-03-01T${time}:00.000Z` }));

const reasonsOf = (amount: number, about: Partial<AboutUser>) =>
  reviewReasons(
    { total: { amount, currency: 'EUR' }, placedAt: '2026-03-01T10:59:59.999Z' },
    { status: 'SUSPECT', recent: [], addresses: {}, ...about },
    RULES,
  );

describe('an order under review', () => {
  test('says which status its user has', () => {
    expect(reasonsOf(100, {})).toEqual(['SUSPECT_USER']);
    expect(reasonsOf(100, { status: 'BLOCKED' })).toEqual(['BLOCKED_USER']);
  });

  test('of high value is one from the limit on', () => {
    expect(reasonsOf(49_999, {})).toEqual(['SUSPECT_USER']);
    expect(reasonsOf(50_000, {})).toEqual(['SUSPECT_USER', 'HIGH_VALUE']);
  });

  test('is one of many if its own hour has as many, and not a later one', () => {
    expect(reasonsOf(100, { recent: recent('10:00', '10:30', '11:00') })).toEqual(['SUSPECT_USER']);
    const many = recent('11:00', '10:00', '10:30', '10:59');
    expect(reasonsOf(100, { recent: many })).toEqual(['SUSPECT_USER', 'MANY_ORDERS']);
  });

  test.each<[string, Addresses, boolean]>([
    ['another street', { ofOrder: { ...HOME, street: '13 St. James Square' }, ofProfile: HOME }, true],
    ['another city', { ofOrder: { ...HOME, city: 'Leeds' }, ofProfile: HOME }, true],
    ['another postal code', { ofOrder: { ...HOME, postalCode: 'SW2' }, ofProfile: HOME }, true],
    ['another country', { ofOrder: { ...HOME, country: 'IE' }, ofProfile: HOME }, true],
    ['the same address', { ofOrder: HOME, ofProfile: HOME }, false],
    ['another recipient', { ofOrder: { ...HOME, name: 'Grandma' } as never, ofProfile: HOME }, false],
    ['other letters and spaces', { ofOrder: { ...HOME, city: ' LONDON', postalCode: 'sw 1' }, ofProfile: HOME }, false],
    ['no address of its own', { ofProfile: HOME }, false],
    ['nothing to compare with', { ofOrder: HOME }, false],
  ])('with %s', (_, addresses, isMarked) => {
    expect(reasonsOf(100, { addresses }).includes('OTHER_ADDRESS')).toBe(isMarked);
  });
});
