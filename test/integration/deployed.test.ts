import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { customerWith } from '../acceptance/accounts.js';
import { becomes, cancel, get, line, placed, post, stocked } from '../acceptance/orders.js';
import { givenBack, NOTHING, sagaHas, sagaOf, standingOf, takenOf } from '../acceptance/sagas.js';
import type { ApiAnswer } from '../acceptance/world.js';
import { needsFaults, world } from '../support/world.js';

/**
 * Tests that need a deployment: templates, queues, streams, rules and event source mappings carry an order. The
 * scenarios themselves play in the simulator.
 */

const DECLINED = 40200;
const deliverTo = { name: 'Ada', street: '12 Main St', city: 'London', postalCode: 'SW1Y', country: 'GB' };

const ordered = async (sku: string, quantity = 1, amount = 350) =>
  placed([line(sku, quantity, amount)], { as: { customer: await customerWith(100_000) } });

/** Order of three pieces with an address. It serves the tests that only look at it, or that repeat what it was. */
let shared: {
  readonly order: OrderView;
  readonly answer: ApiAnswer<OrderView>;
  /** Sends the same request again. */
  readonly place: () => Promise<ApiAnswer<OrderView>>;
};
beforeAll(async () => {
  const [lines, customer, key] = [[line(await stocked(10), 3)], await customerWith(100_000), world.fresh('key')];
  const place = () => post(lines, { as: { customer }, key, deliverTo });
  const answer = await place();
  shared = { order: answer.body, answer, place };
});

/** Order whose first command to inventory gets lost. Its saga sends the command again after its timeout. */
let waiting: { readonly orderId: string } | undefined;
beforeAll(async () => {
  if (!world.makesFaults) return;
  const sku = await stocked(1);
  await world.failEntries({ detailType: 'ReserveStock', including: sku }, { errorCode: 'MalformedDetail', times: 1 });
  waiting = await ordered(sku);
  await world.faultsMet();
});
afterEach(() => world.heal());

describe('an order', () => {
  test('an order is approved when each service has done its step', async () => {
    expect(await standingOf(shared.order)).toEqual({ order: 'APPROVED', saga: 'SagaCompleted', ...takenOf(1050, 3) });
  });

  test('an order is rejected and compensated when its payment is declined', async () => {
    const order = await ordered(await stocked(5, DECLINED), 1, DECLINED);
    expect(await standingOf(order)).toEqual({
      order: 'REJECTED PAYMENT_DECLINED',
      saga: 'SagaCompensated',
      ...NOTHING,
    });
  });

  test('releases credit, stock and money when it is cancelled after its approval', async () => {
    const order = await ordered(await stocked(10), 2);
    await becomes(order.orderId, 'APPROVED');
    expect((await cancel(order.orderId, { as: { customer: order.customerId } })).status).toBe(200);
    expect(await standingOf(order)).toEqual({
      order: 'CANCELLED',
      saga: 'SagaCompleted',
      account: { authorized: 0, captured: 700, refunded: 700 },
      reserved: 0,
      money: givenBack(700),
    });
  });

  test('an order that is placed twice with one key is one order, with one answer', async () => {
    const again = await shared.place();
    expect(again).toMatchObject({ status: 201, text: shared.answer.text });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('an order does not change when each of its events arrives a second time', async () => {
    const before = await standingOf(shared.order);
    const events = [
      ...(await world.redeliver({ aggregate: 'Order', id: shared.order.orderId })),
      ...(await world.redeliver({ aggregate: 'CreateOrderSaga', id: shared.order.orderId })),
    ];
    const reserve = events.find(({ type }) => type === 'ReserveStock');
    await world.eventually('the second delivery is recognised', async () =>
      expect(await world.deliveries('inventory-commands', reserve!.id)).toMatchObject({ applied: 1, duplicate: 1 }),
    );
    expect(await standingOf(shared.order)).toEqual(before);
  });

  test('shows its address to its owner, and cipher text to the tables', async () => {
    const { orderId, customerId: customer } = shared.order;
    expect((await get(orderId, { customer })).body).toMatchObject({ deliverTo });
    const [placing] = await world.commits('Order', orderId);
    expect(JSON.stringify(placing)).not.toContain(deliverTo.street);
  });
});

describe('the API', () => {
  test.each(['forged signature', 'expired', 'alg none', 'garbage'] as const)(
    'refuses a token with %s',
    async (fault) => {
      const answer = await world.call({ method: 'GET', path: '/orders', as: { token: world.badToken(fault) } });
      expect(answer).toMatchObject({ status: 401, body: { type: 'urn:orderly:problem:unauthenticated' } });
    },
  );

  test('refuses a request without a token, and a customer on an operator’s route', async () => {
    expect((await world.call({ method: 'GET', path: '/orders', as: 'nobody' })).status).toBe(401);
    expect((await world.call({ method: 'GET', path: '/stock/TEA', as: 'alice' })).status).toBe(403);
  });

  test('shows no customer another customer’s order', async () => {
    expect((await get(shared.order.orderId, 'bob')).status).toBe(404);
  });

  test('answers an unknown route as a problem', async () => {
    const { status, headers } = await world.call({ method: 'GET', path: '/nothing', as: 'alice' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'application/problem+json' });
  });
});

describe.skipIf(!world.makesFaults)(`the deployed app under a fault ${needsFaults}`, () => {
  test('crashes a consumer after its write: it does not write again', async () => {
    const sku = await stocked(10);
    await world.crash('inventory/on-command', 'afterWrite', { including: sku });
    const { orderId } = await ordered(sku, 3);
    await becomes(orderId, 'APPROVED');
    expect(await world.stock(sku)).toMatchObject({ reserved: 3, available: 7 });
    expect(await world.commits('Reservation', orderId)).toHaveLength(1);
  });

  test('a saga without an answer sends its command again when its timeout has passed', async () => {
    const { orderId } = waiting!;
    // A look at its table: for most of a minute there is nothing to see, and a request to the API starts two functions.
    await sagaHas(orderId, 'SagaCompleted');
    await becomes(orderId, 'APPROVED');
    const commands = (await sagaOf(orderId)).filter((type) => type === 'ReserveStock');
    expect(commands).toHaveLength(2);
    expect(await world.commits('Reservation', orderId)).toHaveLength(1);
  });
});
