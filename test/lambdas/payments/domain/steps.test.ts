import { describe, test } from 'vitest';
import type { PaymentEvent, StepCommand } from '../../../../lambdas/payments/contract.js';
import type { PaymentCommand } from '../../../../lambdas/payments/domain/payment.js';
import { paymentDecider } from '../../../../lambdas/payments/domain/steps.js';
import { given } from '../../../../packages/kit/testing/given.js';

const now = '2026-01-01T00:00:00.000Z';
const payment = given(paymentDecider, { now });
const eur = (amount: number) => ({ amount, currency: 'EUR' });

const CHARGE = 'o1/charge';
const UNDO = 'o1/charge/undo';
const charge: StepCommand = {
  type: 'ChargePayment',
  data: { customerId: 'bob', orderId: 'o1', stepId: CHARGE, amount: eur(100) },
};
const undo: StepCommand = { type: 'RefundPayment', data: { customerId: 'bob', orderId: 'o1', stepId: UNDO } };
const otherUndo: StepCommand = { ...undo, data: { ...undo.data, stepId: 'o1/other' } };

const requested: PaymentEvent = {
  type: 'PaymentRequested',
  data: { paymentId: 'o1', customerId: 'bob', accountId: 'bob', amount: eur(100), stepId: CHARGE, requestedAt: now },
};
const prepared: PaymentEvent = { type: 'PaymentPrepared', data: { paymentId: 'o1', providerId: 'pi_1' } };
const charged: PaymentEvent = {
  type: 'PaymentCharged',
  data: { paymentId: 'o1', amount: eur(100), orderId: 'o1', customerId: 'bob' },
};
type Reason = Extract<PaymentEvent, { type: 'PaymentDeclined' }>['data']['reason'];
const declined = (reason: Reason): PaymentEvent => ({ type: 'PaymentDeclined', data: { paymentId: 'o1', reason } });
const voided: PaymentEvent = { type: 'PaymentVoided', data: { paymentId: 'o1' } };
const voiding: PaymentEvent = { type: 'VoidRequested', data: { paymentId: 'o1', stepId: UNDO } };
const refund = (type: 'RefundRequested' | 'PaymentRefunded' | 'RefundFailed', refundId = 'void-1') =>
  ({ type, data: { paymentId: 'o1', refundId, amount: eur(100) } }) as PaymentEvent;
const done = (stepId: string): PaymentEvent => ({
  type: 'SagaReplyRequested',
  data: { customerId: 'bob', orderId: 'o1', stepId, outcome: 'DONE' },
});
const refused = (stepId: string, reason: Reason | 'REFUND_FAILED'): PaymentEvent => ({
  type: 'SagaReplyRequested',
  data: { customerId: 'bob', orderId: 'o1', stepId, outcome: 'REFUSED', reason },
});

const PREPARED = [requested, prepared];
const CHARGED = [...PREPARED, charged, done(CHARGE)];
const VOIDING = [...PREPARED, voiding, refused(CHARGE, 'VOIDED')];
const RETURNING = [...CHARGED, voiding, refund('RefundRequested')];
const RETURNED = [...RETURNING, refund('PaymentRefunded'), done(UNDO)];

describe('the charge of an order', () => {
  test('the charge has the id of its order', () => payment([]).when(charge).then([requested]));
  test('the charge is answered when its outcome is known', () => {
    payment(PREPARED)
      .when({ type: 'Charge' })
      .then([charged, done(CHARGE)]);
    const expired: PaymentCommand = { type: 'Decline', reason: 'CARD_EXPIRED' };
    for (const history of [[requested], PREPARED]) {
      payment(history)
        .when(expired)
        .then([declined('CARD_EXPIRED'), refused(CHARGE, 'CARD_EXPIRED')]);
    }
  });
  test('a charge under way is neither begun again nor answered', () => {
    payment([requested]).when(charge).then([]);
    payment(PREPARED).when(charge).then([]);
  });
  test('a charge that has ended is answered again', () => {
    payment(CHARGED)
      .when(charge)
      .then([done(CHARGE)]);
    payment([requested, declined('CARD_EXPIRED')])
      .when(charge)
      .then([refused(CHARGE, 'CARD_EXPIRED')]);
  });
  test('a charge that comes after its undoing is refused', () => {
    for (const history of [[voided], VOIDING, RETURNING, RETURNED, [...VOIDING, declined('VOIDED'), done(UNDO)]]) {
      payment(history)
        .when(charge)
        .then([refused(CHARGE, 'VOIDED')]);
    }
  });
  test('a charge of another amount is a contradiction', () => {
    const data = { ...charge.data, amount: eur(101) };
    for (const history of [[requested], CHARGED, [requested, declined('CARD_EXPIRED')]]) {
      payment(history).when({ type: 'ChargePayment', data }).thenRefused('AMOUNT_DIFFERS');
    }
  });
  test('only one step waits for the charge', () => {
    const data = { ...charge.data, stepId: 'o1/again' };
    payment(PREPARED).when({ type: 'ChargePayment', data }).thenRefused('OTHER_STEP_UNDER_WAY');
    payment(CHARGED)
      .when({ type: 'ChargePayment', data })
      .then([done('o1/again')]);
  });
});

describe('undoing the charge of an order', () => {
  test('leaves a tombstone if there is no charge', () =>
    payment([])
      .when(undo)
      .then([voided, done(UNDO)]));
  test('the undoing is done if nothing is charged, and nothing is left', () => {
    for (const history of [[voided], [requested, declined('CARD_EXPIRED')], RETURNED]) {
      payment(history)
        .when(undo)
        .then([done(UNDO)]);
    }
  });
  test('ends a payment at once if the provider was never asked to charge it', () => {
    payment([requested])
      .when(undo)
      .then([declined('VOIDED'), refused(CHARGE, 'VOIDED'), done(UNDO)]);
    payment([requested, declined('VOIDED')])
      .when({ type: 'Prepare', providerId: 'pi_1' })
      .then([]);
  });
  test('waits for the provider where it may be charged at any moment, and the charging step does no more', () =>
    payment(PREPARED)
      .when(undo)
      .then([voiding, refused(CHARGE, 'VOIDED')]));
  test('the undoing is done when the provider has not charged the payment, whatever it says', () =>
    payment(VOIDING)
      .when({ type: 'Decline', reason: 'CARD_EXPIRED' })
      .then([declined('VOIDED'), done(UNDO)]));
  test('gives the money back when the provider has charged it all the same', () =>
    payment(VOIDING)
      .when({ type: 'Charge' })
      .then([charged, refund('RefundRequested')]));
  test('gives back what was charged', () =>
    payment(CHARGED)
      .when(undo)
      .then([voiding, refund('RefundRequested')]));
  test('the undoing is done when the money is given back, not before', () => {
    for (const history of [RETURNING, [...VOIDING, charged, refund('RefundRequested')]]) {
      payment(history).when(undo).then([]);
      payment(history)
        .when({ type: 'Refund', refundId: 'void-1' })
        .then([refund('PaymentRefunded'), done(UNDO)]);
    }
  });
  test('the undoing is refused if the provider refuses the refund, and tried again on request', () => {
    const failed = [...RETURNING, refund('RefundFailed'), refused(UNDO, 'REFUND_FAILED')];
    payment(RETURNING).when({ type: 'FailRefund', refundId: 'void-1' }).then(failed.slice(RETURNING.length));
    payment(failed)
      .when(undo)
      .then([voiding, refund('RefundRequested', 'void-2')]);
  });
  test('an undoing under way is neither begun again nor answered; another step has to wait', () => {
    for (const history of [VOIDING, RETURNING]) {
      payment(history).when(undo).then([]);
      payment(history).when(otherUndo).thenRefused('OTHER_STEP_UNDER_WAY');
    }
    payment(RETURNED)
      .when(otherUndo)
      .then([done('o1/other')]);
  });
});

test('a customer gets the money of an order back by cancelling it, not by a refund', () =>
  payment(CHARGED).when({ type: 'RequestRefund', refundId: 'r1' }).thenRefused('PAYS_AN_ORDER'));

describe('the payment of a dispatched order', () => {
  const allowed: PaymentEvent = { type: 'ReturnsAllowed', data: { paymentId: 'o1' } };
  const back = { type: 'RequestRefund', refundId: 'r1', amount: eur(40), byOperator: true } as const;
  const requested: PaymentEvent = {
    type: 'RefundRequested',
    data: { paymentId: 'o1', refundId: 'r1', amount: eur(40) },
  };
  test('only an operator may refund the payment from then on', () => {
    payment(CHARGED).when({ type: 'AllowReturns' }).then([allowed]);
    payment([...CHARGED, allowed])
      .when({ type: 'AllowReturns' })
      .then([]);
    payment(CHARGED).when(back).thenRefused('NOT_DISPATCHED');
    payment([...CHARGED, allowed])
      .when(back)
      .then([requested]);
    payment([...CHARGED, allowed])
      .when({ type: 'RequestRefund', refundId: 'r1' })
      .thenRefused('DISPATCHED');
  });
  test('says whose order came back when it is refunded', () =>
    payment([...CHARGED, allowed, requested])
      .when({ type: 'Refund', refundId: 'r1' })
      .then([
        {
          type: 'PaymentRefunded',
          data: { paymentId: 'o1', refundId: 'r1', amount: eur(40), orderId: 'o1', customerId: 'bob' },
        },
      ]));
  test('there is no payment if the order costs nothing', () => payment([]).when({ type: 'AllowReturns' }).then([]));
});
