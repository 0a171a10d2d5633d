import { buildSync } from 'esbuild';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  type ClientOptions,
  type DailyReportView,
  isProblemOf,
  NoAnswer,
  type OrderlyClient,
  OrderlyProblem,
  OrderPending,
  type OrderView,
  orderlyClient,
  type RewardEntryView,
} from '../../packages/client/index.js';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
type Reply = Response | Error | ((sent: Sent, init: RequestInit) => Response | Promise<Response>);

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
const problem = (code: string, status: number, headers: Record<string, string> = {}, more: object = {}) =>
  json({ type: `urn:orderly:problem:${code}`, title: code, status, detail: `it is ${code}`, ...more }, status, {
    'Content-Type': 'application/problem+json',
    ...headers,
  });

/** A client whose requests get these replies, one after the other, and which waits no time. */
function clientWith(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const left = [...replies];
  const client = orderlyClient({
    baseUrl: 'https://api.test/v1/',
    token: 'secret',
    fetch: async (url, init) => {
      const { method = '', headers, body } = init;
      const request = { method, url, headers: headers as Sent['headers'], body: body && JSON.parse(String(body)) };
      sent.push(request);
      const reply = left.shift();
      if (reply === undefined) throw new Error('no reply is left');
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? reply(request, init) : reply;
    },
    wait: async (milliseconds, signal) => {
      waits.push(milliseconds);
      signal?.throwIfAborted();
    },
    ...options,
  });
  return { client, sent, waits };
}

const ORDER = { orderId: '7', status: 'PENDING' };
const BODY = { lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] };
const lost = () => new TypeError('fetch failed');
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it has to be refused'),
    (error) => error,
  );

describe('a request', () => {
  test('a request has the parameters of its path and query, the token, and nothing else', async () => {
    const { client, sent } = clientWith([json(ORDER), json({ items: [] })]);
    expect(await client.getOrder({ orderId: 'a/b', query: { version: 2 } })).toEqual(ORDER);
    await client.listOrders();
    expect(sent).toEqual([
      {
        method: 'GET',
        url: 'https://api.test/v1/orders/a%2Fb?version=2',
        headers: { Authorization: 'Bearer secret' },
        body: undefined,
      },
      {
        method: 'GET',
        url: 'https://api.test/v1/orders',
        headers: { Authorization: 'Bearer secret' },
        body: undefined,
      },
    ]);
  });

  test('a request has a key of its own, or the given one, if it takes a key', async () => {
    const { client, sent } = clientWith([json(ORDER, 201), json(ORDER, 201), json(ORDER, 201), json(ORDER)]);
    await client.placeOrder({ body: BODY });
    await client.placeOrder({ body: BODY });
    await client.placeOrder({ body: BODY, key: 'cart-17' });
    await client.getOrder({ orderId: '7' });
    const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys).toEqual([
      expect.stringMatching(/^[\w-]{36}$/),
      expect.stringMatching(/^[\w-]{36}$/),
      'cart-17',
      undefined,
    ]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('a request has a number of a session in the place of a key', async () => {
    const { client, sent } = clientWith([json(ORDER), json(ORDER)]);
    await client.cancelOrder({ orderId: '7', session: { id: 's', number: 3 } });
    await client.cancelOrder({ orderId: '7', session: { id: 's', number: 4, answeredUpTo: 2 } });
    expect(sent.map(({ headers }) => headers)).toEqual([
      { Authorization: 'Bearer secret', 'Session-Id': 's', 'Request-Number': '3' },
      { Authorization: 'Bearer secret', 'Session-Id': 's', 'Request-Number': '4', 'Answered-Up-To': '2' },
    ]);
  });

  test('says the version that was read, the correlation id, and the media type', async () => {
    const { client, sent } = clientWith([json({}), new Response('a,b', { headers: { 'Content-Type': 'text/csv' } })]);
    await client.setStock({ sku: 'TEA-1', body: { onHand: 1 }, ifMatch: 0, correlationId: 'mine' });
    expect(await client.getDailyReport({ date: '2026-01-05', accept: 'text/csv' })).toBe('a,b');
    expect(sent[0]?.headers).toMatchObject({
      'If-Match': '0',
      'X-Correlation-Id': 'mine',
      'Content-Type': 'application/json',
    });
    expect(sent[1]?.headers).toMatchObject({ Accept: 'text/csv' });
  });

  test('needs each parameter of its path, or it would be one to another route', async () => {
    const { client, sent } = clientWith([]);
    expect(await caught(client.getOrder({ orderId: '' }))).toEqual(new TypeError('getOrder: orderId is missing'));
    expect(sent).toEqual([]);
  });

  test('needs no token if there is none', async () => {
    const { client, sent } = clientWith([json({ openapi: '3.1.1' })], { token: undefined as never });
    await client.getOpenApi();
    expect(sent[0]?.headers).toEqual({});
  });
});

describe('an answer', () => {
  test('an answer is the body, or all of it', async () => {
    const reply = () =>
      json(ORDER, 201, { 'X-Correlation-Id': 'c', 'Idempotency-Replayed': 'true', Location: 'orders/7' });
    const { client } = clientWith([reply(), reply(), json(ORDER, 201), new Response(null, { status: 204 })]);
    expect(await client.placeOrder({ body: BODY })).toEqual(ORDER);
    const { headers, ...answer } = await client.send('placeOrder', { body: BODY });
    expect(answer).toEqual({ status: 201, body: ORDER, correlationId: 'c', replayed: true });
    expect(headers.get('Location')).toBe('orders/7');
    expect(await client.send('placeOrder', { body: BODY })).toMatchObject({ replayed: false });
    expect(await client.forgetMe()).toBeUndefined();
  });

  test('an answer has types', () => {
    const calls = async (client: OrderlyClient) => {
      expectTypeOf(await client.placeOrder({ body: BODY, key: 'cart-17' })).toEqualTypeOf<OrderView>();
      expectTypeOf(await client.getDailyReport({ date: '', accept: 'text/csv' })).toEqualTypeOf<string>();
      expectTypeOf(await client.getDailyReport({ date: '' })).toEqualTypeOf<DailyReportView>();
      expectTypeOf((await client.send('forgetMe')).body).toEqualTypeOf<undefined>();
      // @ts-expect-error: an order has lines
      await client.placeOrder({ body: {} });
      // @ts-expect-error: and takes no number of a session
      await client.placeOrder({ body: BODY, session: { id: 's', number: 1 } });
      // @ts-expect-error: a request has a key or a number
      await client.cancelOrder({ orderId: '7', key: 'k', session: { id: 's', number: 1 } });
      // @ts-expect-error: which order?
      await client.getOrder();
      // @ts-expect-error: a list of orders has no such filter
      await client.listOrders({ query: { sku: 'TEA-1' } });
      // @ts-expect-error: an order is no list
      client.items('getOrder', { orderId: '7' });
    };
    expect(calls).toBeTypeOf('function');
  });
});

describe('a request is sent again, with its key', () => {
  const RETRIED: readonly [string, () => Reply][] = [
    ['no answer', lost],
    ['500', () => problem('internal', 500)],
    ['504 of the gateway', () => problem('internal', 504)],
    [
      'a page of a proxy',
      () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } }),
    ],
    [
      'JSON that is cut off',
      () => new Response('{"type":', { status: 500, headers: { 'Content-Type': 'application/json' } }),
    ],
    ['429', () => problem('throttled', 429)],
    ['409 with Retry-After', () => problem('in-progress', 409, { 'Retry-After': '1' })],
  ];
  test.each(RETRIED)('the client retries after %s', async (_, reply) => {
    const { client, sent } = clientWith([reply(), reply(), json(ORDER, 201)]);
    expect(await client.placeOrder({ body: BODY })).toEqual(ORDER);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  test('the client retries after Retry-After, otherwise after twice as long each time, at random', async () => {
    const replies = [problem('throttled', 429, { 'Retry-After': '3' }), lost(), lost(), lost(), json(ORDER, 201)];
    const { client, waits } = clientWith(replies);
    await client.placeOrder({ body: BODY });
    const [first, ...others] = waits;
    expect(first).toBe(3000);
    for (const [at, wait] of others.entries()) {
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThan(200 * 2 ** (at + 1));
    }
    expect(new Set(others).size).toBe(others.length);
  });

  test('the client stops retrying after the last attempt', async () => {
    const { client, sent } = clientWith([lost(), lost(), lost()], { attempts: 2 });
    const error = await caught(client.placeOrder({ body: BODY, key: 'cart-17' }));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(error).toMatchObject({
      operation: 'placeOrder',
      key: 'cart-17',
      status: undefined,
      cause: new TypeError('fetch failed'),
    });
    expect(sent).toHaveLength(2);
  });

  test('the client does not retry after a pause that is longer than the longest allowed one', async () => {
    const reply = problem('limit-reached', 429, { 'Retry-After': '3600' }, { limit: 'ORDERS_PER_HOUR' });
    const { client, waits } = clientWith([reply]);
    const error = await caught(client.placeOrder({ body: BODY }));
    expect(error).toMatchObject({ code: 'limit-reached', retryAfter: 3600, problem: { limit: 'ORDERS_PER_HOUR' } });
    expect(waits).toEqual([]);
  });

  test('the client retries once with a new token if the token was refused', async () => {
    const tokens = ['old', 'new', 'newest'];
    const token = async () => tokens.shift() ?? '';
    const refused = () => problem('unauthenticated', 401);
    const { client, sent } = clientWith([refused(), json(ORDER, 201)], { token });
    await client.placeOrder({ body: BODY });
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(sent[1]?.headers['Idempotency-Key']).toBe(sent[0]?.headers['Idempotency-Key']);
    const other = clientWith([refused(), refused()], { token });
    expect(await caught(other.client.getBasket())).toMatchObject({ code: 'unauthenticated' });
    expect(other.sent).toHaveLength(2);
  });

  test('the client retries after an attempt that took too long', async () => {
    const silent = (_: Sent, { signal }: RequestInit) =>
      new Promise<Response>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
    const { client, sent } = clientWith([silent, json(ORDER, 201)], { timeout: 1 });
    expect(await client.placeOrder({ body: BODY })).toEqual(ORDER);
    expect(sent).toHaveLength(2);
  });
});

describe('a request is not sent again', () => {
  test.each([
    [
      '400',
      problem('invalid-request', 400, {}, { errors: [{ pointer: '/lines', detail: 'expected a line' }] }),
      'invalid-request',
    ],
    ['401 to a fixed token', problem('unauthenticated', 401), 'unauthenticated'],
    ['403', problem('user-blocked', 403), 'user-blocked'],
    ['404', problem('not-found', 404), 'not-found'],
    ['409 for good', problem('person-forgotten', 409), 'person-forgotten'],
    ['422', problem('key-reused', 422), 'key-reused'],
  ])('the client does not retry after %s', async (_, reply, code) => {
    const { client, sent } = clientWith([reply]);
    const error = await caught(client.placeOrder({ body: BODY }));
    expect(error).toBeInstanceOf(OrderlyProblem);
    expect(error).toMatchObject({
      code,
      operation: 'placeOrder',
      message: `placeOrder: it is ${code}`,
      retryAfter: undefined,
    });
    expect(sent).toHaveLength(1);
  });

  test('the client does not retry after the refusal of something that is not the API', async () => {
    const page = new Response('<h1>Log in</h1>', { status: 403, headers: { 'Content-Type': 'text/html' } });
    const { client, sent } = clientWith([page]);
    const error = await caught(client.placeOrder({ body: BODY }));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(error).toMatchObject({ status: 403, cause: '<h1>Log in</h1>' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['a page of a proxy', new Response('<h1>Log in</h1>', { headers: { 'Content-Type': 'text/html' } })],
    ['JSON that is cut off', new Response('{"orderId":', { headers: { 'Content-Type': 'application/json' } })],
    ['nothing', new Response('', { headers: { 'Content-Type': 'application/json' } })],
  ])('the client does not retry after 200 with %s, which is no answer', async (_, reply) => {
    const { client, sent } = clientWith([reply]);
    const error = await caught(client.placeOrder({ body: BODY, key: 'cart-17' }));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(error).toMatchObject({ status: 200, key: 'cart-17' });
    expect(sent).toHaveLength(1);
  });

  test('the client does not retry after a Retry-After that is neither seconds nor a date', async () => {
    const { client, sent } = clientWith([problem('conflict', 409, { 'Retry-After': '2026-10-21T07:28:00Z' })]);
    expect(await caught(client.placeOrder({ body: BODY }))).toMatchObject({ code: 'conflict', retryAfter: undefined });
    expect(sent).toHaveLength(1);
  });

  test('the client does not retry once it is aborted: under way, while it waits, or before', async () => {
    const [underWay, waiting] = [new AbortController(), new AbortController()];
    const reason = new Error('the customer left');
    const first = clientWith([
      (_, { signal }) => {
        underWay.abort(reason);
        throw signal?.reason;
      },
    ]);
    expect(await caught(first.client.getBasket({ signal: underWay.signal }))).toBe(reason);
    const second = clientWith([lost(), json({})], { wait: undefined as never });
    const asked = caught(second.client.getBasket({ signal: waiting.signal }));
    waiting.abort(reason);
    expect(await asked).toBe(reason);
    expect(second.sent.length).toBeLessThanOrEqual(1);
    const third = clientWith([lost()]);
    expect(await caught(third.client.getBasket({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe('a problem', () => {
  test('a problem has the codes of its operation', async () => {
    const error: unknown = new OrderlyProblem(
      'placeOrder',
      { type: 'urn:orderly:problem:user-blocked', title: '', status: 403, detail: '' },
      'c',
      undefined,
    );
    expect(isProblemOf('getOrder', error)).toBe(false);
    expect(isProblemOf('placeOrder', new Error('other'))).toBe(false);
    if (!isProblemOf('placeOrder', error)) throw new Error('it is one');
    expect(error.code === 'user-blocked').toBe(true);
    expectTypeOf(error.code).not.toEqualTypeOf<string>();
    // @ts-expect-error: no order is refused for this
    expect(error.code === 'basket-empty').toBe(false);
  });
});

describe('a list', () => {
  const pages = () => [
    json({ items: [1, 2], nextCursor: 'a' }),
    json({ items: [], nextCursor: 'b' }),
    json({ items: [3] }),
  ];

  test('a list is read page by page, with the same filter', async () => {
    const { client, sent } = clientWith(pages());
    const seen: unknown[] = [];
    for await (const order of client.items('listOrders', { query: { limit: 2, customerId: 'alice' } }))
      seen.push(order);
    expect(seen).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2&customerId=alice',
      'limit=2&customerId=alice&cursor=a',
      'limit=2&customerId=alice&cursor=b',
    ]);
  });

  test('a list is read no further than the caller reads', async () => {
    const { client, sent } = clientWith(pages());
    for await (const _ of client.items('listOrders')) break;
    expect(sent).toHaveLength(1);
  });

  test('a list of points has entries', async () => {
    const { client } = clientWith([json({ points: 3, entries: [{ points: 3 }] })]);
    const entries = client.items('getMyRewards');
    expectTypeOf(entries).toEqualTypeOf<AsyncGenerator<RewardEntryView, void>>();
    expect((await entries.next()).value).toEqual({ points: 3 });
  });
});

test('the client has less than 9 KB', () => {
  const { outputFiles } = buildSync({
    entryPoints: ['packages/client/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  expect(outputFiles[0]?.contents.length).toBeLessThan(9 * 1024);
});

describe('an argument that cannot be sent is an error at once, and nothing is sent', () => {
  const keyed = (key: string) => (client: OrderlyClient) => client.placeOrder({ body: BODY, key });
  const numbered = (session: object) => (client: OrderlyClient) =>
    client.cancelOrder({ orderId: '7', session: { id: 's', number: 1, ...session } });
  test.each<[string, (client: OrderlyClient) => Promise<unknown>, RegExp]>([
    ['a key with an emoji', keyed('k\u{1F600}'), /placeOrder: key: expected 1 to 255 visible ASCII characters/],
    ['a key of two lines', keyed('a\nb'), /key: expected/],
    ['a key that ends a line', keyed('a\n'), /key: expected/],
    ['an empty key', keyed(''), /key: expected/],
    ['a key that is too long', keyed('k'.repeat(256)), /key: expected/],
    ['a segment that climbs', (client) => client.getStock({ sku: '..' }), /getStock: sku: expected an id other than/],
    ['a segment that stays', (client) => client.getStock({ sku: '.' }), /sku: expected an id other than/],
    ['half a character', (client) => client.getStock({ sku: '\ud800' }), /sku: expected Unicode text/],
    ['half a character in a query', (client) => client.listOrders({ query: { cursor: '\udc00' } }), /cursor: expected/],
    ['a session of two lines', numbered({ id: 'a\r\nb' }), /session.id: expected/],
    ['a number that is none', numbered({ number: Number.NaN }), /session.number: expected a whole number/],
    ['an answered number below 0', numbered({ answeredUpTo: -1 }), /session.answeredUpTo: expected/],
    [
      'a correlation id with an umlaut',
      (client) => client.getBasket({ correlationId: 'ä' }),
      /correlationId: expected/,
    ],
    [
      'a body that JSON cannot write',
      (client) => client.placeOrder({ body: { ...BODY, clientReference: 1n } as never }),
      /placeOrder: body: expected a value that JSON can write/,
    ],
  ])('%s', async (_, call, message) => {
    const { client, sent } = clientWith([]);
    const error = await caught(Promise.resolve().then(() => call(client)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect(sent).toEqual([]);
  });

  test('a token of two lines, which the error does not name, and an invalid address are errors', async () => {
    const { client, sent } = clientWith([], { token: 'secret\nsecret' });
    const error = await caught(client.getBasket());
    expect([error.constructor, error.message]).toEqual([TypeError, 'token: expected visible ASCII characters']);
    const lost = clientWith([], { baseUrl: 'api.test/v1' });
    expect(await caught(lost.client.getBasket())).toBeInstanceOf(TypeError);
    expect([...sent, ...lost.sent]).toEqual([]);
  });
});

describe('a success is the status that the document names', () => {
  test.each([200, 202, 203, 204, 206])('%i is none for an order that is placed: 201 is', async (status) => {
    const { client, sent } = clientWith([status === 204 ? new Response(null, { status }) : json(ORDER, status)]);
    const error = await caught(client.placeOrder({ body: BODY, key: 'k' }));
    expect(error).toMatchObject({ name: 'NoAnswer', status, key: 'k' });
    expect(error.message).toContain(`a proxy answered with status ${status}: expected 201`);
    expect(sent).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308, 304])('a redirect (%i) is not followed', async (status) => {
    const inits: RequestInit[] = [];
    const headers = { Location: 'https://login.test/' };
    const { client, sent } = clientWith([
      (_, init) => {
        inits.push(init);
        return new Response(null, { status, headers });
      },
    ]);
    const error = await caught(client.placeOrder({ body: BODY, key: 'k' }));
    expect(error).toMatchObject({ name: 'NoAnswer', status });
    expect(error.message).toContain('a redirect to https://login.test/, which is not followed');
    expect([inits[0]?.redirect, sent.length]).toEqual(['manual', 1]);
  });

  test('a redirect whose status a browser hides is not followed', async () => {
    const hidden = Object.defineProperties(new Response(), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: 'opaqueredirect' },
    });
    const { client, sent } = clientWith([hidden]);
    expect((await caught(client.getBasket())).message).toContain('a redirect, which is not followed');
    expect(sent).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  const date = (seconds: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + seconds * 1000).toUTCString();
  const told = async (retryAfter: string, headers: Record<string, string> = { Date: date(0) }) => {
    const { client, waits } = clientWith([
      problem('throttled', 429, { 'Retry-After': retryAfter, ...headers }),
      json({}),
    ]);
    const failure = await client.getBasket().then(
      () => undefined,
      (error) => error.retryAfter,
    );
    return failure ?? waits[0];
  };

  test('Retry-After is a date or seconds; both are waited for', async () => {
    expect(await told('3')).toBe(3000);
    expect(await told(date(3))).toBe(3000);
    expect(await told(date(-3))).toBe(0);
    expect(await told('Sunday, 01-Mar-26 00:00:04 GMT')).toBe(4000);
  });
  test('a Retry-After above the longest wait is thrown with its seconds, whichever form it has', async () => {
    expect(await told('30')).toBe(30);
    expect(await told(date(30))).toBe(30);
  });
  test('counts from now if the answer has no date', async () => {
    const seconds = await told(new Date(Date.now() + 60_000).toUTCString(), {});
    expect(seconds).toBeGreaterThan(57);
    expect(seconds).toBeLessThanOrEqual(60);
  });
  test('a Retry-After that is neither is ignored: the wait is a random one', async () => {
    for (const neither of ['soon', '2026-03-01', '-1', '1.5', 'GMT']) expect(await told(neither)).toBeLessThan(200);
  });
  test('the Retry-After of a page that a proxy answers with is waited for, too', async () => {
    const page = () => new Response('<html>', { status: 503, headers: { 'Retry-After': '2' } });
    const { client, waits } = clientWith([page(), json({})]);
    await client.getBasket();
    expect(waits).toEqual([2000]);
  });
});

describe('a client waits for a decision', () => {
  const order = (status: string, headers: Record<string, string> = {}) =>
    json({ orderId: '7', status }, 200, { 'Retry-After': '2', ...headers });
  const waited = { 'Preference-Applied': 'wait=20' };

  test('each request waits at the API, and the order is returned as soon as it is decided', async () => {
    const { client, sent, waits } = clientWith([order('PENDING', waited), order('APPROVED', waited)]);
    const decided = await client.orderDecided('7');
    expect(decided.status).toBe('APPROVED');
    expectTypeOf(decided).toEqualTypeOf<OrderView>();
    expect(sent.map(({ url, headers }) => [url, headers.Prefer])).toEqual([
      ['https://api.test/v1/orders/7', 'wait=20'],
      ['https://api.test/v1/orders/7', 'wait=20'],
    ]);
    expect(waits).toEqual([]);
  });

  test('an API that does not wait is asked again after its Retry-After', async () => {
    const { client, sent, waits } = clientWith([order('PENDING'), order('REJECTED')]);
    expect(await client.orderDecided('7')).toMatchObject({ status: 'REJECTED' });
    expect([sent.length, waits]).toEqual([2, [2000]]);
  });

  test('an order that is not decided in time is an error, which has the order', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const late = (seconds: number) => () => {
      vi.setSystemTime(Date.now() + seconds * 1000);
      return order('PENDING', waited);
    };
    const { client, sent } = clientWith([late(20), late(10)]);
    const failed = await caught(client.orderDecided('7', { within: 30 }));
    vi.useRealTimers();
    expect(failed).toBeInstanceOf(OrderPending);
    expect(failed).toMatchObject({
      order: { orderId: '7' },
      message: 'order 7 is undecided after 30 seconds: wait again',
    });
    expect(sent.map(({ headers }) => headers.Prefer)).toEqual(['wait=20', 'wait=10']);
  });

  test('a signal ends the wait between two reads', async () => {
    const stopped = new AbortController();
    const reply = () => {
      stopped.abort(new Error('the page was left'));
      return order('PENDING');
    };
    const { client } = clientWith([reply, order('APPROVED')]);
    await expect(client.orderDecided('7', { signal: stopped.signal })).rejects.toThrow('the page was left');
  });

  test('an order is placed once, and its decision is returned', async () => {
    const { client, sent } = clientWith([lost(), json(ORDER, 201), order('APPROVED', waited)]);
    expect(await client.placeOrderAndWait({ body: BODY, key: 'cart-17' })).toMatchObject({ status: 'APPROVED' });
    expect(sent.map(({ method, headers }) => [method, headers['Idempotency-Key'], headers.Prefer])).toEqual([
      ['POST', 'cart-17', undefined],
      ['POST', 'cart-17', undefined],
      ['GET', undefined, 'wait=20'],
    ]);
  });

  test('a wait that no header can say is an error, and nothing is sent', async () => {
    const { client, sent } = clientWith([]);
    await expect(client.getOrder({ orderId: '7', wait: 1.5 })).rejects.toThrow('wait: expected a whole number from 0');
    expect(sent).toEqual([]);
  });
});
