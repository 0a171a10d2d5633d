import { afterEach, describe, expect, test } from 'vitest';
import type { DeliveryAddress, OrderView } from '../../lambdas/orders/contract.js';
import { computeRequestHashes } from '../../packages/kit/idempotent-receiver/idempotency-key.js';
import { needsFaults, world } from '../support/world.js';
import { queued } from './messages.js';
import { approved, cancel, get, line, placed, post, stocked } from './orders.js';
import { eur, getPayment, giveBack, pay, shows } from './payments.js';
import type { Caller } from './world.js';

afterEach(() => world.heal());

/** Returns a customer and an address that occur nowhere else. */
function somebody(): { readonly customer: string; readonly deliverTo: DeliveryAddress } {
  const own = (what: string) => world.fresh(what);
  const deliverTo = { name: own('name'), street: own('street'), city: own('city'), postalCode: own('p').slice(-20) };
  return { customer: own('person'), deliverTo: { ...deliverTo, country: 'DE' } };
}

/** Returns texts that a customer writes and that occur nowhere else. */
const ownWords = () => ({ clientReference: world.fresh('reference'), reason: world.fresh('reason') });

/** Creates an approved order that this customer has cancelled. */
async function cancelledBy(customer: string, { clientReference, reason }: ReturnType<typeof ownWords>) {
  const as = { customer };
  const { orderId } = await placed([line(await stocked(1))], { as, clientReference });
  await world.settled(orderId);
  const { status, body } = await cancel(orderId, { as, body: { reason } });
  expect(status).toBe(200);
  await world.settled(orderId);
  return body;
}

const listOf = (customer: string, as: Caller) =>
  world.call<{ items: readonly OrderView[] }>({ method: 'GET', path: `/orders?customerId=${customer}`, as });
const listShows = (customer: string, as: Caller, ...orders: readonly OrderView[]) =>
  world.eventually('the list shows it', async () => expect((await listOf(customer, as)).body.items).toEqual(orders));

interface HistoryItem {
  readonly id: string;
  readonly type: string;
  readonly correlationId: string;
  readonly data: unknown;
}
interface Exported {
  readonly subject: string;
  readonly events: readonly HistoryItem[];
}

const FORGOTTEN = { forgotten: true } as const;
const history = async (orderId: string) => {
  const path = `/orders/${orderId}/history`;
  const { body } = await world.call<{ items: readonly HistoryItem[] }>({ method: 'GET', path, as: 'operator' });
  return body.items;
};

/**
 * Finds every place that contains one of these values in plain text. The country is omitted, since other people have it
 * too.
 */
const copiesOf = ({ country: _, ...values }: DeliveryAddress) => world.findCopies(...Object.values(values));

describe('an order with an address', () => {
  test('shows the address to its owner and to operators only', async () => {
    const { customer, deliverTo } = somebody();
    const order = await approved([line(await stocked(1))], { as: { customer }, deliverTo });
    expect(order.deliverTo).toEqual(deliverTo);
    for (const path of [`/orders/${order.orderId}`, `/orders/${order.orderId}?version=1`]) {
      const { body } = await world.call<OrderView>({ method: 'GET', path, as: { customer } });
      expect(body.deliverTo).toEqual(deliverTo);
    }
    expect((await get(order.orderId, 'bob')).status).toBe(404);
    expect((await history(order.orderId))[0]!.data).toMatchObject({ deliverTo });
    const cancelled = await cancel(order.orderId, { as: { customer } as never });
    expect(cancelled.body.deliverTo).toEqual(deliverTo);
  });

  test('an order is listed without the address', async () => {
    const { customer, deliverTo } = somebody();
    const { orderId } = await placed([line(await stocked(1))], { as: { customer }, deliverTo });
    await world.settled(orderId);
    const list = await world.call({ method: 'GET', path: '/orders', as: { customer } });
    expect(list.body).toEqual({ items: [expect.objectContaining({ orderId })] });
    expect(list.text).not.toContain('deliverTo');
  });

  test('replays the answer for the same address, and refuses another address with the same key', async () => {
    const { customer, deliverTo } = somebody();
    const lines = [line(await stocked(5))];
    const placing = { as: { customer }, key: world.fresh('key'), deliverTo };
    const first = await placed(lines, placing);
    const repeat = await post(lines, placing);
    expect(repeat).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(repeat.body).toEqual(first);
    for (const other of [
      { ...placing, deliverTo: { ...deliverTo, city: 'Ulm' } },
      { ...placing, deliverTo: undefined },
    ]) {
      const { deliverTo: address, ...rest } = other;
      const refused = await post(lines, address ? { ...rest, deliverTo: address } : rest);
      expect(refused).toMatchObject({ status: 422, body: { type: 'urn:orderly:problem:key-reused' } });
      expect(refused.text).not.toContain(deliverTo.street);
    }
  });

  test('stores no hash of the address, neither in the order’s id nor elsewhere', async () => {
    const [ada, bob] = [somebody(), somebody()];
    const lines = [line(await stocked(5))];
    const key = world.fresh('key');
    const hashes = [];
    for (const { customer, deliverTo } of [ada, bob]) {
      const { orderId } = await placed(lines, { as: { customer }, key, deliverTo });
      hashes.push((await world.commits('Order', orderId))[0]!.requestHash);
    }
    expect(hashes[0]).toBe(hashes[1]);
    const auto = { as: { customer: ada.customer }, key: 'auto', clientReference: world.fresh('reference') };
    await placed(lines, { ...auto, deliverTo: ada.deliverTo });
    const other = await post(lines, { ...auto, deliverTo: bob.deliverTo });
    expect(other).toMatchObject({ status: 422, body: { type: 'urn:orderly:problem:key-reused' } });
  });

  test('an order is refused if its address has a fault; the answer has its place but not its value', async () => {
    const deliverTo = { ...somebody().deliverTo, country: 'Utopia' };
    const { status, body, text } = await post([line('sku')], { deliverTo });
    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer: '/deliverTo/country' }] } });
    expect(text).not.toContain('Utopia');
  });

  test('an order is exported completely for its person', async () => {
    const { customer, deliverTo } = somebody();
    const sku = await stocked(5);
    const { orderId } = await placed([line(sku)], { as: { customer }, deliverTo });
    const without = await placed([line(sku)], { as: { customer } });
    for (const id of [orderId, without.orderId]) await world.settled(id);
    const ids = [orderId, without.orderId];
    const parts = ['Order', 'CreateOrderSaga', 'PriceCheck', 'Reservation', 'Payment'];
    const subjects = [`Account/${customer}`, ...ids.flatMap((id) => parts.map((part) => `${part}/${id}`))];
    const found = await world.eventually('all of it is exported', async () => {
      const { aggregates } = await world.exported(customer);
      const bySubject = new Map((aggregates as Exported[]).map(({ subject, events }) => [subject, events]));
      expect([...bySubject.keys()].toSorted()).toEqual(subjects.toSorted());
      return bySubject;
    });
    const [placing, approval, ...more] = found.get(`Order/${orderId}`)!;
    expect(more).toEqual([]);
    expect(placing).toMatchObject({ type: 'OrderPlaced', data: { deliverTo }, actor: `customer:${customer}` });
    // Who acted, on whose behalf, and what caused it.
    const { correlationId } = placing!;
    const byService = { correlationId, onBehalfOf: `customer:${customer}` };
    const [started] = found.get(`CreateOrderSaga/${orderId}`)!;
    expect(started).toMatchObject({ type: 'SagaStarted', causationId: placing!.id, ...byService });
    expect(found.get(`Reservation/${orderId}`)).toMatchObject([{ type: 'StockReserved', ...byService }]);
    const answer = found.get(`Payment/${orderId}`)!.find(({ type }) => type === 'SagaReplyRequested');
    expect(approval).toMatchObject({ type: 'OrderApproved', causationId: answer!.id, ...byService });
  });

  test('exports a payment too, without any order and without sealed data', async () => {
    const customer = world.fresh('customer');
    const { body } = await pay(customer, 100, world.uuid(), { clientReference: 'my own' });
    await shows(body.paymentId, { status: 'CHARGED' });
    // Found by an index that is eventually consistent.
    await world.eventually('it is exported', async () =>
      expect((await world.exported(customer)).aggregates).toMatchObject([
        {
          service: 'payments',
          subject: `Payment/${body.paymentId}`,
          events: [
            {
              type: 'PaymentRequested',
              data: { customerId: customer, accountId: customer, clientReference: 'my own' },
            },
            { type: 'PaymentPrepared' },
            { type: 'PaymentCharged' },
          ],
        },
      ]),
    );
  });
});

describe('what a customer writes', () => {
  test("a customer's text is shown to them and to operators, wherever an order is shown", async () => {
    const { customer } = somebody();
    const { clientReference, reason } = ownWords();
    const order = await cancelledBy(customer, { clientReference, reason });
    expect(order).toMatchObject({ status: 'CANCELLED', clientReference, reason });
    for (const as of [{ customer }, 'operator'] as const) {
      expect((await get(order.orderId, as)).body).toEqual(order);
      await listShows(customer, as, order);
      const path = `/orders/${order.orderId}?version=1`;
      const placed = await world.call<OrderView>({ method: 'GET', path, as });
      expect(placed.body).toMatchObject({ status: 'PENDING', clientReference });
      expect(placed.body).not.toHaveProperty('reason');
    }
    const [placing, , cancelling] = await history(order.orderId);
    expect(placing!.data).toMatchObject({ clientReference });
    expect(cancelling!.data).toEqual({ orderId: order.orderId, customerId: customer, reason });
    expect(JSON.stringify([placing, cancelling])).not.toContain('sealed');
    const { aggregates } = await world.exported(customer);
    const own = (aggregates as Exported[]).find(({ subject }) => subject === `Order/${order.orderId}`);
    expect(own!.events.map(({ data }) => data)).toEqual((await history(order.orderId)).map(({ data }) => data));
  });

  test("a customer's text is sealed with one key, together with their address if there is one", async () => {
    const { customer, deliverTo } = somebody();
    const { clientReference, reason } = ownWords();
    const as = { customer };
    const { orderId } = await approved([line(await stocked(1))], { as, deliverTo, clientReference });
    const { body } = await cancel(orderId, { as, body: { reason } });
    expect(body).toMatchObject({ deliverTo, clientReference, reason });
    expect((await get(orderId, as)).body).toEqual(body);
  });

  test("a customer's text is sealed with a key that the cancellation creates, if the order needed none", async () => {
    const [customer, reason] = [world.fresh('person'), world.fresh('reason')];
    const as = { customer };
    const { orderId } = await placed([line(await stocked(1))], { as });
    await world.settled(orderId);
    const { status, body } = await cancel(orderId, { as, body: { reason } });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'CANCELLED', reason } });
    expect((await get(orderId, as)).body.reason).toBe(reason);
  });

  test("a customer's text may be empty, if it is a reference", async () => {
    const { customer } = somebody();
    const { orderId } = await placed([line(await stocked(1))], { as: { customer }, clientReference: '' });
    expect((await get(orderId, { customer })).body.clientReference).toBe('');
  });

  test('leaves no hash of the text under a key, and another text is refused', async () => {
    const lines = [line(await stocked(5))];
    const [key, cancelKey] = [world.fresh('key'), world.fresh('key')];
    const hashes = [];
    for (const { clientReference, reason } of [ownWords(), ownWords()]) {
      const as = { customer: world.fresh('person') };
      const placing = { as, key, clientReference };
      const { orderId } = await placed(lines, placing);
      await cancel(orderId, { as, key: cancelKey, body: { reason } });
      const commits = await world.commits('Order', orderId);
      hashes.push(commits[0]!.requestHash);
      const cancelling = { method: 'POST', path: `/orders/${orderId}/cancellation`, query: {}, body: { reason: true } };
      const ofAny = computeRequestHashes(cancelKey, { ...cancelling, header: undefined, client: '' }).requestHash;
      expect(commits.find(({ events }) => events[0]!.type === 'OrderCancelled')!.requestHash).toBe(ofAny);
      const repeat = await post(lines, placing);
      expect(repeat).toMatchObject({ status: 201, body: { orderId, clientReference } });
      for (const refused of [
        await post(lines, { ...placing, clientReference: world.fresh('other') }),
        await post(lines, { as, key }),
        await cancel(orderId, { as, key: cancelKey, body: { reason: world.fresh('other') } }),
        await cancel(orderId, { as, key: cancelKey }),
      ]) {
        expect(refused).toMatchObject({ status: 422, body: { type: 'urn:orderly:problem:key-reused' } });
        expect(refused.text).not.toMatch(new RegExp(`${clientReference}|${reason}`));
      }
    }
    expect(hashes[0]).toBe(hashes[1]);
  });
});

describe('when a person is forgotten', () => {
  test('their texts are never stored in plain text, and not shown to anyone afterwards', async () => {
    const { customer } = somebody();
    const words = ownWords();
    const { orderId, ...order } = await cancelledBy(customer, words);
    // Failure records keep their messages.
    for (const [at, event] of (await world.events({ aggregate: 'Order', id: orderId })).entries()) {
      if (event.type === 'OrderApproved') continue;
      const broken = { ...event, id: world.uuid(), data: { ...(event.data as object), orderId: '' } };
      await world.send('orders-saga', queued(broken));
      await world.eventually(`message ${at} is recorded as failed`, async () => {
        expect(await world.failures('orders-saga', broken.id)).toHaveLength(1);
      });
    }
    // Proof that the search works: it finds this order everywhere.
    const places = await world.findCopies(orderId);
    expect(places).toEqual(expect.arrayContaining(['TableName', 'log'].map((part) => expect.stringMatching(part))));
    expect(await world.findCopies(...Object.values(words))).toEqual([]);
    await world.forget(customer);
    expect(await world.findCopies(...Object.values(words))).toEqual([]);

    const forgotten = { orderId, ...order, clientReference: FORGOTTEN, reason: FORGOTTEN };
    const shown = await world.call<OrderView>({ method: 'GET', path: `/orders/${orderId}`, as: { customer } });
    expect(shown.body).toEqual(forgotten);
    expect((await history(orderId)).map(({ data }) => data)).toMatchObject([
      { clientReference: FORGOTTEN },
      { orderId },
      { reason: FORGOTTEN },
    ]);
    await listShows(customer, 'operator', forgotten);
    const exported = await world.exported(customer);
    expect(exported).toMatchObject({ personalData: { state: 'forgotten' } });
    for (const text of Object.values(words)) expect(JSON.stringify(exported)).not.toContain(text);
  });

  test.skipIf(!world.makesFaults)(
    `a cancellation that waits for its saga contains no reason ${needsFaults}`,
    async () => {
      const { customer } = somebody();
      const words = ownWords();
      const sku = await stocked(1);
      await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: sku, times: 1000 });
      const as = { customer };
      const { orderId } = await placed([line(sku)], { as, clientReference: words.clientReference });
      await world.faultsMet();
      await cancel(orderId, { as, body: { reason: words.reason } });
      expect(await world.findCopies(orderId)).toContainEqual(expect.stringMatching(/^queue .*Saga/));
      expect(await world.findCopies(...Object.values(words))).toEqual([]);
      await world.heal();
      await world.settled(orderId);
      expect((await get(orderId)).body).toMatchObject({ status: 'CANCELLED', ...words });
    },
  );

  test('they can still cancel: the reason is not stored, and a repeat is a replay', async () => {
    const { customer } = somebody();
    const as = { customer };
    const { reason } = ownWords();
    const { orderId } = await approved([line(await stocked(1))], { as });
    await world.forget(customer);
    const key = world.fresh('key');
    const cancelled = await cancel(orderId, { as, key, body: { reason } });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect(cancelled.body).not.toHaveProperty('reason');
    expect(await cancel(orderId, { as, key, body: { reason } })).toMatchObject({ status: 200, text: cancelled.text });
    await world.settled(orderId);
    expect(await world.findCopies(reason)).toEqual([]);
  });

  test('the reference of a payment was never in plain text, and is not shown any more', async () => {
    const { customer } = somebody();
    const { clientReference } = ownWords();
    const key = world.uuid();
    const { status, body } = await pay(customer, 100, key, { clientReference });
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'PENDING', clientReference } });
    const { paymentId } = body;
    expect((await pay(customer, 100, key, { clientReference })).body).toEqual(body);
    expect(await pay(customer, 100, key, { clientReference: world.fresh('other') })).toMatchObject({
      status: 422,
      body: { type: 'urn:orderly:problem:key-reused' },
    });
    await world.eventually('it is charged', async () =>
      expect(await world.events({ aggregate: 'Payment', id: paymentId, types: ['PaymentCharged'] })).toHaveLength(1),
    );
    expect(await world.findCopies(paymentId)).toContainEqual(expect.stringMatching('Payments TableName'));
    expect(await world.findCopies(clientReference)).toEqual([]);
    await world.forget(customer);
    expect(await world.findCopies(clientReference)).toEqual([]);
    const forgotten = { status: 'CHARGED', clientReference: FORGOTTEN };
    expect((await getPayment(paymentId)).body).toMatchObject(forgotten);
    const given = await giveBack(customer, paymentId, world.uuid(), { amount: eur(40) });
    expect(given).toMatchObject({ status: 201, body: forgotten });
  });

  test('a new payment with a reference is refused, by key and by number; one without is accepted', async () => {
    const { customer } = somebody();
    await world.forget(customer);
    const { clientReference } = ownWords();
    const as = { customer };
    const opened = await world.call<{ sessionId: string }>({ method: 'POST', path: '/payments/sessions', as });
    const numbered = { 'Session-Id': opened.body.sessionId, 'Request-Number': '1' };
    const body = { accountId: customer, amount: eur(100), clientReference };
    for (const refused of [
      await pay(customer, 100, world.uuid(), { clientReference }),
      await world.call({ method: 'POST', path: '/payments', as, body, headers: numbered }),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:person-forgotten' } });
    }
    expect((await pay(customer, 100, world.uuid())).status).toBe(201);
    expect(await world.findCopies(clientReference)).toEqual([]);
  });

  test('a new order with a reference is refused; one without is accepted', async () => {
    const { customer } = somebody();
    const as = { customer };
    await world.forget(customer);
    const lines = [line(await stocked(5))];
    const { clientReference } = ownWords();
    const refused = await post(lines, { as, clientReference });
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:person-forgotten' } });
    expect((await post(lines, { as })).status).toBe(201);
    expect(await world.findCopies(clientReference)).toEqual([]);
  });

  test('their address is in plain text nowhere, neither before nor after', async () => {
    const { customer, deliverTo } = somebody();
    const { orderId } = await approved([line(await stocked(1))], { as: { customer }, deliverTo });
    await world.settled(orderId);
    // A failure record keeps its message.
    const [event] = await world.events({ aggregate: 'Order', id: orderId, types: ['OrderPlaced'] });
    const broken = { ...event!, id: world.uuid(), data: { ...(event!.data as object), lines: [] } };
    await world.send('orders-saga', queued(broken));
    await world.eventually('it is recorded as failed', async () => {
      expect(await world.failures('orders-saga', broken.id)).toHaveLength(1);
    });
    const places = await world.findCopies(orderId);
    expect(places).toEqual(expect.arrayContaining([expect.stringMatching('TableName'), expect.stringMatching('log')]));
    expect(await world.findCopies(broken.id)).toEqual(expect.arrayContaining([expect.stringMatching('RecordsName')]));
    expect(await copiesOf(deliverTo)).toEqual([]);
    await world.forget(customer);
    expect(await copiesOf(deliverTo)).toEqual([]);
  });

  test.skipIf(!world.makesFaults)(
    `a message that waits in its queue does not contain the address ${needsFaults}`,
    async () => {
      const { customer, deliverTo } = somebody();
      const sku = await stocked(1);
      await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: sku, times: 1000 });
      const { orderId } = await placed([line(sku)], { as: { customer }, deliverTo });
      await world.faultsMet();
      expect(await world.findCopies(orderId)).toContainEqual(expect.stringMatching(/^queue .*Saga/));
      expect(await copiesOf(deliverTo)).toEqual([]);
      await world.heal();
      await world.settled(orderId);
    },
  );

  test('their orders stay, without the address', async () => {
    const { customer, deliverTo } = somebody();
    const { orderId, lines } = await placed([line(await stocked(1))], { as: { customer }, deliverTo });
    await world.settled(orderId);
    await world.forget(customer);
    const { status, body } = await get(orderId, { customer });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'APPROVED', deliverTo: FORGOTTEN, lines } });
    expect((await history(orderId))[0]!.data).toMatchObject({ orderId, deliverTo: FORGOTTEN });
    const exported = await world.exported(customer);
    expect(exported).toMatchObject({ personalData: { state: 'forgotten' } });
    expect(JSON.stringify(exported)).toContain(JSON.stringify(FORGOTTEN));
    expect(JSON.stringify(exported)).not.toContain(deliverTo.street);
  });

  test('keys are no longer created: an address is refused, an order without one is accepted', async () => {
    const { customer, deliverTo } = somebody();
    await world.forget(customer);
    const lines = [line(await stocked(5))];
    const refused = await post(lines, { as: { customer }, deliverTo });
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:person-forgotten' } });
    expect((await post(lines, { as: { customer } })).status).toBe(201);
    expect(await world.findCopies(deliverTo.name)).toEqual([]);
  });

  test('functions that have the key in memory stop showing and storing anything at once', async () => {
    const { customer, deliverTo } = somebody();
    const as = { customer };
    const lines = [line(await stocked(5))];
    const { orderId } = await placed(lines, { as, deliverTo, clientReference: deliverTo.name });
    await world.settled(orderId);
    for (const by of [as, 'operator'] as const) expect((await get(orderId, by)).body.deliverTo).toEqual(deliverTo);
    await world.forget(customer);
    for (const by of [as, 'operator'] as const) expect((await get(orderId, by)).body.deliverTo).toEqual(FORGOTTEN);
    const refused = await post(lines, { as, deliverTo });
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:person-forgotten' } });
    expect((await listOf(customer, as)).text).not.toContain(deliverTo.name);
  });

  test('a late duplicate is answered without the address', async () => {
    const { customer, deliverTo } = somebody();
    const lines = [line(await stocked(5))];
    const placing = { as: { customer }, key: world.fresh('key'), deliverTo };
    const { orderId } = await placed(lines, placing);
    await world.settled(orderId);
    await world.forget(customer);
    const repeat = await post(lines, placing);
    expect(repeat).toMatchObject({ status: 201, body: { orderId, version: 1, deliverTo: FORGOTTEN } });
    expect(repeat.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    const another = await post(lines, { as: { customer }, deliverTo });
    expect(another).toMatchObject({ status: 409, body: { type: 'urn:orderly:problem:person-forgotten' } });
  });
});

test.skipIf(!world.makesFaults)(`a failing KMS leaves nothing half done ${needsFaults}`, async () => {
  const { customer, deliverTo } = somebody();
  const lines = [line(await stocked(5))];
  const placing = { as: { customer }, key: world.fresh('key'), deliverTo };
  await world.throttle('orders/place-order', 'GenerateDataKey', { including: customer, times: 20 });
  const failed = await post(lines, placing);
  expect(failed).toMatchObject({ status: 429, body: { type: 'urn:orderly:problem:throttled' } });
  expect(await world.findCopies(customer)).toEqual([]);
  await world.heal();
  const { orderId } = await placed(lines, placing);
  await world.settled(orderId);
  expect((await get(orderId)).body.deliverTo).toEqual(deliverTo);
});
