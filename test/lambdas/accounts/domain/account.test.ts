import { describe, expect, test } from 'vitest';
import type { AccountEvent } from '../../../../lambdas/accounts/contract.js';
import { type Account, accountDecider, toView } from '../../../../lambdas/accounts/domain/account.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const usd = (amount: number) => ({ amount, currency: 'USD' });
const step = { customerId: 'c1', orderId: 'o1', stepId: 'o1/step' };
const opened: AccountEvent = { type: 'AccountOpened', data: { customerId: 'c1', creditLimit: eur(1000) } };
const authorized: AccountEvent = { type: 'AccountAuthorized', data: { ...step, amount: eur(600) } };
const captured: AccountEvent = { type: 'AuthorizationCaptured', data: { ...step, amount: eur(600) } };
const limitOf = (creditLimit: ReturnType<typeof eur>): AccountEvent => ({
  type: 'CreditLimitSet',
  data: { customerId: 'c1', creditLimit },
});
const folded = (...events: AccountEvent[]): Account =>
  events.reduce(accountDecider.evolve, accountDecider.initialState);
const set = (account: Account, creditLimit: ReturnType<typeof eur>) =>
  accountDecider.decide(
    account,
    { type: 'SetCreditLimit', customerId: 'c1', creditLimit },
    { now: '2026-03-01T00:00:00.000Z' },
  );

describe('a credit limit', () => {
  test('opens an account that isn’t there, with itself', () => expect(set(folded(), eur(1000))).toEqual([opened]));
  test('a credit limit is changed', () => expect(set(folded(opened), eur(2000))).toEqual([limitOf(eur(2000))]));
  test('that is set already changes nothing', () => expect(set(folded(opened), eur(1000))).toEqual([]));
  test('goes below what is used, too', () =>
    expect(set(folded(opened, authorized), eur(0))).toEqual([limitOf(eur(0))]));
  test('changes the currency of an account that owes nothing', () =>
    expect(set(folded(opened), usd(1000))).toEqual([limitOf(usd(1000))]));
  test.each([
    ['holds something', [opened, authorized]],
    ['has taken something', [opened, authorized, captured]],
  ] as const)('keeps the currency of an account that %s', (_, history) =>
    expect(() => set(folded(...history), usd(1000))).toThrow(expect.objectContaining({ code: 'CURRENCY_IN_USE' })),
  );
});

describe('a bonus', () => {
  const bonus = { customerId: 'c1', points: 50, reason: 'sealed' as never };
  const apply = (account: Account) =>
    accountDecider.decide(
      account,
      { type: 'ApplyBonus', ...bonus, defaultCreditLimit: eur(500) },
      { now: '2026-03-01T00:00:00.000Z' },
    );
  const applied: AccountEvent = { type: 'BonusApplied', data: bonus };

  test('a bonus is applied each time', () => expect(apply(folded(opened, applied))).toEqual([applied]));
  test('opens an account that does not exist, with the default limit', () =>
    expect(apply(folded())).toEqual([
      { type: 'AccountOpened', data: { customerId: 'c1', creditLimit: eur(500) } },
      applied,
    ]));
  test('a bonus does not change the credit', () => expect(folded(opened, applied)).toEqual(folded(opened)));
});

describe('a status', () => {
  const at = '2026-03-01T00:00:00.000Z';
  const closed: AccountEvent = { type: 'AccountClosed', data: { customerId: 'c1', at } };
  const reopened: AccountEvent = { type: 'AccountReopened', data: { customerId: 'c1', at } };
  const reason = 'sealed' as never;
  const set = (status: 'OPEN' | 'CLOSED', history: readonly AccountEvent[], more: object = {}) =>
    accountDecider.decide(
      folded(...history),
      { type: 'SetStatus', customerId: 'c1', status, defaultCreditLimit: eur(500), ...more },
      { now: at },
    );
  const openedByDefault = { type: 'AccountOpened', data: { customerId: 'c1', creditLimit: eur(500) } };

  test('closes an account and opens it again, with a reason if there is one', () => {
    expect(set('CLOSED', [opened])).toEqual([closed]);
    expect(set('OPEN', [opened, closed])).toEqual([reopened]);
    expect(set('CLOSED', [opened], { reason })).toEqual([{ ...closed, data: { ...closed.data, reason } }]);
  });
  test('that is set already changes nothing', () => {
    expect(set('OPEN', [opened])).toEqual([]);
    expect(set('OPEN', [opened, closed, reopened])).toEqual([]);
    expect(set('CLOSED', [opened, closed], { reason })).toEqual([]);
  });
  test('opens the account of a customer without one', () => {
    expect(set('OPEN', [])).toEqual([openedByDefault]);
    expect(set('CLOSED', [])).toEqual([openedByDefault, closed]);
  });
  test('CLOSED refuses a bonus and another limit; the same limit changes nothing', () => {
    const account = folded(opened, closed);
    const refused = expect.objectContaining({ code: 'CLOSED' });
    const bonus = { type: 'ApplyBonus', customerId: 'c1', points: 1, reason, defaultCreditLimit: eur(500) } as const;
    const limit = (amount: number) =>
      accountDecider.decide(
        account,
        { type: 'SetCreditLimit', customerId: 'c1', creditLimit: eur(amount) },
        { now: at },
      );
    expect(() => accountDecider.decide(account, bonus, { now: at })).toThrow(refused);
    expect(() => limit(2000)).toThrow(refused);
    expect(limit(1000)).toEqual([]);
  });
  test('CLOSED is shown with its time and without credit, and keeps the books', () => {
    const view = toView('c1', folded(opened, authorized, closed), 3);
    expect(view).toMatchObject({ status: 'CLOSED', closedAt: at, available: eur(0), authorized: eur(600) });
    expect(toView('c1', folded(opened, authorized, closed, captured), 4)).toMatchObject({ captured: eur(600) });
    expect(folded(opened, authorized, closed, reopened)).toEqual(folded(opened, authorized));
  });
});

describe('an account', () => {
  const shown = (...events: AccountEvent[]) => toView('c1', folded(...events), events.length);

  test('an account that was never opened isn’t shown', () => expect(shown()).toBeUndefined());
  test('shows what it holds, took and gave back, and what is left', () => {
    expect(shown(opened, authorized)).toEqual({
      customerId: 'c1',
      status: 'OPEN',
      creditLimit: eur(1000),
      authorized: eur(600),
      captured: eur(0),
      refunded: eur(0),
      settled: eur(0),
      available: eur(400),
      version: 2,
    });
    expect(shown(opened, authorized, captured)).toMatchObject({ authorized: eur(0), captured: eur(600) });
    const refund: AccountEvent = { type: 'AccountRefunded', data: { ...step, refundId: 'r', amount: eur(100) } };
    expect(shown(opened, authorized, captured, refund)).toMatchObject({
      captured: eur(600),
      refunded: eur(100),
      available: eur(500),
    });
  });
  test('an account gets released credit back', () => {
    const released: AccountEvent = { type: 'AuthorizationReleased', data: { ...step, amount: eur(600) } };
    expect(shown(opened, authorized, released)).toMatchObject({ authorized: eur(0), available: eur(1000) });
  });
  test('an account has its credit back when a payment settles an order, before or after the capture', () => {
    const settled: AccountEvent = {
      type: 'CreditSettled',
      data: { customerId: 'c1', orderId: 'o1', amount: eur(600) },
    };
    const all = { available: eur(1000), settled: eur(600) };
    expect(shown(opened, authorized, settled)).toMatchObject({ authorized: eur(600), ...all });
    expect(shown(opened, authorized, settled, captured)).toMatchObject({ captured: eur(600), ...all });
    expect(shown(opened, authorized, captured, settled)).toMatchObject({ captured: eur(600), ...all });
  });
  test('an account does not get a settled amount back a second time', () => {
    const settled: AccountEvent = {
      type: 'CreditSettled',
      data: { customerId: 'c1', orderId: 'o1', amount: eur(600) },
    };
    const refund: AccountEvent = {
      type: 'AccountRefunded',
      data: { ...step, refundId: 'r', amount: eur(100), settled: eur(100) },
    };
    const other: AccountEvent = { type: 'AccountAuthorized', data: { ...step, orderId: 'o2', amount: eur(300) } };
    expect(shown(opened, authorized, settled, captured, refund, other)).toMatchObject({
      refunded: eur(100),
      settled: eur(500),
      available: eur(700),
    });
    const released: AccountEvent = {
      type: 'AuthorizationReleased',
      data: { ...step, amount: eur(600), settled: eur(600) },
    };
    expect(shown(opened, authorized, settled, released, other)).toMatchObject({
      settled: eur(0),
      available: eur(700),
    });
  });
  test('the available credit is 0, and never less, if the limit was set below the used amount', () =>
    expect(shown(opened, authorized, limitOf(eur(500)))).toMatchObject({ available: eur(0) }));
  test('changes nothing by an answer, a refusal or a tombstone', () => {
    const answer: AccountEvent = { type: 'SagaReplyRequested', data: { ...step, outcome: 'DONE' } };
    const declined: AccountEvent = {
      type: 'AuthorizationDeclined',
      data: { ...step, amount: eur(5000), reason: 'OVER_LIMIT' },
    };
    const voided: AccountEvent = { type: 'AuthorizationVoided', data: step };
    expect(folded(opened, answer, declined, voided)).toEqual(folded(opened));
  });
});
