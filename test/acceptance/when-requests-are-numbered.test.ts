import { afterEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import type { PaymentView } from '../../lambdas/payments/contract.js';
import { needsFaults, world } from '../support/world.js';
import { approved, line, placed, stocked } from './orders.js';
import { chargedPayment, eur, shows } from './payments.js';
import type { Caller, Json } from './world.js';

interface Session {
  readonly sessionId: string;
  readonly expiresAt: string;
  readonly lastAccessAt?: string;
}

async function open(as: Caller, path = '/sessions'): Promise<string> {
  const { status, body } = await world.call<Session>({ method: 'POST', path, as });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['sessionId', 'expiresAt']);
  expect(Date.parse(body.expiresAt) - Date.parse(world.time())).toBeGreaterThan(3_500_000);
  return body.sessionId;
}

interface Numbered {
  readonly session: string;
  readonly number: number;
  readonly answeredUpTo?: number;
}

const headersOf = ({ session, number, answeredUpTo }: Numbered) => ({
  'Session-Id': session,
  'Request-Number': String(number),
  ...(answeredUpTo === undefined ? {} : { 'Answered-Up-To': String(answeredUpTo) }),
});

const post = <Body = Json>(path: string, as: Caller, numbered: Numbered, body: object = {}) =>
  world.call<Body>({ method: 'POST', path, as, body, headers: headersOf(numbered) });
const cancel = (orderId: string, numbered: Numbered, as: Caller = 'alice', body: object = {}) =>
  post<OrderView>(`/orders/${orderId}/cancellation`, as, numbered, body);

const HOUR = 3_600;
const read = (session: string, as: Caller = 'alice', path = '/sessions') =>
  world.call<Session>({ method: 'GET', path: `${path}/${session}`, as });
/** Seconds from one time to another. */
const between = (from: string | undefined, to: string | undefined) =>
  (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;

const problem = (status: number, code: string) => ({ status, body: { type: `urn:orderly:problem:${code}` } });

describe('when requests are numbered', () => {
  afterEach(() => world.heal());

  test('repeats the first answer, and frees the stock once', async () => {
    const sku = await stocked(5);
    const [one, other] = [await approved([line(sku, 2)]), await approved([line(sku, 1)])];
    const session = await open('alice');
    const first = await cancel(one.orderId, { session, number: 1 });
    expect(first).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await cancel(one.orderId, { session, number: 1 });
    expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(await cancel(one.orderId, { session, number: 1 }, 'alice', { reason: 'late' })).toMatchObject(
      problem(422, 'key-reused'),
    );
    expect(await cancel(other.orderId, { session, number: 2 })).toMatchObject({ status: 200 });
    // By default, a new number acknowledges the previous answer, which is then deleted.
    expect(await cancel(one.orderId, { session, number: 1 })).toMatchObject(problem(409, 'number-out-of-range'));
    await world.settled(one.orderId);
    await world.settled(other.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 5 });
    expect(await world.commits('Order', one.orderId)).toHaveLength(3);
  });

  test('a reason of a cancellation does not confuse the numbers of a session', async () => {
    const { orderId } = await approved([line(await stocked(1))]);
    const session = await open('alice');
    const asked = (number: number, reason: string) =>
      cancel(orderId, { session, number, answeredUpTo: 0 }, 'alice', { reason });
    const first = await asked(1, 'one');
    // The order is already cancelled, so this reason is not stored.
    for (const repeat of [await asked(2, 'other'), await asked(2, 'other'), await asked(1, 'one')]) {
      expect(repeat).toMatchObject({ status: 200, text: first.text });
    }
    expect(await asked(1, 'other')).toMatchObject(problem(422, 'key-reused'));
  });

  test('allows several requests at the same time, each repeated any number of times', async () => {
    const sku = await stocked(3);
    const orders = await Promise.all([1, 2, 3].map(() => placed([line(sku)])));
    const session = await open('alice');
    const sent = orders.flatMap(({ orderId }, at) =>
      [1, 2].map(() => cancel(orderId, { session, number: at + 1, answeredUpTo: 0 })),
    );
    for (const { status } of await Promise.all(sent)) expect([200, 409]).toContain(status);
    for (const [at, { orderId }] of orders.entries()) {
      const { body, headers } = await cancel(orderId, { session, number: at + 1, answeredUpTo: 0 });
      expect(body.status).toBe('CANCELLED');
      expect(headers['idempotency-replayed']).toBe('true');
    }
    const [{ orderId = '' } = {}] = orders;
    expect(await cancel(orderId, { session, number: 11, answeredUpTo: 0 })).toMatchObject(
      problem(409, 'number-out-of-range'),
    );
  });

  test('shows its client when it was last accessed; to another client, or elsewhere, it is unknown', async () => {
    for (const path of ['/sessions', '/payments/sessions', '/users/sessions']) {
      const session = await open('alice', path);
      const { status, body } = await read(session, 'alice', path);
      expect({ status, sessionId: body.sessionId }).toEqual({ status: 200, sessionId: session });
      expect(between(body.lastAccessAt, body.expiresAt)).toBe(HOUR);
      expect(await read(session, 'bob', path)).toMatchObject(problem(404, 'not-found'));
      expect(await read(session, 'operator', path)).toMatchObject(problem(404, 'not-found'));
      expect(await read(world.fresh('session'), 'alice', path)).toMatchObject(problem(404, 'not-found'));
      const elsewhere = path === '/sessions' ? '/users/sessions' : '/sessions';
      expect(await read(session, 'alice', elsewhere)).toMatchObject(problem(404, 'not-found'));
    }
  });

  test.runIf(world.passesDays)('a repeat is an access, and to read the session is none', async () => {
    const sku = await stocked(5);
    const [one, other] = [await approved([line(sku)]), await approved([line(sku)])];
    const session = await open('alice');
    await cancel(one.orderId, { session, number: 1 });
    const accepted = (await read(session)).body;
    await world.pass(50 * 60);
    expect((await read(session)).body).toEqual(accepted);
    const again = await cancel(one.orderId, { session, number: 1 });
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    const repeated = (await read(session)).body;
    expect(between(accepted.lastAccessAt, repeated.lastAccessAt)).toBeGreaterThanOrEqual(50 * 60);
    expect(between(repeated.lastAccessAt, repeated.expiresAt)).toBe(HOUR);
    // 70 minutes after the last accepted request.
    await world.pass(20 * 60);
    expect(await cancel(other.orderId, { session, number: 2 })).toMatchObject({ status: 200 });
  });

  test.runIf(world.passesDays)('a repeat at a state-stored aggregate is an access, too', async () => {
    const as = { customer: world.fresh('ada') };
    const session = await open(as, '/users/sessions');
    const patch = (number: number, name: string) =>
      world.call({ method: 'PATCH', path: '/users/me', as, body: { name }, headers: headersOf({ session, number }) });
    expect((await patch(1, 'Ada')).status).toBe(200);
    await world.pass(50 * 60);
    expect(await patch(1, 'Ada')).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    await world.pass(20 * 60);
    expect((await patch(2, 'Bob')).status).toBe(200);
  });

  test.runIf(world.passesDays)('a repeat after the end is answered, and does not open the session again', async () => {
    const sku = await stocked(5);
    const [one, other] = [await approved([line(sku)]), await approved([line(sku)])];
    const session = await open('alice');
    await cancel(one.orderId, { session, number: 1 });
    const accepted = (await read(session)).body;
    await world.pass(2 * HOUR);
    const again = await cancel(one.orderId, { session, number: 1 });
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect(await read(session)).toMatchObject({ status: 200, body: accepted });
    expect(await cancel(other.orderId, { session, number: 2 })).toMatchObject(problem(409, 'session-not-open'));
  });

  test("answers session-not-open for another client's session and for an unknown one", async () => {
    const { orderId } = await placed([line(await stocked(1))]);
    for (const session of [await open('bob'), await open('alice', '/payments/sessions'), world.fresh('session')]) {
      expect(await cancel(orderId, { session, number: 1 })).toMatchObject(problem(409, 'session-not-open'));
      // The request created no session either.
      expect(await cancel(orderId, { session, number: 1 })).toMatchObject(problem(409, 'session-not-open'));
    }
    expect(await cancel(orderId, { session: await open('alice'), number: 1 })).toMatchObject({ status: 200 });
  });

  test("answers 404 for another customer's order, which uses up no number", async () => {
    const [mine, others] = [
      await placed([line(await stocked(1))]),
      await placed([line(await stocked(1))], { as: 'bob' }),
    ];
    const session = await open('alice');
    expect(await cancel(others.orderId, { session, number: 1 })).toMatchObject(problem(404, 'not-found'));
    expect(await cancel(mine.orderId, { session, number: 1 })).toMatchObject({ status: 200 });
  });

  test('answers 400 for a number together with a key, and for a number or session alone', async () => {
    const { orderId } = await placed([line(await stocked(1))]);
    const session = await open('alice');
    const path = `/orders/${orderId}/cancellation`;
    const requests = [
      { key: world.fresh('key'), headers: headersOf({ session, number: 1 }) },
      { headers: { 'Session-Id': session } },
      { headers: { 'Request-Number': '1' } },
      { key: world.fresh('key'), headers: { 'Request-Number': '1' } },
      { headers: { 'Session-Id': session, 'Request-Number': 'one' } },
      { headers: { 'Session-Id': session, 'Request-Number': '1', 'Answered-Up-To': '-1' } },
    ];
    for (const request of requests) {
      const answer = await world.call({ method: 'POST', path, as: 'alice', body: {}, ...request });
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
    }
    const body = { lines: [line(world.fresh('sku'))] };
    const placing = { method: 'POST', path: '/orders', as: 'alice', body } as const;
    const headers = headersOf({ session, number: 1 });
    expect(await world.call({ ...placing, headers })).toMatchObject(problem(400, 'invalid-request'));
  });

  test('makes, charges and refunds a payment once per number', async () => {
    const customer = world.fresh('bob');
    const as = { customer };
    const session = await open(as, '/payments/sessions');
    const pay = () =>
      post<PaymentView>('/payments', as, { session, number: 1 }, { accountId: customer, amount: eur(1000) });
    const first = await pay();
    expect(first).toMatchObject({ status: 201, body: { status: 'PENDING' } });
    const { paymentId } = first.body;
    expect(await pay()).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    await shows(paymentId, { status: 'CHARGED' });
    const refund = () => post(`/payments/${paymentId}/refund`, as, { session, number: 2 }, { amount: eur(300) });
    const answers = [await refund(), await refund()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(await pay()).toMatchObject(problem(409, 'number-out-of-range'));
    await shows(paymentId, { refunded: eur(300) });
    expect(await world.moved(paymentId)).toEqual({ charges: 1, charged: 1000, refunds: 1, refunded: 300 });
  });

  test('a refusal uses up no number', async () => {
    const customer = world.fresh('bob');
    const paymentId = await chargedPayment(customer, 1000);
    const session = await open({ customer }, '/payments/sessions');
    const refund = (amount: number) =>
      post(`/payments/${paymentId}/refund`, { customer }, { session, number: 1 }, { amount: eur(amount) });
    expect(await refund(1001)).toMatchObject(problem(409, 'not-refundable'));
    expect((await refund(1000)).status).toBe(201);
  });

  test.runIf(world.makesFaults)(`crashes after the write: the repeat gets the answer ${needsFaults}`, async () => {
    const { orderId } = await placed([line(await stocked(1))]);
    const session = await open('alice');
    await world.crash('orders/cancel-order', 'afterWrite', { including: orderId });
    expect((await cancel(orderId, { session, number: 1 })).status).toBeGreaterThanOrEqual(500);
    await world.faultsMet();
    const { status, headers } = await cancel(orderId, { session, number: 1 });
    expect({ status, replayed: headers['idempotency-replayed'] }).toEqual({ status: 200, replayed: 'true' });
    expect(await world.commits('Order', orderId)).toHaveLength(2);
  });
});
