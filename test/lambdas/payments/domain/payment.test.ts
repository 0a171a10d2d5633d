import { describe, expect, test } from 'vitest';
import type { PaymentEvent } from '../../../../lambdas/payments/contract.js';
import { evolve, initialState, type PaymentCommand, toView } from '../../../../lambdas/payments/domain/payment.js';
import { paymentDecider } from '../../../../lambdas/payments/domain/steps.js';
import { given } from '../../../../packages/kit/testing/given.js';

const now = '2026-01-01T00:00:00.000Z';
const payment = given(paymentDecider, { now });
const eur = (amount: number) => ({ amount, currency: 'EUR' });

const asked = { paymentId: 'p1', customerId: 'bob', accountId: 'bob', amount: eur(100) };
const request: PaymentCommand = { type: 'Request', ...asked };
const requested: PaymentEvent = { type: 'PaymentRequested', data: { ...asked, requestedAt: now } };
const prepared: PaymentEvent = { type: 'PaymentPrepared', data: { paymentId: 'p1', providerId: 'pi_1' } };
const charged: PaymentEvent = { type: 'PaymentCharged', data: { paymentId: 'p1', amount: eur(100) } };
const declined: PaymentEvent = { type: 'PaymentDeclined', data: { paymentId: 'p1', reason: 'CARD_EXPIRED' } };
const refund = (type: 'RefundRequested' | 'PaymentRefunded' | 'RefundFailed', refundId: string, amount: number) =>
  ({ type, data: { paymentId: 'p1', refundId, amount: eur(amount) } }) as PaymentEvent;
const giveBack = (refundId: string, amount?: number): PaymentCommand => ({
  type: 'RequestRefund',
  refundId,
  ...(amount === undefined ? {} : { amount: eur(amount) }),
});
const CHARGED = [requested, prepared, charged];

describe('a payment', () => {
  test('a payment is requested once', () => {
    payment([]).when(request).then([requested]);
    payment([requested]).when(request).thenRefused('ALREADY_REQUESTED');
  });
  test('keeps the first object that the provider made for it', () => {
    payment([requested]).when({ type: 'Prepare', providerId: 'pi_1' }).then([prepared]);
    payment([requested, prepared]).when({ type: 'Prepare', providerId: 'pi_2' }).then([]);
  });
  test('a payment is not charged before its object is known', () =>
    payment([requested]).when({ type: 'Charge' }).thenRefused('ENDED_OTHERWISE'));
  test('a payment is charged once, however often the provider says so', () => {
    payment([requested, prepared]).when({ type: 'Charge' }).then([charged]);
    const fee = { amount: 30, currency: 'EUR' };
    const withFee = { ...charged, data: { ...charged.data, fee } } as PaymentEvent;
    payment([requested, prepared]).when({ type: 'Charge', fee }).then([withFee]);
    payment(CHARGED).when({ type: 'Charge' }).then([]);
  });
  test('a payment is declined once, also before it has an object', () => {
    const decline: PaymentCommand = { type: 'Decline', reason: 'CARD_EXPIRED' };
    payment([requested]).when(decline).then([declined]);
    payment([requested, prepared]).when(decline).then([declined]);
    payment([requested, prepared, declined]).when(decline).then([]);
  });
  test('a payment never ends in two ways', () => {
    payment(CHARGED).when({ type: 'Decline', reason: 'CARD_EXPIRED' }).thenRefused('ENDED_OTHERWISE');
    payment([requested, prepared, declined]).when({ type: 'Charge' }).thenRefused('ENDED_OTHERWISE');
  });
  test('a payment that was never requested can not be charged', () =>
    payment([]).when({ type: 'Charge' }).thenRefused('UNKNOWN_PAYMENT'));
});

describe('a refund', () => {
  const pending = [...CHARGED, refund('RefundRequested', 'r1', 60)];

  test('a refund is the whole remaining amount, unless it says how much', () => {
    payment(CHARGED)
      .when(giveBack('r1'))
      .then([refund('RefundRequested', 'r1', 100)]);
    payment(CHARGED)
      .when(giveBack('r1', 60))
      .then([refund('RefundRequested', 'r1', 60)]);
    payment(pending)
      .when(giveBack('r2'))
      .then([refund('RefundRequested', 'r2', 40)]);
  });
  test('a refund is set aside at once: two together are never more than was charged', () => {
    payment(pending)
      .when(giveBack('r2', 40))
      .then([refund('RefundRequested', 'r2', 40)]);
    payment(pending).when(giveBack('r2', 41)).thenRefused('OVER_CHARGED');
    payment([...CHARGED, refund('RefundRequested', 'r1', 100)])
      .when(giveBack('r2'))
      .thenRefused('OVER_CHARGED');
  });
  test('a repeated refund is not another one', () => payment(pending).when(giveBack('r1', 60)).then([]));
  test('a failed refund leaves its amount for another request', () =>
    payment([...pending, refund('RefundFailed', 'r1', 60)])
      .when(giveBack('r2'))
      .then([refund('RefundRequested', 'r2', 100)]));
  test('a customer or an operator requests the refund of a payment without an order', () => {
    for (const byOperator of [false, true]) {
      payment(CHARGED)
        .when({ type: 'RequestRefund', refundId: 'r1', amount: eur(40), byOperator })
        .then([refund('RefundRequested', 'r1', 40)]);
    }
  });

  describe('a refund that the provider refused, and an operator retries', () => {
    const again: PaymentCommand = { type: 'RefundAgain', refundId: 'r1' };
    const failed = [...pending, refund('RefundFailed', 'r1', 60)];
    test('a retried refund has a new id: the old one stays refused', () =>
      payment(failed)
        .when(again)
        .then([refund('RefundRequested', 'again-2', 60)]));
    test('a retried refund may fail again, and is retried as another refund', () =>
      payment([...failed, refund('RefundRequested', 'again-2', 60), refund('RefundFailed', 'again-2', 60)])
        .when({ type: 'RefundAgain', refundId: 'again-2' })
        .then([refund('RefundRequested', 'again-3', 60)]));
    test('a retry is refused once a later refund is pending or made, even of a part: it may be the same money', () => {
      const later = [...failed, refund('RefundRequested', 'r2', 10)];
      payment(later).when(again).thenRefused('REFUNDED_SINCE');
      payment([...later, refund('PaymentRefunded', 'r2', 10)])
        .when(again)
        .thenRefused('REFUNDED_SINCE');
      payment([...later, refund('RefundFailed', 'r2', 10)])
        .when(again)
        .then([refund('RefundRequested', 'again-3', 60)]);
    });
    test('a retry needs a refund that failed', () => {
      payment(pending).when(again).thenRefused('UNKNOWN_REFUND');
      payment([...pending, refund('PaymentRefunded', 'r1', 60)])
        .when(again)
        .thenRefused('UNKNOWN_REFUND');
      payment(CHARGED).when(again).thenRefused('UNKNOWN_REFUND');
      payment([requested, prepared]).when(again).thenRefused('NOT_CHARGED');
    });
    test('a retried refund may have other refunds before it', () =>
      payment([
        ...CHARGED,
        refund('RefundRequested', 'r0', 50),
        refund('RefundRequested', 'r1', 50),
        refund('RefundFailed', 'r1', 50),
        refund('PaymentRefunded', 'r0', 50),
      ])
        .when(again)
        .then([refund('RefundRequested', 'again-3', 50)]));
  });
  test('a refund is made once', () => {
    payment(pending)
      .when({ type: 'Refund', refundId: 'r1' })
      .then([refund('PaymentRefunded', 'r1', 60)]);
    payment([...pending, refund('PaymentRefunded', 'r1', 60)])
      .when({ type: 'Refund', refundId: 'r1' })
      .then([]);
    payment([...pending, refund('PaymentRefunded', 'r1', 60)])
      .when({ type: 'FailRefund', refundId: 'r1' })
      .then([]);
    payment(CHARGED).when({ type: 'Refund', refundId: 'r1' }).thenRefused('UNKNOWN_REFUND');
  });
  test('needs a charge, in its currency', () => {
    payment([requested, prepared]).when(giveBack('r1')).thenRefused('NOT_CHARGED');
    payment([requested, declined]).when(giveBack('r1')).thenRefused('NOT_CHARGED');
    payment(CHARGED)
      .when({ type: 'RequestRefund', refundId: 'r1', amount: { amount: 1, currency: 'USD' } })
      .thenRefused('CURRENCY_MISMATCH');
  });
  test('a payment has at most a hundred refunds', () => {
    const many = Array.from({ length: 100 }, (_, at) => [
      refund('RefundRequested', `r${at}`, 1),
      refund('RefundFailed', `r${at}`, 1),
    ]).flat();
    payment([...CHARGED, ...many])
      .when(giveBack('late'))
      .thenRefused('TOO_MANY_REFUNDS');
    payment([...CHARGED, ...many.slice(2)])
      .when(giveBack('late', 1))
      .then([refund('RefundRequested', 'late', 1)]);
  });
});

test('a view shows what was given back, and what is being given back', () => {
  const history = [
    ...CHARGED,
    refund('RefundRequested', 'r1', 60),
    refund('PaymentRefunded', 'r1', 60),
    refund('RefundRequested', 'r2', 10),
  ];
  expect(toView(history.reduce(evolve, initialState), history.length)).toEqual({
    ...asked,
    status: 'CHARGED',
    refunded: eur(60),
    refunds: [
      { refundId: 'r1', amount: eur(60), status: 'REFUNDED' },
      { refundId: 'r2', amount: eur(10), status: 'PENDING' },
    ],
    version: 6,
    requestedAt: now,
  });
  expect(toView(initialState, 0)).toBeUndefined();
  expect(toView([requested, prepared].reduce(evolve, initialState), 2)).toMatchObject({ status: 'PENDING' });
});
