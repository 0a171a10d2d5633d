import { describe, expect, test } from 'vitest';
import type { OrderLine, OrderView } from '../../lambdas/orders/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { customerWith, getAccount, putLimit } from './accounts.js';
import { priced, putProduct } from './catalog.js';
import { causedBy } from './messages.js';
import { cancel, get, line, placed, stocked } from './orders.js';
import { givenBack, NOTHING, sagaOf, standingOf, takenOf } from './sagas.js';
import type { Aggregate } from './world.js';

/** The sandbox declines this amount. */
const DECLINED = 40200;
/**
 * The sandbox charges this amount ten seconds later and answers then. `when-an-order-is-charged` has its other faults.
 */
const LATE = 20200;

const STEPS = ['ConfirmPrices', 'AuthorizeAccount', 'ReserveStock', 'ChargePayment'];
const PART: Readonly<Record<string, Aggregate>> = {
  ConfirmPrices: 'PriceCheck',
  AuthorizeAccount: 'Account',
  ReserveStock: 'Reservation',
  ChargePayment: 'Payment',
};
/** Returns the commands that the saga of an order sent, in order. */
const sent = async (orderId: string) =>
  (await sagaOf(orderId)).filter((type) => /^[A-Z]\w+(Prices|Account|Stock|Payment|Authorization)$/.test(type));

const order = async (lines: readonly OrderLine[], limit = 100_000) => {
  const customer = await customerWith(limit);
  return placed(lines, { as: { customer } });
};

describe('when an order is led by its saga', () => {
  test('approves it once prices are confirmed, credit authorised, stock reserved and payment charged', async () => {
    const sku = await stocked(10);
    const one = await order([line(sku, 3)]);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(1050, 3) });
    expect(await sent(one.orderId)).toEqual(STEPS);
    expect(await world.events({ aggregate: 'PriceCheck', id: one.orderId })).toMatchObject([
      { type: 'PricesConfirmed' },
    ]);
    // Authorised while it was under way, captured at its approval, and settled by its charge, in whichever order.
    const account = await world.events({ aggregate: 'Account', id: one.customerId });
    const types = account.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['AccountOpened', 'AccountAuthorized']);
    expect(types.slice(2).toSorted()).toEqual(['AuthorizationCaptured', 'CreditSettled']);
  });

  test('a customer who pays keeps their credit: orders of more than the limit are approved, one after the other', async () => {
    const sku = await stocked(10);
    const customer = await customerWith(400);
    for (let count = 0; count < 3; count++) {
      const one = await placed([line(sku)], { as: { customer } });
      expect((await standingOf(one)).order).toBe('APPROVED');
    }
    const { body } = await getAccount(customer);
    expect(body).toMatchObject({ available: { amount: 400 }, captured: { amount: 1050 }, settled: { amount: 1050 } });
  });

  test('a refund of a paid order does not raise the credit above its limit', async () => {
    const one = await order([line(await stocked(10), 2)], 1000);
    await world.settled(one.orderId);
    const charged = { aggregate: 'Payment', id: one.orderId, types: ['PaymentCharged'] } as const;
    await world.redeliver(charged, 2);
    await cancel(one.orderId, { as: { customer: one.customerId } });
    await world.redeliver(charged, 2);
    expect((await standingOf(one)).order).toBe('CANCELLED');
    const { body } = await getAccount(one.customerId);
    expect(body).toMatchObject({ available: { amount: 1000 }, refunded: { amount: 700 }, settled: { amount: 0 } });
  });

  test('charges it once even if the provider answers late', async () => {
    const one = await order([line(await stocked(1, LATE), 1, LATE)]);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(LATE, 1) });
  });

  test('rejects it if the provider declines, and releases stock and credit', async () => {
    const one = await order([line(await stocked(5, DECLINED), 1, DECLINED)]);
    expect(await standingOf(one)).toEqual({
      order: 'REJECTED PAYMENT_DECLINED',
      saga: 'SagaCompensated',
      ...NOTHING,
    });
    expect(await sent(one.orderId)).toEqual([...STEPS, 'ReleaseStock', 'ReleaseAuthorization']);
  });

  test('rejects it with the missing SKUs if it is sold out, releases its credit, and charges nothing', async () => {
    const [tea, cup] = [await stocked(10), await stocked(1)];
    const one = await order([line(tea, 2), line(cup, 2)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED OUT_OF_STOCK', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual([...STEPS.slice(0, 3), 'ReleaseAuthorization']);
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [cup] });
    expect(await world.commits('Payment', one.orderId)).toEqual([]);
    expect((await get(one.orderId)).body).toMatchObject({ reason: 'OUT_OF_STOCK', rejectedLines: [{ sku: cup }] });
  });

  test('rejects it if a price has changed, and shows the line and its present price', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10, 900)];
    const one = await order([line(tea), line(cup, 1, 800)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED PRICE_CHANGED', saga: 'SagaCompensated', ...NOTHING });
    expect((await get(one.orderId)).body).toMatchObject({
      reason: 'PRICE_CHANGED',
      rejectedLines: [{ sku: cup, unitPrice: { amount: 900, currency: 'EUR' } }],
    });
    // The list shows the same a moment later.
    await world.eventually('its list shows the reason', async () => {
      const as = { customer: one.customerId };
      const { body } = await world.call<{ items: OrderView[] }>({ method: 'GET', path: '/orders', as });
      expect(body.items[0]).toEqual((await get(one.orderId)).body);
    });
  });

  test("rejects it in another currency than its products', and shows the present prices", async () => {
    const sku = await stocked(10);
    const one = await order([{ ...line(sku), unitPrice: { amount: 350, currency: 'USD' } }]);
    expect((await standingOf(one)).order).toBe('REJECTED CURRENCY_MISMATCH');
    expect((await get(one.orderId)).body.rejectedLines).toEqual([{ sku, unitPrice: { amount: 350, currency: 'EUR' } }]);
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 1));
  });

  test('rejects it over the credit limit, and keeps and charges nothing', async () => {
    const sku = await stocked(10);
    const one = await order([line(sku, 3)], 1049);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED OVER_LIMIT', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 2));
    expect(await world.commits('Reservation', one.orderId)).toEqual([]);
    // The rejection is final. The next order may use the new limit.
    await putLimit(one.customerId, { amount: 1050, currency: 'EUR' });
    const other = await placed([line(sku, 3)], { as: { customer: one.customerId } });
    expect(await standingOf(other)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(1050, 3) });
  });

  test('approves one of two concurrent orders if there is credit for one', async () => {
    const sku = await stocked(10);
    const customer = await customerWith(400);
    const both = await Promise.all([1, 2].map(() => placed([line(sku)], { as: { customer } })));
    const ends = [];
    for (const one of both) ends.push((await standingOf(one)).order);
    expect(ends.toSorted()).toEqual(['APPROVED', 'REJECTED OVER_LIMIT']);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test("rejects it at another price than the catalogue's, and asks no other service", async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    await priced(351, cup);
    const one = await order([line(tea), line(cup)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED PRICE_CHANGED', saga: 'SagaCompensated', ...NOTHING });
    expect(await sent(one.orderId)).toEqual(['ConfirmPrices']);
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [cup] });
  });

  test('rejects it if a product is not sold', async () => {
    const [tea, unknown] = [await stocked(10), world.fresh('sku')];
    const one = await order([line(tea), line(unknown)]);
    expect(await standingOf(one)).toEqual({ order: 'REJECTED UNKNOWN_PRODUCT', saga: 'SagaCompensated', ...NOTHING });
    const [rejected] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderRejected'] });
    expect(rejected!.data).toMatchObject({ skus: [unknown] });
  });

  test("rejects it in another currency than the account's", async () => {
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

  test('approves an order of 0 without a charge; it can be cancelled', async () => {
    const one = await order([line(await stocked(5, 0), 2, 0)]);
    const approved = { order: 'APPROVED', saga: 'SagaCompleted', ...NOTHING, reserved: 2 };
    expect(await standingOf(one)).toEqual(approved);
    expect(await sent(one.orderId)).toEqual(STEPS.slice(0, 3));
    expect(await world.commits('Payment', one.orderId)).toEqual([]);
    await cancel(one.orderId, { as: { customer: one.customerId } });
    expect(await standingOf(one)).toEqual({ ...approved, order: 'CANCELLED', reserved: 0 });
  });

  test('each service releases its own resources after a late cancellation, without the saga', async () => {
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

  test('five concurrent deliveries of its first event begin one saga', async () => {
    const one = await order([line(await stocked(10))]);
    await world.redeliver({ aggregate: 'Order', id: one.orderId, types: ['OrderPlaced'] }, 4);
    expect(await standingOf(one)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(350, 1) });
    expect(await sent(one.orderId)).toEqual(STEPS);
  });

  test('repeated commands that come after its end change nothing', async () => {
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
