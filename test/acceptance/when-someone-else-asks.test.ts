import { beforeAll, describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { eur, putLimit } from './accounts.js';
import { priced } from './catalog.js';
import { cancel, get, line, placed, stocked } from './orders.js';
import type { ApiRequest, Caller, ProblemBody, TokenFault } from './world.js';

/** Alice's order and a SKU, which others ask for. */
let orderId = '';
let sku = '';

beforeAll(async () => {
  sku = await stocked(10);
  orderId = (await placed([line(sku)], { as: 'alice' })).orderId;
  await world.settled(orderId);
  expect((await putLimit('alice', eur(100_000))).status).toBe(200);
  await priced(350, sku);
});

interface Route {
  readonly name: string;
  readonly request: () => Omit<ApiRequest, 'as'>;
  /** What each gets: the owner, another customer, an operator. */
  readonly alice: number;
  readonly bob: number;
  readonly operator: number;
}

const keyed = () => ({ key: world.fresh('key') });

/** Every route there is. Cancellation comes last: the order goes with it. */
const ROUTES: readonly Route[] = [
  {
    name: 'POST /orders',
    request: () => ({ method: 'POST', path: '/orders', body: { lines: [line('sku')] }, ...keyed() }),
    alice: 201,
    bob: 201,
    operator: 403,
  },
  { name: 'GET /orders', request: () => ({ method: 'GET', path: '/orders' }), alice: 200, bob: 200, operator: 400 },
  {
    name: 'GET /orders?customerId=alice',
    request: () => ({ method: 'GET', path: '/orders?customerId=alice' }),
    alice: 200,
    bob: 403,
    operator: 200,
  },
  {
    name: 'GET /orders/{id}',
    request: () => ({ method: 'GET', path: `/orders/${orderId}` }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'GET /orders/{id}?version=1',
    request: () => ({ method: 'GET', path: `/orders/${orderId}?version=1` }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'GET /orders/{id}/history',
    request: () => ({ method: 'GET', path: `/orders/${orderId}/history` }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'PUT /stock/{sku}',
    request: () => ({ method: 'PUT', path: `/stock/${sku}`, body: { onHand: 10 } }),
    alice: 403,
    bob: 403,
    operator: 200,
  },
  {
    name: 'GET /stock/{sku}',
    request: () => ({ method: 'GET', path: `/stock/${sku}` }),
    alice: 403,
    bob: 403,
    operator: 200,
  },
  {
    name: 'PUT /accounts/{id}/credit-limit',
    request: () => ({ method: 'PUT', path: '/accounts/alice/credit-limit', body: { creditLimit: eur(100_000) } }),
    alice: 403,
    bob: 403,
    operator: 200,
  },
  {
    name: 'GET /accounts/{id}',
    request: () => ({ method: 'GET', path: '/accounts/alice' }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'GET /accounts/{id}?version=1',
    request: () => ({ method: 'GET', path: '/accounts/alice?version=1' }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'GET /accounts/{id}/history',
    request: () => ({ method: 'GET', path: '/accounts/alice/history' }),
    alice: 200,
    bob: 404,
    operator: 200,
  },
  {
    name: 'GET /accounts?creditExhausted=true',
    request: () => ({ method: 'GET', path: '/accounts?creditExhausted=true' }),
    alice: 403,
    bob: 403,
    operator: 200,
  },
  {
    name: 'PUT /products/{sku}',
    request: () => ({ method: 'PUT', path: `/products/${sku}`, body: { name: 'Tea', unitPrice: eur(350) } }),
    alice: 403,
    bob: 403,
    operator: 200,
  },
  {
    name: 'GET /products/{sku}',
    request: () => ({ method: 'GET', path: `/products/${sku}` }),
    alice: 200,
    bob: 200,
    operator: 200,
  },
  { name: 'GET /products', request: () => ({ method: 'GET', path: '/products' }), alice: 200, bob: 200, operator: 200 },
  {
    name: 'POST /idempotency-keys',
    request: () => ({ method: 'POST', path: '/idempotency-keys' }),
    alice: 201,
    bob: 201,
    operator: 201,
  },
  {
    name: 'POST /sessions',
    request: () => ({ method: 'POST', path: '/sessions' }),
    alice: 201,
    bob: 201,
    operator: 201,
  },
  {
    name: 'POST /payments/sessions',
    request: () => ({ method: 'POST', path: '/payments/sessions' }),
    alice: 201,
    bob: 201,
    operator: 201,
  },
  {
    name: 'POST /orders/{id}/cancellation',
    request: () => ({ method: 'POST', path: `/orders/${orderId}/cancellation`, body: {}, ...keyed() }),
    alice: 200,
    bob: 404,
    operator: 403,
  },
];

const FAULTS: readonly TokenFault[] = [
  'forged signature',
  'changed claims',
  'expired',
  'wrong issuer',
  'wrong audience',
  'alg none',
  'unknown key id',
  'missing role',
  'unknown role',
  'missing subject',
  'an e-mail address for subject',
  'no expiry',
  'an expiry at no time there is',
  'a long life',
  'issued tomorrow',
  'a critical header',
  'garbage',
];

const CODES: Readonly<Record<number, string>> = { 400: 'invalid-request', 403: 'forbidden', 404: 'not-found' };

describe('when someone else asks', () => {
  for (const { name, request } of ROUTES) {
    test(`${name}: nobody is let in without a token that proves who they are`, async () => {
      const callers: [string, Caller][] = [
        ['no token', 'nobody'],
        ...FAULTS.map((fault): [string, Caller] => [fault, { token: world.badToken(fault) }]),
      ];
      for (const [what, as] of callers) {
        const correlationId = world.fresh('asked');
        const headers = { 'X-Correlation-Id': correlationId };
        const answer = await world.call<ProblemBody>({ ...request(), as, headers });
        expect({ what, status: answer.status, type: answer.body.type }).toEqual({
          what,
          status: 401,
          type: 'urn:orderly:problem:unauthenticated',
        });
        expect(answer.headers).toMatchObject({
          'content-type': 'application/problem+json',
          'x-correlation-id': correlationId,
          'www-authenticate': 'Bearer',
        });
      }
    });
  }

  test('a token in another scheme is none', async () => {
    for (const Authorization of ['Basic YWxpY2U6', 'Bearer', 'Bearer ', 'bearer', 'alice']) {
      const { status } = await world.call({ method: 'GET', path: '/orders', as: 'nobody', headers: { Authorization } });
      expect({ Authorization, status }).toEqual({ Authorization, status: 401 });
    }
  });

  for (const { name, request, ...expected } of ROUTES) {
    test(`${name}: owner ${expected.alice}, another customer ${expected.bob}, operator ${expected.operator}`, async () => {
      // The owner last: their cancellation would be seen by the others.
      for (const as of ['bob', 'operator', 'alice'] as const) {
        const { status, body, text } = await world.call<ProblemBody>({ ...request(), as });
        expect({ as, status }).toEqual({ as, status: expected[as] });
        if (status < 400) continue;
        expect(body.type).toBe(`urn:orderly:problem:${CODES[status]}`);
        expect(text).not.toContain(orderId);
      }
    });
  }

  test("another's order and one that doesn't exist look the same", async () => {
    const { status, body } = await world.call<ProblemBody>({ method: 'GET', path: `/orders/${orderId}`, as: 'bob' });
    const none = await world.call<ProblemBody>({ method: 'GET', path: `/orders/${'0'.repeat(32)}`, as: 'bob' });
    expect(none.status).toBe(status);
    expect({ ...none.body, instance: '' }).toEqual({ ...body, instance: '' });
  });

  test("another's list shows only their own, also with a cursor that isn't theirs", async () => {
    const [one, other] = [{ customer: world.fresh('one') }, { customer: world.fresh('other') }];
    for (let count = 0; count < 2; count++) await world.settled((await placed([line('sku')], { as: one })).orderId);
    const mine = await world.call<{ items: object[]; nextCursor?: string }>({
      method: 'GET',
      path: '/orders?limit=1',
      as: one,
    });
    expect(mine.body.nextCursor).toBeDefined();
    const path = `/orders?limit=1&cursor=${mine.body.nextCursor}`;
    expect(await world.call({ method: 'GET', path, as: other })).toMatchObject({ status: 400 });
    expect(await world.call({ method: 'GET', path: '/orders', as: other })).toMatchObject({ body: { items: [] } });
  });

  test("another's refused cancellation changes nothing and uses up no key", async () => {
    const order = await placed([line(sku)], { as: 'alice' });
    await world.settled(order.orderId);
    const key = world.fresh('key');
    expect((await cancel(order.orderId, { as: 'bob', key })).status).toBe(404);
    expect((await get(order.orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect((await cancel(order.orderId, { as: 'alice', key })).body.status).toBe('CANCELLED');
  });

  test('what was refused left the stock as it was', async () => {
    const own = await stocked(4);
    const body = { onHand: 99 };
    for (const as of ['alice', 'nobody', { token: world.badToken('forged signature') }] as const) {
      await world.call({ method: 'PUT', path: `/stock/${own}`, as, body });
    }
    expect(await world.stock(own)).toMatchObject({ onHand: 4, version: 1 });
  });
});
