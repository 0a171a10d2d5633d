import { describe, expect, test } from 'vitest';
import { tellingAccounts } from '../../../../lambdas/accounts/aggregates.js';
import type { AccountCommand, AccountEvent } from '../../../../lambdas/accounts/contract.js';
import { isExhausted, type OperatorCommand } from '../../../../lambdas/accounts/domain/account.js';
import {
  authorizationDecider,
  evolve,
  initialState,
  type PaymentCommand,
} from '../../../../lambdas/accounts/domain/authorization.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const [customerId, orderId] = ['c1', 'o1'];
const now = '2026-03-01T00:00:00.000Z';
const facts = {
  defaultCreditLimit: eur(1000),
  limits: { ordersUnderWay: 9, ordersPerHour: 9 },
  tellsExhaustion: true,
  now,
};
const step = { customerId, orderId, stepId: `${orderId}/step` };

type Command = AccountCommand | PaymentCommand | OperatorCommand;
const authorize = (amount: number): Command => ({ type: 'AuthorizeAccount', data: { ...step, amount: eur(amount) } });
const capture: Command = { type: 'CaptureAuthorization', data: step };
const release: Command = { type: 'ReleaseAuthorization', data: step };
const settle: Command = { type: 'SettleOrder', data: { customerId, orderId } };
const limit = (amount: number): Command => ({ type: 'SetCreditLimit', customerId, creditLimit: eur(amount) });
const set = (status: 'OPEN' | 'CLOSED'): Command => ({
  type: 'SetStatus',
  customerId,
  status,
  defaultCreditLimit: eur(1000),
});

/** Returns the events of the last command, after all of the commands were decided one after the other. */
function decided(...commands: readonly Command[]): readonly AccountEvent[] {
  let state = initialState;
  let events: readonly AccountEvent[] = [];
  for (const command of commands) {
    events =
      'data' in command
        ? authorizationDecider.decide(state, command, facts)
        : tellingAccounts.decider.decide(state.account, command, { now });
    state = events.reduce(evolve, state);
    const told = events.filter(({ type }) => type === 'ExhaustedAccountChanged').at(-1);
    if (told) expect(told.data).toEqual({ customerId, exhausted: isExhausted(state.account) });
  }
  return events;
}
const told = (...commands: readonly Command[]) =>
  decided(...commands).flatMap((event) => (event.type === 'ExhaustedAccountChanged' ? [event.data.exhausted] : []));

describe('an account tells that it has no available credit', () => {
  test.each<[string, boolean, readonly Command[]]>([
    ['an order takes the last of it', true, [authorize(1000)]],
    ['its limit falls to what is used', true, [authorize(600), limit(600)]],
    ['it is captured while exhausted, so that its sums are others', true, [authorize(1000), capture]],
    ['its limit falls further', true, [authorize(1000), limit(500)]],
    ['it opens with a limit of 0', true, [limit(0)]],
    ['it is opened again without credit', true, [authorize(1000), set('CLOSED'), set('OPEN')]],
    ['its order is settled', false, [authorize(1000), settle]],
    ['its order is released', false, [authorize(1000), release]],
    ['its limit rises', false, [authorize(1000), limit(1001)]],
    ['it is closed', false, [authorize(1000), set('CLOSED')]],
  ])('when %s', (_, exhausted, commands) => expect(told(...commands)).toEqual([exhausted]));

  test.each<[string, readonly Command[]]>([
    ['an order leaves some of it', [authorize(999)]],
    ['an order of an account with credit is captured', [authorize(999), capture]],
    ['an order of an account without credit is declined', [limit(0), authorize(1)]],
    ['an account that is closed changes', [authorize(1000), set('CLOSED'), settle]],
    ['a step is repeated', [authorize(1000), authorize(1000)]],
  ])('but not when %s', (_, commands) => expect(told(...commands)).toEqual([]));
});
