import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { queued, toPayments } from './messages.js';
import { answered, answersTo, eur, getPayment, giveBack, paymentSteps, shows } from './payments.js';

const CONSUMER = 'payments-commands';
const DONE = { outcome: 'DONE' };
const VOIDED = { outcome: 'REFUSED', reason: 'VOIDED' };
const nothing = { charges: 0, charged: 0, refunds: 0, refunded: 0 };

const recorded = (id: string) =>
  world.eventually(`${id} is recorded`, async () => {
    const record = await world.readRecord(CONSUMER, id);
    expect(record).toBeDefined();
    return record;
  });

describe('when an order is charged', () => {
  afterEach(() => world.heal());

  test("its payment has the order's id, and the step is answered once it is charged", async () => {
    const { orderId, charge } = paymentSteps(1000);
    expect(await answered(charge)).toEqual({
      customerId: 'alice',
      orderId,
      stepId: `${orderId}/charge`,
      outcome: 'DONE',
    });
    const { body } = await getPayment(orderId, 'alice');
    expect(body).toMatchObject({ paymentId: orderId, accountId: 'alice', amount: eur(1000), status: 'CHARGED' });
    expect(await world.moved(orderId)).toEqual({ ...nothing, charges: 1, charged: 1000 });
  });

  test('five concurrent deliveries of one message, and its retries, charge it once', async () => {
    const { orderId, charge } = paymentSteps(1000);
    const [message, ...retries] = [1, 2, 3].map(() => toPayments(charge));
    await world.send(CONSUMER, ...Array.from({ length: 5 }, () => queued(message!)), ...retries.map(queued));
    for (const { id } of [message!, ...retries]) await recorded(id);
    await shows(orderId, { status: 'CHARGED' });
    expect(await answered(charge)).toMatchObject(DONE);
    const answers = await answersTo(charge);
    expect(answers.length).toBeLessThanOrEqual(4);
    for (const answer of answers) expect(answer).toMatchObject(DONE);
    expect(await world.moved(orderId)).toMatchObject({ charges: 1, charged: 1000 });
  });

  test('refuses each retry with the reason if the card is declined', async () => {
    const { orderId, charge, undo } = paymentSteps(40200);
    const declined = { outcome: 'REFUSED', reason: 'INSUFFICIENT_FUNDS' };
    expect(await answered(charge)).toMatchObject(declined);
    expect(await answered(charge)).toMatchObject(declined);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await world.moved(orderId)).toEqual(nothing);
  });

  test.each([
    ['answers late', 20200],
    ['fails, and has charged all the same', 50001],
    ['fails at first', 50002],
    ['does not answer in time', 50400],
  ])('the order is charged once and given back once if the provider %s', async (_, amount) => {
    const { orderId, charge, undo } = paymentSteps(amount);
    expect(await answered(charge)).toMatchObject(DONE);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await world.moved(orderId)).toEqual({ charges: 1, charged: amount, refunds: 1, refunded: amount });
  });

  test('a step with another amount than before becomes a failure that an operator sees', async () => {
    const { orderId, charge } = paymentSteps(1000);
    await answered(charge);
    const other = toPayments(paymentSteps(1001, orderId).charge);
    await world.publish(other);
    expect((await recorded(other.id))?.status).toBe('FAILED');
    // At once, since a retry changes nothing.
    await world.eventually('it is in the list of failures', async () =>
      expect(await world.failures(CONSUMER, other.id)).toMatchObject([
        { attempts: 1, failures: [{ name: 'PaymentRefused', message: 'AMOUNT_DIFFERS' }] },
      ]),
    );
    expect(await world.moved(orderId)).toMatchObject({ charged: 1000 });
  });

  test('the customer gets the money back by a cancellation, not by a refund', async () => {
    const { orderId, charge } = paymentSteps(1000);
    await answered(charge);
    const refused = { status: 409, type: 'urn:orderly:problem:not-refundable' };
    expect((await giveBack('alice', orderId, world.uuid())).body).toMatchObject(refused);
  });

  test.skipIf(!world.makesFaults)(
    `a crash between the write and its acknowledgement charges once ${needsFaults}`,
    async () => {
      const { orderId, charge } = paymentSteps(1000);
      const message = toPayments(charge);
      await world.crash('payments/on-command', 'afterWrite', { including: message.id });
      await world.publish(message);
      await world.faultsMet();
      await shows(orderId, { status: 'CHARGED' });
      await world.eventually('it was delivered again', async () => {
        expect(await world.deliveries(CONSUMER, message.id)).toMatchObject({ applied: 0, duplicate: 1 });
      });
      expect(await answersTo(charge)).toHaveLength(1);
      expect(await world.moved(orderId)).toMatchObject({ charges: 1 });
    },
  );
});

describe('when the charge of an order is undone', () => {
  afterEach(() => world.heal());

  test('refunds the money once, and refuses a late charge', async () => {
    const { orderId, charge, undo } = paymentSteps(1000);
    await answered(charge);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await answered(charge)).toMatchObject(VOIDED);
    await shows(orderId, { status: 'CHARGED', refunded: eur(1000) });
    expect(await world.moved(orderId)).toEqual({ charges: 1, charged: 1000, refunds: 1, refunded: 1000 });
  });

  test('a compensation that comes before the charge charges nothing', async () => {
    const { orderId, charge, undo } = paymentSteps(1000);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await answered(charge)).toMatchObject(VOIDED);
    expect((await getPayment(orderId)).status).toBe(404);
    expect(await world.moved(orderId)).toEqual(nothing);
  });

  test('keeps no money if both are handled at the same time, in any order', async () => {
    const orders = Array.from({ length: 12 }, () => paymentSteps(1000));
    await Promise.all(
      orders.flatMap(({ charge, undo }, at) =>
        (at % 2 ? [charge, undo] : [undo, charge]).map((step) => world.send(CONSUMER, queued(toPayments(step)))),
      ),
    );
    for (const { orderId, charge, undo } of orders) {
      await world.eventually(`${orderId} is undone`, async () => {
        expect(await answersTo(undo)).toMatchObject([DONE]);
        expect(await answersTo(charge)).toHaveLength(1);
      });
      const { charged, refunded, charges } = await world.moved(orderId);
      expect(charges).toBeLessThanOrEqual(1);
      expect(refunded).toBe(charged);
    }
  });

  test('ends an unclear charge at the provider, without an operator', async () => {
    const { orderId, charge, undo } = paymentSteps(50000);
    await world.publish(toPayments(charge));
    await world.eventually('it is in the list of failures', async () =>
      expect(await world.failures('payments-provider', orderId)).toHaveLength(1),
    );
    expect(await answersTo(charge)).toEqual([]);
    expect(await answered(undo)).toMatchObject(DONE);
    expect(await answersTo(charge)).toMatchObject([VOIDED]);
    await shows(orderId, { status: 'DECLINED', reason: 'VOIDED' });
    expect(await world.moved(orderId)).toEqual(nothing);
  });

  test.skipIf(!world.makesFaults)(
    `refunds a charge of the provider that was never recorded ${needsFaults}`,
    async () => {
      const { orderId, charge, undo } = paymentSteps(1000);
      await world.crash('payments/charge-at-sandbox', 'afterWrite', { including: `KEY#${orderId}:charge` });
      await world.publish(toPayments(charge));
      await world.faultsMet();
      expect(await answered(undo)).toMatchObject(DONE);
      expect(await answersTo(charge)).toMatchObject([VOIDED]);
      expect(await world.moved(orderId)).toEqual({ charges: 1, charged: 1000, refunds: 1, refunded: 1000 });
    },
  );
});
