import { beforeAll, describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { eur, putLimit } from './accounts.js';
import { inBasketsOf } from './baskets.js';
import { priced } from './catalog.js';
import { cancel, get, line, placed, stocked } from './orders.js';
import { chargedPayment } from './payments.js';
import type { ApiRequest, Caller, ProblemBody, TokenFault } from './world.js';

/** Alice's order and payment, and a SKU, for which others ask. */
let orderId = '';
let paymentId = '';
let sku = '';
/** Sessions of alice's, by the paths that open them. */
const sessions = new Map<string, string>();

beforeAll(async () => {
  for (const path of ['/sessions', '/payments/sessions', '/users/sessions']) {
    const { body } = await world.call<{ sessionId: string }>({ method: 'POST', path, as: 'alice' });
    sessions.set(path, body.sessionId);
  }
  sku = await stocked(10);
  orderId = (await placed([line(sku)], { as: 'alice' })).orderId;
  await world.settled(orderId);
  expect((await putLimit('alice', eur(100_000))).status).toBe(200);
  await priced(350, sku);
  await inBasketsOf(sku, 'alice');
  paymentId = await chargedPayment('alice', 4_200);
});

/** Request to a route, and the status of its answer for the owner, for another customer and for an operator. */
interface Row {
  /** Deployed route, such as `GET /orders/{orderId}`. */
  readonly route: string;
  readonly expected: readonly [owner: number, other: number, operator: number];
  /** Query; the parameters of the default belong to alice. @default the route's own */
  readonly query?: string;
  readonly body?: () => object;
  /** Whether the route takes an Idempotency-Key. @default false */
  readonly keyed?: boolean;
}

/**
 * Requests; every deployed route has at least one row. Refund and cancellation come last, since they use up what others
 * read.
 */
const ROWS_OF_ALL: readonly Row[] = [
  { route: 'POST /orders', expected: [201, 201, 403], body: () => ({ lines: [line('sku')] }), keyed: true },
  { route: 'GET /orders', expected: [200, 200, 400] },
  { route: 'GET /orders', expected: [200, 403, 200], query: '?customerId=alice' },
  { route: 'GET /orders', expected: [403, 403, 200], query: '?underReview=true' },
  { route: 'GET /orders/{orderId}', expected: [200, 404, 200] },
  { route: 'GET /orders/{orderId}', expected: [200, 404, 200], query: '?version=1' },
  { route: 'GET /orders/{orderId}/history', expected: [200, 404, 200] },
  { route: 'PUT /orders/{orderId}/review', expected: [403, 403, 409], body: () => ({ decision: 'approve' }) },
  { route: 'PUT /stock/{sku}', expected: [403, 403, 200], body: () => ({ onHand: 10 }) },
  { route: 'GET /stock/{sku}', expected: [403, 403, 200] },
  {
    route: 'PUT /accounts/{customerId}/credit-limit',
    expected: [403, 403, 200],
    body: () => ({ creditLimit: eur(100_000) }),
  },
  { route: 'PUT /accounts/{customerId}/status', expected: [403, 403, 200], body: () => ({ status: 'OPEN' }) },
  {
    route: 'POST /accounts/{customerId}/bonus',
    expected: [403, 403, 201],
    body: () => ({ points: 100, reason: 'a late parcel' }),
    keyed: true,
  },
  { route: 'GET /accounts/{customerId}', expected: [200, 404, 200] },
  { route: 'GET /accounts/{customerId}', expected: [200, 404, 200], query: '?version=1' },
  { route: 'GET /accounts/{customerId}/history', expected: [200, 404, 200] },
  { route: 'GET /accounts', expected: [403, 403, 200], query: '?creditExhausted=true' },
  { route: 'GET /rewards/me', expected: [200, 200, 403] },
  { route: 'GET /rewards/{customerId}', expected: [403, 403, 200] },
  { route: 'PUT /products/{sku}', expected: [403, 403, 200], body: () => ({ name: 'Tea', unitPrice: eur(350) }) },
  { route: 'GET /products/{sku}', expected: [200, 200, 200] },
  { route: 'GET /products', expected: [200, 200, 200] },
  // A basket has no id: everybody asks for their own.
  { route: 'GET /reports/daily', expected: [403, 403, 200] },
  // A day that no world has reached.
  { route: 'GET /reports/daily/{date}', expected: [403, 403, 404] },
  { route: 'GET /operations/status', expected: [403, 403, 200] },
  { route: 'GET /operations/failures', expected: [403, 403, 200] },
  { route: 'GET /operations/audit', expected: [403, 403, 200], query: '?since=1h' },
  { route: 'GET /operations/orders', expected: [403, 403, 200] },
  { route: 'GET /operations/trace/{id}', expected: [403, 403, 200] },
  { route: 'GET /operations/audit-log', expected: [403, 403, 200] },
  { route: 'GET /basket', expected: [200, 200, 403] },
  { route: 'PUT /basket/items/{sku}', expected: [200, 200, 403], body: () => ({ quantity: 1 }) },
  { route: 'PUT /basket/seen', expected: [200, 200, 403] },
  { route: 'POST /basket/checkout', expected: [202, 202, 403], keyed: true },
  { route: 'DELETE /basket/items/{sku}', expected: [200, 200, 403] },
  { route: 'POST /idempotency-keys', expected: [201, 201, 201] },
  { route: 'POST /sessions', expected: [201, 201, 201] },
  { route: 'POST /payments/sessions', expected: [201, 201, 201] },
  { route: 'POST /users/sessions', expected: [201, 201, 201] },
  { route: 'GET /sessions/{sessionId}', expected: [200, 404, 404] },
  { route: 'GET /payments/sessions/{sessionId}', expected: [200, 404, 404] },
  { route: 'GET /users/sessions/{sessionId}', expected: [200, 404, 404] },
  { route: 'GET /users/me', expected: [200, 200, 403] },
  { route: 'PATCH /users/me', expected: [200, 200, 403], body: () => ({ name: 'Ada' }), keyed: true },
  // An unknown parameter: alice and bob must not be forgotten here.
  { route: 'DELETE /users/me', expected: [400, 400, 403], query: '?unknown=1', keyed: true },
  { route: 'GET /users/{userId}', expected: [403, 403, 200] },
  { route: 'PUT /users/{userId}/status', expected: [403, 403, 200], body: () => ({ status: 'ACTIVE' }) },
  {
    route: 'POST /payments',
    expected: [201, 404, 403],
    body: () => ({ accountId: 'alice', amount: eur(4_200) }),
    keyed: true,
  },
  { route: 'GET /payments/{paymentId}', expected: [200, 404, 200] },
  {
    route: 'POST /payments/{paymentId}/refund',
    expected: [201, 404, 201],
    body: () => ({ amount: eur(10) }),
    keyed: true,
  },
  { route: 'POST /orders/{orderId}/cancellation', expected: [200, 404, 200], body: () => ({}), keyed: true },
  // It is cancelled by then.
  { route: 'POST /orders/{orderId}/dispatch', expected: [403, 403, 409], keyed: true },
];

/** Requests to routes that a setting adds. Nobody has a webhook of these ids. */
const ROWS_OF_WEBHOOKS: readonly Row[] = [
  { route: 'GET /webhooks', expected: [403, 403, 200] },
  { route: 'GET /webhooks/{webhookId}', expected: [403, 403, 404] },
  { route: 'DELETE /webhooks/{webhookId}', expected: [403, 403, 404], keyed: true },
  { route: 'POST /webhooks/{webhookId}/secret-rotation', expected: [403, 403, 404], keyed: true },
  { route: 'POST /webhooks/{webhookId}/activation', expected: [403, 403, 404], keyed: true },
  { route: 'GET /webhooks/{webhookId}/deliveries', expected: [403, 403, 404] },
  {
    route: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redelivery',
    expected: [403, 403, 404],
    keyed: true,
  },
  {
    route: 'POST /webhooks',
    expected: [403, 403, 201],
    body: () => ({ url: 'https://shop.example.com/hooks', events: ['OrderApproved'] }),
    keyed: true,
  },
];

/** Routes that need no token. */
const PUBLIC = ['GET /openapi.json'];
const ROUTES = (await world.routes()).filter((route) => !PUBLIC.includes(route));
const ROWS = [...ROWS_OF_ALL, ...(ROUTES.includes('POST /webhooks') ? ROWS_OF_WEBHOOKS : [])];

/** Fills in the parameters of a row. @throws {Error} if a parameter of the path has no value here */
function requestOf({ route, query = '', body, keyed = false }: Row): Omit<ApiRequest, 'as'> {
  const [method, resource = ''] = route.split(' ');
  const values: Readonly<Record<string, string>> = {
    orderId,
    paymentId,
    sku,
    customerId: 'alice',
    userId: 'alice',
    date: '2999-12-31',
    id: orderId,
    webhookId: '0'.repeat(32),
    deliveryId: '0'.repeat(32),
    sessionId: sessions.get(resource.replace('/{sessionId}', '')) ?? '',
  };
  const path = resource.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (!value) throw new Error(`${route}: there is no ${name} of alice's`);
    return value;
  });
  const key = keyed ? { key: world.fresh('key') } : {};
  return { method: method as ApiRequest['method'], path: path + query, ...(body && { body: body() }), ...key };
}

const FAULTS: readonly TokenFault[] = [
  'forged signature',
  'changed claims',
  'expired',
  'wrong issuer',
  'wrong audience',
  'alg none',
  'signed by the public key',
  'missing key id',
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

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid-request',
  403: 'forbidden',
  404: 'not-found',
  409: 'not-under-review',
};
/** Codes of single routes, where they differ. */
const CODES_OF: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'GET /reports/daily/{date}': { 404: 'not-closed-yet' },
  'POST /orders/{orderId}/dispatch': { 409: 'not-approved' },
  'POST /payments/{paymentId}/refund': { 409: 'not-refundable' },
};

describe('when someone else asks', () => {
  test('each row is of a route that is deployed', () => {
    expect(ROWS.map(({ route }) => route).filter((route) => !ROUTES.includes(route))).toEqual([]);
  });

  describe.each(ROUTES)('%s', (route) => {
    const rows = ROWS.filter((row) => row.route === route);

    test('the route has a row with the status for each caller', () =>
      expect(rows, `add a row to ROWS for ${route}`).not.toEqual([]));

    test('refuses every request without a valid token', async () => {
      const callers: [string, Caller][] = [
        ['no token', 'nobody'],
        ...FAULTS.map((fault): [string, Caller] => [fault, { token: world.badToken(fault) }]),
      ];
      for (const [what, as] of callers) {
        const correlationId = world.fresh('asked');
        const headers = { 'X-Correlation-Id': correlationId };
        const [row = { route, expected: [401, 401, 401] }] = rows;
        const answer = await world.call<ProblemBody>({ ...requestOf(row), as, headers });
        expect({ what, status: answer.status, type: answer.body.type }).toEqual({
          what,
          status: 401,
          type: 'urn:orderly:problem:unauthenticated',
        });
        expect(answer.headers).toMatchObject({
          'content-type': 'application/problem+json',
          // Without a token the gateway answers by itself, and knows its own id of the request only.
          'x-correlation-id': as === 'nobody' ? expect.stringMatching(/./) : correlationId,
          'www-authenticate': 'Bearer',
        });
      }
    });
  });

  test('a token with another scheme is not accepted', async () => {
    for (const Authorization of ['Basic YWxpY2U6', 'Bearer', 'Bearer ', 'bearer', 'alice']) {
      const { status } = await world.call({ method: 'GET', path: '/orders', as: 'nobody', headers: { Authorization } });
      expect({ Authorization, status }).toEqual({ Authorization, status: 401 });
    }
  });

  test.each([
    ['expired', /It expired \d+ seconds ago: at \S+, and the clock of the API says \S+\./],
    ['wrong audience', /It is for another audience\./],
    ['wrong issuer', /It is from another issuer\./],
    ['forged signature', /Its signature is not that of its issuer\./],
  ] as const)('the answer to a token that is %s says why', async (fault, reason) => {
    const as = { token: world.badToken(fault) };
    const { status, body } = await world.call<ProblemBody>({ method: 'GET', path: '/orders', as });
    expect(status).toBe(401);
    expect(body.detail).toMatch(reason);
  });

  for (const row of ROWS) {
    const { route, query = '' } = row;
    const [alice, bob, operator] = row.expected;
    const codes = { ...CODES, ...CODES_OF[route] };
    test(`${route}${query}: owner ${alice}, another customer ${bob}, operator ${operator}`, async () => {
      // The owner is last, since the others would see their cancellation.
      for (const [as, expected] of [
        ['bob', bob] as const,
        ['operator', operator] as const,
        ['alice', alice] as const,
      ]) {
        const { status, body, text } = await world.call<ProblemBody>({ ...requestOf(row), as });
        expect({ as, status }).toEqual({ as, status: expected });
        if (status < 400) continue;
        expect(body.type).toBe(`urn:orderly:problem:${codes[status]}`);
        for (const id of [orderId, paymentId]) expect(text).not.toContain(id);
      }
    });
  }

  test("another's order and one that doesn't exist look the same", async () => {
    const { status, body } = await world.call<ProblemBody>({ method: 'GET', path: `/orders/${orderId}`, as: 'bob' });
    const none = await world.call<ProblemBody>({ method: 'GET', path: `/orders/${'0'.repeat(32)}`, as: 'bob' });
    expect(none.status).toBe(status);
    expect({ ...none.body, instance: '' }).toEqual({ ...body, instance: '' });
  });

  test("a list shows only the caller's own orders, and refuses another caller's cursor", async () => {
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

  test("a refused cancellation of another's order changes nothing and uses up no key", async () => {
    const order = await placed([line(sku)], { as: 'alice' });
    await world.settled(order.orderId);
    const key = world.fresh('key');
    expect((await cancel(order.orderId, { as: 'bob', key })).status).toBe(404);
    expect((await get(order.orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect((await cancel(order.orderId, { as: 'alice', key })).body.status).toBe('CANCELLED');
  });

  test('refused requests have not changed the stock', async () => {
    const own = await stocked(4);
    const body = { onHand: 99 };
    for (const as of ['alice', 'nobody', { token: world.badToken('forged signature') }] as const) {
      await world.call({ method: 'PUT', path: `/stock/${own}`, as, body });
    }
    expect(await world.stock(own)).toMatchObject({ onHand: 4, version: 1 });
  });
});
