import { describe, expect, test } from 'vitest';
import { DeclineReason, MAX_DECLINES, type PayerEvent } from '../../../../lambdas/payments/contract.js';
import { isDeclinedCharge, payerDecider } from '../../../../lambdas/payments/domain/payer.js';
import { given } from '../../../../packages/kit/testing/given.js';

const customerId = 'bob';
const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const payer = given(payerDecider, { now: at(59) });
const changed = (data: Omit<PayerEvent['data'], 'customerId'>): PayerEvent => ({
  type: 'PayerChanged',
  data: { customerId, ...data },
});

describe('a payer', () => {
  test('a payer has the times of declined charges, oldest first', () => {
    payer([])
      .when({ type: 'CountDecline', customerId })
      .then([changed({ declinedCharges: [at(59)] })]);
    payer([changed({ declinedCharges: [at(1)], methodChangedAt: at(2) })])
      .when({ type: 'CountDecline', customerId })
      .then([changed({ declinedCharges: [at(1), at(59)], methodChangedAt: at(2) })]);
  });

  test('a payer has the newest declined charges only', () => {
    const declinedCharges = Array.from({ length: MAX_DECLINES }, (_, minute) => at(minute));
    payer([changed({ declinedCharges })])
      .when({ type: 'CountDecline', customerId })
      .then([changed({ declinedCharges: [...declinedCharges.slice(1), at(59)] })]);
  });

  test('a payer has the time of the newest change of the payment method', () => {
    payer([changed({ declinedCharges: [at(1)], methodChangedAt: at(2) })])
      .when({ type: 'NoteMethodChange', customerId })
      .then([changed({ declinedCharges: [at(1)], methodChangedAt: at(59) })]);
  });
});

test('a charge counts as declined for a reason of the payment method only', () => {
  expect(DeclineReason.options.filter(isDeclinedCharge)).toEqual([
    'CARD_DECLINED',
    'INSUFFICIENT_FUNDS',
    'CARD_EXPIRED',
    'AUTHENTICATION_REQUIRED',
  ]);
});
