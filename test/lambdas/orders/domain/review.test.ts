import { describe, expect, test } from 'vitest';
import { type Addresses, findReviewReasons, type UserFacts } from '../../../../lambdas/orders/domain/review.js';
import { REVIEW_RULES } from '../../../support/review-rules.js';

const RULES = { ...REVIEW_RULES, manyOrders: 3, otherAddress: true, methodChangeWithinHours: 2 };
const HOME = { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' };
const recent = (...times: readonly string[]) => times.map((time) => ({ placedAt: `2026-03-01T${time}:00.000Z` }));

const reasonsOf = (amount: number, about: Partial<UserFacts>) =>
  findReviewReasons(
    { total: { amount, currency: 'EUR' }, placedAt: '2026-03-01T10:59:59.999Z' },
    { status: 'SUSPECT', recent: [], addresses: {}, payer: { declinedCharges: [] }, ...about },
    RULES,
  );

describe('an order under review', () => {
  test('says which status its user has', () => {
    expect(reasonsOf(100, {})).toEqual(['SUSPECT_USER']);
    expect(reasonsOf(100, { status: 'BLOCKED' })).toEqual(['BLOCKED_USER']);
  });

  test('an order is of high value from the limit on', () => {
    expect(reasonsOf(49_999, {})).toEqual(['SUSPECT_USER']);
    expect(reasonsOf(50_000, {})).toEqual(['SUSPECT_USER', 'HIGH_VALUE']);
  });

  test('an order is one of many if its own hour has as many, and not a later one', () => {
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
  ])('the address of an order is compared with that of the profile: %s', (_, addresses, isMarked) => {
    expect(reasonsOf(100, { addresses }).includes('OTHER_ADDRESS')).toBe(isMarked);
  });

  test.each([
    ['as many as the limit', ['02-28T11', '02-28T12', '03-01T10'], true],
    ['one less', ['02-28T11', '03-01T10'], false],
    ['one of them longer ago', ['02-28T10', '02-28T11', '03-01T10'], false],
    ['some of them since', ['02-28T11', '03-01T12', '03-05T10'], true],
  ])('declined charges mark an order by their number and time: %s', (_, times, isMarked) => {
    const payer = { declinedCharges: times.map((time) => `2026-${time}:00:00.000Z`) };
    expect(reasonsOf(100, { payer })).toEqual(['SUSPECT_USER', ...(isMarked ? ['DECLINED_CHARGES'] : [])]);
  });

  test.each([
    ['never', {}, false],
    ['just within its time', { methodChangedAt: '2026-03-01T08:59:59.999Z' }, true],
    ['just before its time', { methodChangedAt: '2026-03-01T08:59:59.998Z' }, false],
    ['since', { methodChangedAt: '2026-03-02T00:00:00.000Z' }, true],
  ])('a change of the payment method marks an order for a limited time: %s', (_, changed, isMarked) => {
    const payer = { declinedCharges: [], ...changed };
    expect(reasonsOf(100, { payer })).toEqual(['SUSPECT_USER', ...(isMarked ? ['METHOD_CHANGED'] : [])]);
  });
});
