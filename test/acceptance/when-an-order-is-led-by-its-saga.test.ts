import { describe, expect, test } from 'vitest';
import type { OrderLine, OrderView } from '../../lambdas/orders/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { customerWith, putLimit } from './accounts.js';
import { priced, putProduct } from './catalog.js';
import { causedBy } from './messages.js';
import { cancel, get, line, placed, stocked } from './orders.js';
import { givenBack, NOTHING, sagaOf, standingOf, takenOf } from './sagas.js';
import type { Aggregate } from './world.js';

/** As the sandbox reads it: declined. */
const DECLINED = 40200;
/** Charged ten seconds later, which is answered then; `when-an-order-is-charged` has its other troubles. */
const LATE = 20200;

const STEPS = ['ConfirmPrices', 'AuthorizeAccount', 'ReserveStock', 'ChargePayment'];
const PART: Readonly<Record<string, Aggregate>> = {
  ConfirmPrices: 'PriceCheck',
  AuthorizeAccount: 'Account',
  ReserveStock: 'Reservation',
  ChargePayment: 'Payment',
};
/** Commands that the saga of an order sent, in order. */
const sent = async (orderId: string) =>
  (await sagaOf(orderId)).filter((type) => /^[A-Z]\w+(Prices|Account|Stock|Payment|Authorization)$/.test(type));

const order = async (lines: readonly OrderLine[], limit = 100_000) => {
  const customer = await customerWith(limit);
  return placed(lines, { as: { customer } });
};

describe('when an order is led by its saga', () => {
  test('its prices are confirmed, its credit is taken, its stock is kept, its payment is charged: it is approved', async () => {
    const sku = await stocked(10);
    const one = await order([line(sku, 3)]);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(1050, 3) });
    expect(await sent(one.orderId)).toEqual(STEPS);
    expect(await world.events({ aggregate: 'PriceCheck', id: one.orderId })).toMatchObject([
      { type: 'PricesConfirmed' },
    ]);
    // Held while it was under way, taken at its approval.
    const account = await world.events({ aggregate: 'Account', id: one.customerId });
    expect(account.map(({ type }) => type)).toEqual(['AccountOpened', 'AccountAuthorized', 'AuthorizationCaptured']);
  });

  test('a provider that answers late charges it once all the same', async () => {
    const one = await order([line(await stocked(1, LATE), 1, LATE)]);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(LATE, 1) });
  });

  test('declined by the provider, it is rejected, and stock and credit are given back', async () => {
    const one = await order([line(await stocked(5, DECLINED), 1, DECLINED)]);
    expect(await standingOf(one)).toEqual({
      order: 'REJECTED PAYMENT_DECLINED',
      saga: 'SagaCompensated',
      ...NOTHING,
    });
    expect(await sent(one.orderId)).toEqual([...STEPS, 'ReleaseStock', 'ReleaseAuthorization']);
  });

  test('sold out, it is rejected with what was short, its credit is given back, and nothing is charged', async () => {
    const [tea, cup] = [await stocked(10), await stocked(1)];
    const one = await order([line(tea, 2), line(cup, 2)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED OUT_OF_STOCK', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual([...STEPS.slice(0, 3), 'ReleaseAuthorization']);
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [cup] });
    expect(await world.commits('Payment', one.orderId)).toEqual([]);
    expect((await get(one.orderId)).body).toMatchObject({ reason: 'OUT_OF_STOCK', rejectedLines: [{ sku: cup }] });
  });

  test('at a price that has changed, it is rejected, and says which line and what that costs now', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10, 900)];
    const one = await order([line(tea), line(cup, 1, 800)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED PRICE_CHANGED', saga: 'SagaCompensated', ...NOTHING });
    expect((await get(one.orderId)).body).toMatchObject({
      reason: 'PRICE_CHANGED',
      rejectedLines: [{ sku: cup, unitPrice: { amount: 900, currency: 'EUR' } }],
    });
    // The list says the same, a moment later.
    await world.eventually('its list tells why', async () => {
      const as = { customer: one.customerId };
      const { body } = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(body.items[0]).toEqual((await get(one.orderId)).body);
    });
  });

  test('in another currency than its products are sold in, it is rejected for that, with the prices that hold', async () => {
    const sku = await stocked(10);
    const one = await order([{ ...line(sku), unitPrice: { amount: 350, currency: 'USD' } }]);
    expect((await standingOf(one)).order).toBe('REJECTED CURRENCY_MISMATCH');
    expect((await get(one.orderId)).body.rejectedLines).toEqual([{ sku, unitPrice: { amount: 350, currency: 'EUR' } }]);
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 1));
  });

  test('over the credit limit, it is rejected, and nothing is kept or charged', async () => {
    const sku = await stocked(10);
    const one = await order([line(sku, 3)], 1049);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED OVER_LIMIT', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 2));
    expect(await world.commits('Reservation', one.orderId)).toEqual([]);
    // Its rejection is for ever; the next order may use the new limit.
    await putLimit(one.customerId, { amount: 1050, currency: 'EUR' });
    const other = await placed([line(sku, 3)], { as: { customer: one.customerId } });
    expect(await standingOf(other)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(1050, 3) });
  });

  test('of two orders at once for the credit of one, one is approved', async () => {
    const sku = await stocked(10);
    const customer = await customerWith(400);
    const both = await Promise.all([1, 2].map(() => placed([line(sku)], { as: { customer } })));
    const ends = [];
    for (const one of both) ends.push((await standingOf(one)).order);
    expect(ends.toSorted()).toEqual(['APPROVED', 'REJECTED OVER_LIMIT']);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test('with another price than the catalogue has, it is rejected, and nobody else hears of it', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    await priced(351, cup);
    const one = await order([line(tea), line(cup)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED PRICE_CHANGED', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual(['ConfirmPrices']);
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [cup] });
  });

  test('of a product that nobody sells, it is rejected', async () => {
    const [tea, unknown] = [await stocked(10), world.fresh('sku')];
    const one = await order([line(tea), line(unknown)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED UNKNOWN_PRODUCT', saga: 'SagaCompensated', ...NOTHING });
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [unknown] });
  });

  test("in another currency than the account's, it is rejected", async () => {
    const sku = await stocked(10);
    const unitPrice = { amount: 350, currency: 'USD' };
    await putProduct(sku, { name: 'Tea', unitPrice });
    const one = await order([{ sku, quantity: 1, unitPrice }]);
    expect(await standingOf(one)).toEqual({
      order: 'REJECTED CURRENCY_MISMATCH',
      saga: 'SagaCompensated',
      ...NOTHING,
    });
  });

  test('that costs nothing, it is approved without a charge, and can be cancelled', async () => {
    const one = await order([line(await stocked(5, 0), 2, 0)]);
    const approved = { order: 'APPROVED', saga: 'SagaCompleted', ...NOTHING, reserved: 2 };
    expect(await standingOf(one)).toEqual(approved);
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 3));
    expect(await world.commits('Payment', one.orderId)).toEqual([]);
    await cancel(one.orderId, { as: { customer: one.customerId } });
    expect(await standingOf(one)).toEqual({ ...approved, order: 'CANCELLED', reserved: 0 });
  });

  test('cancelled after its approval, everybody gives back their own part, and its saga has none in that', async () => {
    const one = await order([line(await stocked(10), 2)]);
    await world.settled(one.orderId);
    const { length } = await sagaOf(one.orderId);
    await cancel(one.orderId, { as: { customer: one.customerId } });
    expect(await standingOf(one)).toEqual({
      order: 'CANCELLED',
      saga: 'SagaCompleted',
      account: { authorized: 0, captured: 700, refunded: 700 },
      reserved: 0,
      money: givenBack(700),
    });
    expect(await sagaOf(one.orderId)).toHaveLength(length);
    const [cancelled] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderCancelled'] });
    expect(cancelled!.data).not.toHaveProperty('underWay');
  });

  test('its beginning five times at once begins one saga', async () => {
    const one = await order([line(await stocked(10))]);
    await world.redeliver({ aggregate: 'Order', id: one.orderId, types: ['OrderPlaced'] }, 4);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(350, 1) });
    expect(await sent(one.orderId)).toEqual(STEPS);
  });

  test('what was sent again and comes after its end meets what stands there, and takes nothing', async () => {
    const one = await order([line(await stocked(5, DECLINED), 1, DECLINED)]);
    const before = await standingOf(one);
    const { length } = await sagaOf(one.orderId);
    for (const type of STEPS.slice(1)) {
      const [step] = await world.events({ aggregate: 'CreateOrderSaga', id: one.orderId, types: [type] });
      const late: Envelope = { ...step!, id: world.uuid() };
      await world.publish(late);
      const part = PART[type]!;
      expect(await causedBy(late, part, part === 'Account' ? one.customerId : one.orderId)).toMatchObject([
        { type: 'SagaReplyRequested', data: { outcome: 'REFUSED' } },
      ]);
    }
    expect(await standingOf(one)).toEqual(before);
    expect(await sagaOf(one.orderId)).toHaveLength(length);
  });
});
