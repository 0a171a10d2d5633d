import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { chargedPayment, eur, getPayment, pay, shows } from './payments.js';

describe('when a payment is requested', () => {
  afterEach(() => world.heal());

  test('accepts it at once, and charges it once', async () => {
    const bob = world.fresh('bob');
    const { status, body, headers } = await pay(bob, 10_000, world.uuid(), { clientReference: 'invoice 7' });
    expect(status).toBe(201);
    expect(headers.location).toBe(`payments/${body.paymentId}`);
    const requested = { customerId: bob, accountId: bob, amount: eur(10_000), clientReference: 'invoice 7' };
    expect(body).toMatchObject({ ...requested, status: 'PENDING', refunded: eur(0), refunds: [], version: 1 });
    expect(await shows(body.paymentId, { status: 'CHARGED' })).toMatchObject({ ...requested, version: 3 });
    expect(await world.moved(body.paymentId)).toMatchObject({ charges: 1, charged: 10_000 });
  });

  test('makes one payment, one answer and one charge of any number of requests', async () => {
    const [bob, key] = [world.fresh('bob'), world.uuid()];
    const first = await Promise.all([1, 2, 3, 4].map(() => pay(bob, 10_000, key)));
    expect(first.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { body } = first[0] ?? expect.fail('no answer');
    await shows(body.paymentId, { status: 'CHARGED' });
    const late = await pay(bob, 10_000, key);
    const quoted = await pay(bob, 10_000, `"${key}"`);
    for (const answer of [...first, late, quoted]) expect(answer.body).toEqual(body);
    expect(first.filter(({ headers }) => headers['idempotency-replayed'] !== 'true')).toHaveLength(1);
    expect(late.headers['idempotency-replayed']).toBe('true');
    expect(await world.moved(body.paymentId)).toMatchObject({ charges: 1, charged: 10_000 });
  });

  test('makes one payment with an issued key, or with a key from the body', async () => {
    const bob = world.fresh('bob');
    const issued = await world.call<{ idempotencyKey: string }>({
      method: 'POST',
      path: '/idempotency-keys',
      as: { customer: bob },
    });
    const reference = { clientReference: world.uuid() };
    for (const [key, more] of [
      [issued.body.idempotencyKey, {}],
      ['auto', reference],
    ] as const) {
      const [one, again] = [await pay(bob, 700, key, more), await pay(bob, 700, key, more)];
      expect(again.body.paymentId).toBe(one.body.paymentId);
    }
    const other = await pay(bob, 700, 'auto', { clientReference: world.uuid() });
    expect(other.body.paymentId).not.toBe((await pay(bob, 700, 'auto', reference)).body.paymentId);
    expect((await pay(bob, 700, 'auto')).status).toBe(400);
  });

  test('declines with the reason if the card is refused, and charges nothing', async () => {
    const { body } = await pay(world.fresh('bob'), 40200, world.uuid());
    await shows(body.paymentId, { status: 'DECLINED', reason: 'INSUFFICIENT_FUNDS' });
    expect(await world.moved(body.paymentId)).toMatchObject({ charges: 0 });
  });

  test.each([
    ['answers late', 20200],
    ['fails, and has charged all the same', 50001],
    ['fails at first', 50002],
    ['does not answer in time', 50400],
  ])('the payment is charged once if the provider %s', async (_, amount) => {
    const { body } = await pay(world.fresh('bob'), amount, world.uuid());
    await shows(body.paymentId, { status: 'CHARGED' });
    expect(await world.moved(body.paymentId)).toMatchObject({ charges: 1, charged: amount });
  });

  test('waits for an operator if the outcome at the provider is unknown', async () => {
    const { body } = await pay(world.fresh('bob'), 50000, world.uuid());
    const [failure] = await world.eventually('it is in the list of failures', async () => {
      const failures = await world.failures('payments-provider', body.paymentId);
      expect(failures).toHaveLength(1);
      return failures;
    });
    expect(failure?.failures[0]).toMatchObject({
      name: 'PaymentUnclear',
      message: expect.stringMatching(/^PROVIDER_STAYS_UNDECIDED/),
    });
    expect((await getPayment(body.paymentId)).body.status).toBe('PENDING');
    expect(await world.moved(body.paymentId)).toMatchObject({ charges: 0 });
  });

  test('charges once if each of its events arrives five times', async () => {
    const paymentId = await chargedPayment(world.fresh('bob'), 1000);
    const events = await world.redeliver({ aggregate: 'Payment', id: paymentId }, 5);
    expect(events.map(({ type }) => type)).toEqual(['PaymentRequested', 'PaymentPrepared', 'PaymentCharged']);
    await world.eventually('each was delivered again', async () => {
      for (const { id } of events.slice(0, 2)) {
        expect((await world.deliveries('payments-provider', id)).duplicate).toBe(5);
      }
    });
    expect(await world.moved(paymentId)).toMatchObject({ charges: 1 });
  });

  test.skipIf(!world.makesFaults).each([
    ['before', 'beforeWrite'],
    ['after', 'afterWrite'],
  ] as const)(`the payment is charged once if its charging dies %s a write ${needsFaults}`, async (_, when) => {
    // The payment's id isn't known yet. Calls of the consumer that charges contain the account's id.
    const bob = world.fresh('bob');
    await world.crash('payments/charge-at-sandbox', when, { including: bob });
    const paymentId = await chargedPayment(bob, 1000);
    await world.faultsMet();
    expect(await world.moved(paymentId)).toMatchObject({ charges: 1 });
  });

  test("shows no customer another's payment, and charges no customer for another's account", async () => {
    const [bob, mallory] = [world.fresh('bob'), world.fresh('mallory')];
    const { body } = await pay(bob, 1000, world.uuid());
    expect((await getPayment(body.paymentId, { customer: mallory })).status).toBe(404);
    expect((await getPayment(body.paymentId, { customer: bob })).body.paymentId).toBe(body.paymentId);
    const foreign = { method: 'POST', path: '/payments', key: world.uuid() } as const;
    const charge = { ...foreign, body: { accountId: bob, amount: eur(1000) } };
    expect((await world.call({ ...charge, as: { customer: mallory } })).status).toBe(404);
    expect((await world.call({ ...charge, as: 'operator' })).status).toBe(403);
    expect((await world.call({ ...charge, as: 'nobody' })).status).toBe(401);
  });

  test('refuses a malformed request with its faults, and stores nothing', async () => {
    const [bob, key] = [world.fresh('bob'), world.uuid()];
    expect((await pay(bob, 0, key)).body).toMatchObject({ errors: [{ pointer: '/amount/amount' }] });
    expect((await pay(bob, 1000, key, { tip: 1 })).body).toMatchObject({ errors: [{ pointer: '/tip' }] });
    expect((await pay(bob, 1000, undefined)).body).toMatchObject({ type: 'urn:orderly:problem:key-missing' });
    expect((await pay(bob, 1000, `"${key}`)).body).toMatchObject({ type: 'urn:orderly:problem:invalid-request' });
    expect((await pay(bob, 1000, key)).status).toBe(201);
    expect((await pay(bob, 1001, key)).body).toMatchObject({ type: 'urn:orderly:problem:key-reused', status: 422 });
    expect((await getPayment('0'.repeat(32))).status).toBe(404);
    expect((await getPayment('what')).status).toBe(404);
  });
});
