import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { chargedPayment, eur, getPayment, giveBack, pay, shows } from './payments.js';

/** Waits until this many refunds of a payment have failed and wait for an operator. */
const failedRefunds = (paymentId: string, count: number) =>
  world.eventually(`${count} refunds of ${paymentId} have failed`, async () => {
    const failures = await world.failures('payments-provider', paymentId);
    expect(failures).toHaveLength(count);
    return failures;
  });

const notRefundable = { status: 409, type: 'urn:orderly:problem:not-refundable' };

describe('when a payment is given back', () => {
  afterEach(() => world.heal());

  test('refunds each part once, and never more than was charged', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 1000);
    const { status, body, headers } = await giveBack(bob, paymentId, 'first', { amount: eur(600) });
    expect(status).toBe(201);
    expect(headers.location).toBe(`payments/${paymentId}`);
    expect(body.refunds).toMatchObject([{ amount: eur(600), status: 'PENDING' }]);
    expect((await giveBack(bob, paymentId, 'too-much', { amount: eur(401) })).body).toMatchObject(notRefundable);
    expect((await giveBack(bob, paymentId, 'second', { amount: eur(400) })).status).toBe(201);
    await shows(paymentId, { status: 'CHARGED', refunded: eur(1000) });
    expect((await giveBack(bob, paymentId, 'more', { amount: eur(1) })).body).toMatchObject(notRefundable);
    expect((await giveBack(bob, paymentId, 'all')).body).toMatchObject(notRefundable);
    expect(await world.moved(paymentId)).toEqual({ charges: 1, charged: 1000, refunds: 2, refunded: 1000 });
  });

  test('refunds the whole once for any number of requests, with one answer', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 1000);
    const answers = await Promise.all([1, 2, 3].map(() => giveBack(bob, paymentId, 'whole')));
    await shows(paymentId, { refunded: eur(1000) });
    const late = await giveBack(bob, paymentId, 'whole');
    for (const answer of [...answers, late]) {
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual(late.body);
    }
    expect(late.headers['idempotency-replayed']).toBe('true');
    expect((await giveBack(bob, paymentId, 'whole', { amount: eur(1) })).status).toBe(422);
    expect(await world.moved(paymentId)).toMatchObject({ refunds: 1, refunded: 1000 });
  });

  test.each([
    ['fails, and has given it back all the same', 50001],
    ['fails at first', 50002],
    ['does not answer in time', 50400],
  ])('the payment is given back once if the provider %s', async (_, amount) => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 100_000);
    await giveBack(bob, paymentId, 'part', { amount: eur(amount) });
    await shows(paymentId, { refunded: eur(amount) });
    expect(await world.moved(paymentId)).toMatchObject({ refunds: 1, refunded: amount });
  });

  test.skipIf(!world.makesFaults)(
    `crashes after the provider's refund: it is refunded once ${needsFaults}`,
    async () => {
      const bob = world.fresh('bob');
      const paymentId = await chargedPayment(bob, 1000);
      await world.crash('payments/charge-at-sandbox', 'afterWrite', { including: `KEY#${paymentId}:refund` });
      await giveBack(bob, paymentId, 'part', { amount: eur(300) });
      await world.faultsMet();
      await shows(paymentId, { refunded: eur(300) });
      expect(await world.moved(paymentId)).toMatchObject({ refunds: 1, refunded: 300 });
    },
  );

  test('an operator sees that the provider refuses for good, and has the refund requested again once', async () => {
    const bob = world.fresh('bob');
    const refused = await chargedPayment(bob, 41001);
    await giveBack(bob, refused, 'whole');
    const [first] = await failedRefunds(refused, 1);
    expect(first).toMatchObject({ subject: `Payment/${refused}`, failures: [{ name: 'RefundRefused' }] });
    await shows(refused, { refunded: eur(0), refunds: [{ status: 'FAILED' }] as never });
    for (const _ of ['sent', 'sent twice']) await world.redrive('payments-provider', first!);
    await shows(refused, { refunded: eur(41001) });
    await failedRefunds(refused, 0);
    expect((await getPayment(refused)).body.refunds).toMatchObject([{ status: 'FAILED' }, { status: 'REFUNDED' }]);
    expect(await world.moved(refused)).toMatchObject({ refunds: 1, refunded: 41001 });
  });

  test('a second refusal of the provider is another failure', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 41000);
    await giveBack(bob, paymentId, 'whole');
    const [first] = await failedRefunds(paymentId, 1);
    await world.redrive('payments-provider', first!);
    await world.eventually('the second refund fails', async () => {
      const [second, ...others] = await world.failures('payments-provider', paymentId);
      expect(others).toEqual([]);
      expect(second?.messageId).not.toBe(first?.messageId);
    });
    expect(await world.moved(paymentId)).toMatchObject({ refunds: 0 });
  });

  test('refuses to refund a payment that was never charged, and refuses another currency', async () => {
    const bob = world.fresh('bob');
    const { body } = await pay(bob, 40200, world.uuid());
    await shows(body.paymentId, { status: 'DECLINED' });
    expect((await giveBack(bob, body.paymentId, 'declined')).body).toMatchObject(notRefundable);
    const paymentId = await chargedPayment(bob, 1000);
    const dollars = { amount: { amount: 1000, currency: 'USD' } };
    expect((await giveBack(bob, paymentId, 'dollars', dollars)).body).toMatchObject(notRefundable);
    expect((await giveBack(world.fresh('mallory'), paymentId, 'mallory')).status).toBe(404);
    expect(await world.moved(paymentId)).toMatchObject({ refunds: 0 });
  });
});
