import { afterEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { answerTo, customerWith, sagaOf } from './accounts.js';
import { toAccounts } from './messages.js';
import { approved, becomes, cancel, line, placed, post, stocked } from './orders.js';
import { chargedPayment, eur, giveBack, pay, shows } from './payments.js';
import type { ApiAnswer, ProblemBody } from './world.js';

const { ordersUnderWay, paymentsPerDay, refundsPerDay, refundedPerDay } = world.limits;

const limitReached = (limit: string) => ({ status: 429, type: 'urn:orderly:problem:limit-reached', limit });

/** Repeats a request with the same key while it collides with others, as a client does. */
const final = (request: () => Promise<ApiAnswer<unknown>>) =>
  world.eventually('an answer is final', async () => {
    const answer = await request();
    if (/:(conflict|in-progress)$/.test(String((answer.body as ProblemBody).type))) throw new Error('not yet');
    return answer;
  });

/** Sends concurrent requests, each with its own key. @returns the number of answers by status */
async function atOnce(count: number, request: (key: string) => Promise<ApiAnswer<unknown>>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => final(() => request(`key-${at}`))));
  const refused = answers.filter(({ status }) => status !== 201);
  return { accepted: answers.length - refused.length, refused };
}

describe.skipIf(ordersUnderWay > 100)('when a customer reaches a limit (needs limits that can be reached)', () => {
  afterEach(() => world.heal());

  test('refuses further refunds until tomorrow, even with concurrent requests', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 1000);
    const refund = (key: string) => giveBack(bob, paymentId, key, { amount: eur(1) });
    const { accepted, refused } = await atOnce(refundsPerDay + 3, refund);
    expect(accepted).toBe(refundsPerDay);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject(limitReached('REFUNDS_PER_DAY'));
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400);
    }
    // A repeat of an accepted request gets the same answer as before.
    const answers = await Promise.all(Array.from({ length: refundsPerDay + 3 }, (_, at) => refund(`key-${at}`)));
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(refundsPerDay);
    await shows(paymentId, { refunded: eur(refundsPerDay) });
    expect(await world.moved(paymentId)).toMatchObject({ refunds: refundsPerDay, refunded: refundsPerDay });
    // Another payment of the customer is refused too; another customer's is not.
    expect((await giveBack(bob, await chargedPayment(bob, 100), 'other')).status).toBe(429);
    const carol = world.fresh('carol');
    expect((await giveBack(carol, await chargedPayment(carol, 100), 'own')).status).toBe(201);
  });

  test('accepts refunds that fit into the remaining sum of the day, in each currency', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 2 * refundedPerDay);
    const refund = (key: string, amount: number) => giveBack(bob, paymentId, key, { amount: eur(amount) });
    const part = refundedPerDay / 2 + 1;
    expect((await refund('first', part)).status).toBe(201);
    expect((await refund('second', part)).body).toMatchObject(limitReached('REFUNDED_PER_DAY'));
    expect((await refund('third', refundedPerDay - part)).status).toBe(201);
    expect((await refund('fourth', 1)).body).toMatchObject(limitReached('REFUNDED_PER_DAY'));
    const dollars = { amount: 1000, currency: 'USD' };
    const { body } = await pay(bob, 0, 'dollars', { amount: dollars });
    await shows(body.paymentId, { status: 'CHARGED' });
    expect((await giveBack(bob, body.paymentId, 'dollars-back')).status).toBe(201);
  });

  test('answers a single refund above the daily sum: ask for it in parts', async () => {
    const bob = world.fresh('bob');
    const paymentId = await chargedPayment(bob, 2 * refundedPerDay);
    expect((await giveBack(bob, paymentId, 'whole')).body).toMatchObject({
      status: 409,
      type: 'urn:orderly:problem:not-refundable',
    });
    expect((await giveBack(bob, paymentId, 'half', { amount: eur(refundedPerDay) })).status).toBe(201);
  });

  test('refuses further payments of the day, whatever became of earlier ones; orders are still charged', async () => {
    const customer = await customerWith(100_000);
    // The sandbox declines this amount. Each such answer reveals something about a card.
    const { accepted, refused } = await atOnce(paymentsPerDay + 2, (key) => pay(customer, 40200, key));
    expect(accepted).toBe(paymentsPerDay);
    for (const { body } of refused) expect(body).toMatchObject(limitReached('PAYMENTS_PER_DAY'));
    const order = await approved([line(await stocked(1))], { as: { customer } });
    expect(await world.moved(order.orderId)).toMatchObject({ charges: 1 });
  });

  test("an order's payment is still refunded at the limit of refunds", async () => {
    const customer = await customerWith(100_000);
    const paymentId = await chargedPayment(customer, 1000);
    await atOnce(refundsPerDay, (key) => giveBack(customer, paymentId, key, { amount: eur(1) }));
    expect((await giveBack(customer, paymentId, 'more')).status).toBe(429);
    const { orderId } = await approved([line(await stocked(1))], { as: { customer } });
    expect((await cancel(orderId, { as: { customer } })).status).toBe(200);
    await shows(orderId, { refunded: eur(350) });
  });

  test('the account declines an order above the orders under way, and the order names the limit', async () => {
    const customer = await customerWith(1_000_000);
    const sagas = Array.from({ length: ordersUnderWay + 5 }, () => sagaOf(customer));
    // Ten at a time, since more of them would mostly collide with each other.
    const answers: Envelope[] = [];
    for (let sent = 0; sent < sagas.length; sent += 10) {
      const messages = sagas.slice(sent, sent + 10).map(({ authorize }) => toAccounts(authorize(1)));
      await world.publish(...messages);
      answers.push(...(await Promise.all(messages.map(answerTo))).flat());
    }
    const declined = answers.filter(({ type }) => type === 'AuthorizationDeclined');
    expect(declined).toHaveLength(5);
    for (const { data } of declined) expect(data).toMatchObject({ reason: 'OVER_LIMIT', limit: 'ORDERS_UNDER_WAY' });

    const sku = await stocked(2);
    const { orderId } = await placed([line(sku)], { as: { customer } });
    const overLimit = { reason: 'OVER_LIMIT', limit: 'ORDERS_UNDER_WAY' };
    expect(await becomes(orderId, 'REJECTED')).toMatchObject(overLimit);
    // One order is done, so there is room for one more.
    const authorised = sagas.find(({ orderId: id }) =>
      answers.some(({ type, data }) => type === 'AccountAuthorized' && (data as { orderId: string }).orderId === id),
    )!;
    const release = toAccounts(authorised.release);
    await world.publish(release);
    await answerTo(release);
    await approved([line(sku)], { as: { customer } });
  });

  test('POST /orders refuses at once above the orders under way in the list, until some are done', async () => {
    const customer = world.fresh('customer');
    const lines = [line(world.fresh('nobody-sells-it'))];
    // No saga of these orders begins.
    await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: customer, times: 1e6 });
    for (let count = 0; count < ordersUnderWay; count++) await placed(lines, { as: { customer }, key: `key-${count}` });
    await world.eventually('its list shows them', async () => {
      const path = '/orders?limit=100';
      const { body } = await world.call<{ items: OrderView[] }>({ method: 'GET', path, as: { customer } });
      expect(body.items).toHaveLength(ordersUnderWay);
    });
    const refused = await post(lines, { as: { customer }, key: 'one-more' });
    expect(refused.body).toMatchObject(limitReached('ORDERS_UNDER_WAY'));
    expect(refused.headers['retry-after']).toBe('60');
    const again = await post(lines, { as: { customer }, key: 'key-0' });
    expect({ status: again.status, replayed: again.headers['idempotency-replayed'] }).toEqual({
      status: 201,
      replayed: 'true',
    });
    await world.heal();
    await world.eventually('one more is let in', async () =>
      expect((await post(lines, { as: { customer }, key: 'one-more' })).status).toBe(201),
    );
  });
});
