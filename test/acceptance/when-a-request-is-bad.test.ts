import { describe, expect, test } from 'vitest';
import { encodeCursor } from '../../packages/kit/http/paging.js';
import { world } from '../support/world.js';
import { get, line, placed, stocked } from './orders.js';
import type { ApiAnswer, ApiRequest, ProblemBody } from './world.js';

/** Expects a problem: its shape, its headers, and no internal details. */
function expectProblem({ status, headers, body, text }: ApiAnswer<ProblemBody>, wanted: number, code: string): void {
  expect({ status, type: body?.type, text: status === wanted ? '' : text }).toEqual({
    status: wanted,
    type: `urn:orderly:problem:${code}`,
    text: '',
  });
  expect(body).toMatchObject({
    title: expect.any(String),
    status: wanted,
    detail: expect.any(String),
    instance: expect.stringMatching(/^urn:orderly:request:[0-9a-f-]+$/),
  });
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers['x-correlation-id']).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
  });
  expect(text).not.toMatch(/Table|Records-|arn:|dynamodb|Exception|at .*\.[jt]s|node_modules|stack/i);
}

const ask = (request: Omit<ApiRequest, 'as'> & Partial<Pick<ApiRequest, 'as'>>) =>
  world.call<ProblemBody>({ as: 'alice', ...request });
const place = (body: unknown, more: Partial<ApiRequest> = {}) =>
  ask({ method: 'POST', path: '/orders', body, key: world.fresh('key'), ...more });

const good = line('sku-1');
const price = (amount: unknown, currency: unknown = 'EUR') => ({ amount, currency });

describe('when an order is bad', () => {
  const FAULTS: readonly [what: string, body: unknown, pointers: readonly string[]][] = [
    ['empty object', {}, ['/lines']],
    ['array', [], ['']],
    ['null', 'null', ['']],
    ['text', '"order"', ['']],
    ['no lines', { lines: [] }, ['/lines']],
    ['51 lines', { lines: Array.from({ length: 51 }, (_, at) => line(`sku-${at}`)) }, ['/lines']],
    ['lines that are none', { lines: 'all' }, ['/lines']],
    ['unknown field', { lines: [good], coupon: 'FREE' }, ['/coupon']],
    ['unknown field in a line', { lines: [{ ...good, colour: 'red' }] }, ['/lines/0/colour']],
    [
      'unknown field in a price',
      { lines: [{ ...good, unitPrice: { ...price(1), vat: 7 } }] },
      ['/lines/0/unitPrice/vat'],
    ],
    ['field with a slash and a tilde', { lines: [good], 'a/b~c': 1 }, ['/a~1b~0c']],
    ['__proto__', '{"lines":[],"__proto__":{"x":1}}', ['/lines', '/__proto__']],
    ['SKU twice', { lines: [good, line('sku-2'), good] }, ['/lines/2/sku']],
    ['SKU with a space', { lines: [line('a b')] }, ['/lines/0/sku']],
    ['SKU with a #', { lines: [line('a#b')] }, ['/lines/0/sku']],
    ['empty SKU', { lines: [line('')] }, ['/lines/0/sku']],
    ['SKU of 65', { lines: [line('x'.repeat(65))] }, ['/lines/0/sku']],
    ['quantity 0', { lines: [line('a', 0)] }, ['/lines/0/quantity']],
    ['quantity -1', { lines: [line('a', -1)] }, ['/lines/0/quantity']],
    ['quantity 10001', { lines: [line('a', 10_001)] }, ['/lines/0/quantity']],
    ['quantity 1.5', { lines: [line('a', 1.5)] }, ['/lines/0/quantity']],
    ['quantity as text', { lines: [{ ...good, quantity: '1' }] }, ['/lines/0/quantity']],
    [
      'quantity 1e400',
      '{"lines":[{"sku":"a","quantity":1e400,"unitPrice":{"amount":1,"currency":"EUR"}}]}',
      ['/lines/0/quantity'],
    ],
    ['amount -1', { lines: [{ ...good, unitPrice: price(-1) }] }, ['/lines/0/unitPrice/amount']],
    ['amount 0.5', { lines: [{ ...good, unitPrice: price(0.5) }] }, ['/lines/0/unitPrice/amount']],
    ['amount above 10^12', { lines: [{ ...good, unitPrice: price(1e12 + 1) }] }, ['/lines/0/unitPrice/amount']],
    ['currency eur', { lines: [{ ...good, unitPrice: price(1, 'eur') }] }, ['/lines/0/unitPrice/currency']],
    ['currency XXQ', { lines: [{ ...good, unitPrice: price(1, 'EURO') }] }, ['/lines/0/unitPrice/currency']],
    [
      'two currencies',
      { lines: [good, { ...line('b'), unitPrice: price(1, 'USD') }] },
      ['/lines/1/unitPrice/currency'],
    ],
    ['a SKU that no path can have', { lines: [line('..')] }, ['/lines/0/sku']],
    ['a total that no card can be charged', { lines: [line('a', 1, 49)] }, ['/lines']],
    ['a total of nine digits', { lines: [line('a', 1, 100_000_000)] }, ['/lines']],
    ['a currency that is never charged', { lines: [{ ...good, unitPrice: price(1_000, 'ISK') }] }, ['/lines']],
    ['a total above 2^53-1', { lines: [line('a', 9_999, 1e12)] }, ['/lines']],
    ['clientReference of 65', { lines: [good], clientReference: 'x'.repeat(65) }, ['/clientReference']],
    ['clientReference null', { lines: [good], clientReference: null }, ['/clientReference']],
    [
      'many faults at once',
      { lines: [{ sku: '?', quantity: 0, unitPrice: price('1') }], extra: 1 },
      ['/lines/0/sku', '/lines/0/quantity', '/lines/0/unitPrice/amount', '/extra'],
    ],
  ];
  for (const [what, body, pointers] of FAULTS) {
    test(`${what}: 400 with a pointer to each fault`, async () => {
      const answer = await place(body);
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([...pointers].toSorted());
      for (const { detail } of answer.body.errors ?? []) expect(detail).not.toBe('');
    });
  }

  test('a body that is not JSON is 400, and so is an empty one', async () => {
    for (const body of ['{', 'lines=1', '{"lines":[}', '\u0000', '']) {
      expectProblem(await place(body), 400, 'invalid-request');
    }
  });

  test('a repeated member is 400 with a pointer to it, whatever its value', async () => {
    const lines = JSON.stringify([good]);
    for (const [body, pointer] of [
      [`{"lines":[],"lines":${lines}}`, '/lines'],
      [`{"lines":${lines},"l\\u0069nes":${lines}}`, '/lines'],
      [`{"lines":[${JSON.stringify(good).replace('{', '{"quantity":1,')}]}`, '/lines/0/quantity'],
    ] as const) {
      const answer = await place(body);
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toEqual([{ pointer, detail: 'given more than once' }]);
    }
  });

  test('a body with another media type is 415', async () => {
    const answer = await place({ lines: [good] }, { headers: { 'Content-Type': 'text/plain' } });
    expectProblem(answer, 415, 'unsupported-media-type');
    expect(answer.body.errors).toMatchObject([{ header: 'Content-Type' }]);
  });

  test('the answer lists 20 of thousands of faults', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`u${at}`, 0]));
    const answer = await place({ lines: [good], ...many });
    expectProblem(answer, 400, 'invalid-request');
    expect(answer.body.errors).toHaveLength(20);
    expect(answer.body.detail).toContain('5000 faults, 20 are listed in errors, and 4980 more are not');
  });

  test('a body over 64 KB is 413; one just below is read', async () => {
    const padded = (bytes: number) => {
      const empty = JSON.stringify({ lines: [good], pad: '' });
      return JSON.stringify({ lines: [good], pad: 'x'.repeat(bytes - empty.length) });
    };
    expectProblem(await place(padded(64 * 1024 + 1)), 413, 'too-large');
    expectProblem(await place(padded(1024 * 1024)), 413, 'too-large');
    const read = await place(padded(64 * 1024));
    expectProblem(read, 400, 'invalid-request');
    expect(read.body.errors).toMatchObject([{ pointer: '/pad' }]);
  });

  test('the limit counts bytes, not characters', async () => {
    expectProblem(await place(JSON.stringify({ pad: '€'.repeat(50_000) })), 413, 'too-large');
  });

  test('an order at all limits is accepted', async () => {
    const body = {
      lines: [{ sku: 'x'.repeat(64), quantity: 10_000, unitPrice: price(9_999) }],
      clientReference: 'é'.repeat(64),
    };
    const { status, body: order } = await world.call({
      method: 'POST',
      path: '/orders',
      as: 'alice',
      key: world.fresh('key'),
      body,
    });
    expect(status).toBe(201);
    expect(order).toMatchObject({ ...body, total: { amount: 99_990_000, currency: 'EUR' } });
    expect((await place({ lines: [{ ...good, unitPrice: price(0) }] })).status).toBe(201);
  });
});

describe('when a key is bad', () => {
  test('a missing key is 400 key-missing', async () => {
    const answer = await ask({ method: 'POST', path: '/orders', body: { lines: [good] } });
    expectProblem(answer, 400, 'key-missing');
    expect(answer.body.errors).toMatchObject([{ header: 'Idempotency-Key' }]);
    const cancelled = await ask({ method: 'POST', path: `/orders/${'0'.repeat(32)}/cancellation`, body: {} });
    expectProblem(cancelled, 400, 'key-missing');
  });

  test('a malformed key is 400', async () => {
    for (const key of ['two words', 'x'.repeat(256), 'caf\u00e9', 'tab\there']) {
      const answer = await place({ lines: [good] }, { key });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ header: 'Idempotency-Key' }]);
    }
  });

  test('a key at its limits is accepted', async () => {
    const unique = world.fresh('');
    for (const key of [`!"#$%&'()*+,-./:;<=>?@[]^_\`{|}~${unique}`, unique.padEnd(255, 'x')]) {
      expect((await place({ lines: [good] }, { key })).status).toBe(201);
    }
  });

  test('auto without a clientReference is 400 with a pointer to it', async () => {
    const answer = await place({ lines: [good] }, { key: 'auto' });
    expectProblem(answer, 400, 'invalid-request');
    expect(answer.body.errors).toMatchObject([{ pointer: '/clientReference' }]);
  });

  test('a key that is reused for another body is 422', async () => {
    const key = world.fresh('key');
    await placed([good], { key });
    expectProblem(await place({ lines: [line('sku-2')] }, { key }), 422, 'key-reused');
    expectProblem(await place({ lines: [good], clientReference: 'x' }, { key }), 422, 'key-reused');
  });

  test("an expired issued key is refused at first use; one that only looks issued is the client's own", async () => {
    // UUIDv7 of a day and a minute ago. Nothing of it is stored; only its own time counts.
    const then = Date.parse(world.time(24 * 3600 + 60))
      .toString(16)
      .padStart(12, '0');
    const tail = `7abc-8abc-${world.uuid().slice(-12)}`;
    const key = `ord_${then.slice(0, 8)}-${then.slice(8)}-${tail}`;
    expectProblem(await place({ lines: [good] }, { key }), 422, 'key-expired');
    const unknown = `ord_${'x'.repeat(36)}${world.fresh('')}`;
    expect((await place({ lines: [good] }, { key: unknown })).status).toBe(201);
  });
});

describe('when a query is bad', () => {
  const bad = async (path: string, parameter: string, as: 'alice' | 'operator' = 'alice') => {
    const answer = await ask({ method: 'GET', path, as });
    expectProblem(answer, 400, 'invalid-request');
    expect({ path, at: answer.body.errors?.map((error) => error.parameter) }).toEqual({ path, at: [parameter] });
  };

  test('a limit outside of 1 to 100, an unknown parameter and a repeated one are 400', async () => {
    const { orderId } = await placed([good]);
    for (const list of ['/orders', `/orders/${orderId}/history`]) {
      for (const limit of ['0', '101', 'abc', '-1', '1.5', '', '1e1', '%20', '00001'])
        await bad(`${list}?limit=${limit}`, 'limit');
      await bad(`${list}?colour=red`, 'colour');
      await bad(`${list}?limit=1&limit=2`, 'limit');
      await bad(`${list}?cursor=`, 'cursor');
      await bad(`${list}?cursor=${'x'.repeat(1025)}`, 'cursor');
    }
    await bad(`/orders/${orderId}?colour=red`, 'colour');
    await bad('/orders', 'customerId', 'operator');
    await bad('/orders?customerId=', 'customerId', 'operator');
    await bad('/orders?customerId=a%23b', 'customerId', 'operator');
  });

  test('`at` and `version` are 400 together, and each if malformed', async () => {
    const { orderId, placedAt } = await placed([good]);
    await bad(`/orders/${orderId}?at=${placedAt}&version=1`, 'version');
    for (const version of ['-1', 'one', '1.0', '', '1234567890123456'])
      await bad(`/orders/${orderId}?version=${version}`, 'version');
    for (const at of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', '', '1700000000']) {
      await bad(`/orders/${orderId}?at=${at}`, 'at');
    }
  });

  test('a changed cursor, or one of another list, is 400', async () => {
    const customer = { customer: world.fresh('customer') };
    const orders = [await placed([good], { as: customer }), await placed([good], { as: customer })];
    for (const { orderId } of orders) await world.settled(orderId);
    const first = await world.call<{ nextCursor: string }>({ method: 'GET', path: '/orders?limit=1', as: customer });
    const ofHistory = await world.call<{ nextCursor: string }>({
      method: 'GET',
      path: `/orders/${orders[0]!.orderId}/history?limit=1`,
      as: customer,
    });
    const { nextCursor } = first.body;
    const middle = Math.floor(nextCursor.length / 2);
    const changed = nextCursor[middle] === 'A' ? 'B' : 'A';
    const cursors = [
      nextCursor.slice(0, middle) + changed + nextCursor.slice(middle + 1),
      nextCursor.slice(0, -1),
      `${nextCursor}A`,
      `${nextCursor}=`,
      'bm9uc2Vuc2U',
      '%F0%9F%8D%B5',
      Buffer.from(JSON.stringify({ pk: 'CUSTOMER#bob' })).toString('base64url'),
      ofHistory.body.nextCursor,
      // Forged by someone who knows the format: for another customer, and in another form.
      encodeCursor('orders of bob', '2026'),
      encodeCursor(`orders of ${customer.customer}`, { pk: 'CUSTOMER#bob' }),
    ];
    for (const cursor of cursors) {
      const answer = await ask({ method: 'GET', path: `/orders?limit=1&cursor=${cursor}`, as: customer });
      expect({ cursor, status: answer.status }).toEqual({ cursor, status: 400 });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ parameter: 'cursor' }]);
    }
    const other = `/orders/${orders[1]!.orderId}/history?cursor=${ofHistory.body.nextCursor}`;
    expectProblem(await ask({ method: 'GET', path: other, as: customer }), 400, 'invalid-request');
    const history = `/orders/${orders[0]!.orderId}/history`;
    for (const position of [
      { commit: 99_999_999_999_999, shown: 0 },
      { commit: 0, shown: 0 },
      { commit: 1 },
      7,
      null,
    ]) {
      const cursor = encodeCursor(`history of ${orders[0]!.orderId}`, position);
      const answer = await ask({ method: 'GET', path: `${history}?cursor=${cursor}`, as: customer });
      expectProblem(answer, 400, 'invalid-request');
    }
    // One more per list, which DynamoDB itself would refuse.
    for (const [path, list, as] of [
      ['/orders?', `orders of ${customer.customer}`, customer],
      ['/products?', 'products', customer],
      ['/accounts?creditExhausted=true&', 'accounts without credit', 'operator'],
    ] as const) {
      const answer = await ask({ method: 'GET', path: `${path}cursor=${encodeCursor(list, '')}`, as });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ parameter: 'cursor' }]);
    }
    // The unchanged cursor is valid.
    expect((await ask({ method: 'GET', path: `/orders?limit=1&cursor=${nextCursor}`, as: customer })).status).toBe(200);
  });
});

describe('when a stock or a cancellation is bad', () => {
  test('a malformed body or SKU is 400 with its faults', async () => {
    const put = (sku: string, body: unknown, headers = {}) =>
      ask({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body, headers });
    for (const onHand of [-1, 0.5, 1e9 + 1, '1', null, undefined]) {
      const answer = await put('sku', { onHand });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ pointer: '/onHand' }]);
    }
    expect((await put('sku', { onHand: 1, reserved: 0 })).body.errors).toMatchObject([{ pointer: '/reserved' }]);
    for (const sku of ['a%20b', 'a%23b', 'x'.repeat(65), '%C3%A9']) {
      const answer = await put(sku, { onHand: 1 });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ parameter: 'sku' }]);
      expectProblem(await ask({ method: 'GET', path: `/stock/${sku}`, as: 'operator' }), 400, 'invalid-request');
    }
    for (const match of ['one', '*', '-1', 'W/"1"', '', '"1', '1"', '01', '"01"']) {
      const answer = await put('sku', { onHand: 1 }, { 'If-Match': match });
      expectProblem(answer, 400, 'invalid-request');
      expect(answer.body.errors).toMatchObject([{ header: 'If-Match' }]);
    }
  });

  test('a reason is 1 to 200 characters', async () => {
    const sku = await stocked(1);
    const { orderId } = await placed([line(sku)]);
    const path = `/orders/${orderId}/cancellation`;
    for (const body of [
      { reason: '' },
      { reason: 'x'.repeat(201) },
      { reason: 7 },
      { reason: null },
      { why: 'x' },
      [],
    ]) {
      const answer = await ask({ method: 'POST', path, body, key: world.fresh('key') });
      expectProblem(answer, 400, 'invalid-request');
    }
    expect((await get(orderId)).body.status).not.toBe('CANCELLED');
  });

  test('a missing resource is 404', async () => {
    for (const id of ['0'.repeat(32), 'nonsense', '..', '%2e%2e%2f', "'; DROP TABLE", 'x'.repeat(500)]) {
      const path = `/orders/${encodeURIComponent(id)}`;
      expectProblem(await ask({ method: 'GET', path }), 404, 'not-found');
      expectProblem(await ask({ method: 'GET', path: `${path}/history` }), 404, 'not-found');
      const cancelling = { method: 'POST', path: `${path}/cancellation`, body: {}, key: world.fresh('key') } as const;
      expectProblem(await ask(cancelling), 404, 'not-found');
    }
    expectProblem(await ask({ method: 'GET', path: `/stock/${world.fresh('sku')}`, as: 'operator' }), 404, 'not-found');
  });
});

describe('every answer', () => {
  test('an answer of the gateway itself is a problem, too', async () => {
    for (const as of ['alice', 'nobody'] as const) {
      expectProblem(await ask({ method: 'GET', path: '/nothing', as }), 404, 'not-found');
      for (const [method, path, allow] of [
        ['DELETE', '/orders', 'GET, POST'],
        ['POST', '/stock/sku', 'GET, PUT'],
        ['GET', '/payments/sessions', 'POST'],
      ] as const) {
        const answer = await ask({ method, path, as });
        expectProblem(answer, 405, 'method-not-allowed');
        expect(answer.headers.allow).toBe(allow);
      }
    }
    expectProblem(await ask({ method: 'GET', path: '/orders', as: 'nobody' }), 401, 'unauthenticated');
  });

  test("carries the caller's own correlation id, as do all resulting events", async () => {
    const sku = await stocked(1);
    const correlationId = world.fresh('My_Own.Id');
    const headers = { 'X-Correlation-Id': correlationId };
    const request = { method: 'POST', path: '/orders', as: 'alice', key: world.fresh('key'), headers } as const;
    const answer = await world.call<{ orderId: string }>({ ...request, body: { lines: [line(sku)] } });
    expect(answer.headers['x-correlation-id']).toBe(correlationId);
    const bad = await ask({ ...request, body: {} });
    expect(bad.headers['x-correlation-id']).toBe(correlationId);
    await world.settled(answer.body.orderId);
    for (const aggregate of ['Order', 'Reservation'] as const) {
      for (const event of await world.events({ aggregate, id: answer.body.orderId })) {
        expect(event.correlationid).toBe(correlationId);
      }
    }
  });

  test('an answer has a new correlation id if the caller sent a malformed one', async () => {
    for (const sent of ['with space', 'x'.repeat(65), '<script>', '']) {
      const { headers } = await ask({ method: 'GET', path: '/orders', headers: { 'X-Correlation-Id': sent } });
      expect(headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('answers must not be stored by any cache', async () => {
    const { headers } = await ask({ method: 'GET', path: '/orders' });
    expect(headers['cache-control']).toBe('no-store');
  });
});
