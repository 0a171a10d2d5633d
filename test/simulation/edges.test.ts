import { beforeAll, describe, expect, test } from 'vitest';
import { ANSWER_HEADERS } from '../../packages/kit/http/answer-headers.js';
import { encodeCursor } from '../../packages/kit/http/paging.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { webhooksAssembly } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';

/** Tests of the edge of the API, at every route that is deployed: a new one can't be forgotten. */

const cloud = new Cloud(loadSharedDeployment(webhooksAssembly()), { seed: 'edges' });
const [api] = cloud.apis;
const ROUTES = api!.routes.filter(({ authorizer }) => authorizer !== undefined);
const VALUES: Readonly<Record<string, string>> = {
  sku: 'TEA-1',
  customerId: 'alice',
  userId: 'alice',
  date: '2026-01-05',
};
/** Functions that a schedule invokes, whatever is asked meanwhile. */
const SCHEDULED = /Sweeper$|^Audit\/Auditor$/;
const pathOf = (resource: string) =>
  resource.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? '0'.repeat(32));
const NAMED = ROUTES.map(({ method, resource }) => [`${method} ${resource}`, method, pathOf(resource)] as const);

async function ask(request: ApiRequest): Promise<ApiResponse> {
  let answer: ApiResponse | undefined;
  api!.request(request, (response) => {
    answer = response;
  });
  await cloud.world.until(() => answer !== undefined);
  return answer!;
}
const bearer = (as: 'customer' | 'operator') => `Bearer ${token('alice', as, cloud.world.now)}`;

/** As a role that may. */
async function askAllowed(request: ApiRequest): Promise<ApiResponse> {
  const as = (role: 'customer' | 'operator') =>
    ask({ ...request, headers: { Authorization: bearer(role), ...request.headers } });
  const answer = await as('customer');
  return answer.status === 403 ? as('operator') : answer;
}

/** Headers of every answer, and of an error that it is a problem. */
function expectGuarded({ status, headers, body }: ApiResponse): void {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) expect(headers[name.toLowerCase()], name).toBe(value);
  expect(headers['x-correlation-id']).toMatch(/^[\w.-]{1,64}$/);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (status < 400 || body === '') return;
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/^urn:orderly:problem:[a-z-]+$/), status });
}

test('finds the routes', () => expect(ROUTES.length).toBeGreaterThanOrEqual(20));

describe.each(NAMED)('%s', (_, method, path) => {
  const reads = method === 'GET';
  const key = { 'Idempotency-Key': `edges ${method}${path}`.replaceAll(' ', '-') };

  test('every answer has the guarding headers: 401, 403, success, 400 and 404', async () => {
    const bodies = reads ? [undefined] : [undefined, '{}', '{', '{"a":1}'];
    for (const Authorization of ['', 'Bearer a.b.c', bearer('customer'), bearer('operator')])
      for (const body of bodies)
        expectGuarded(await ask({ method, path, headers: { Authorization, ...key }, ...(body && { body }) }));
    const limit = await askAllowed({ method, path: `${path}?limit=0`, headers: key });
    expect(limit.status).toBe(400);
    expectGuarded(limit);
  });

  test.each([
    'Content-Type',
    'X-Correlation-Id',
    'If-Match',
    'Idempotency-Key',
    'Session-Id',
    'Request-Number',
    'Answered-Up-To',
  ])('refuses two %s headers', async (header) => {
    const answer = await askAllowed({ method, path, headers: { ...key, [header]: ['1', '2'] } });
    expect({ status: answer.status, errors: JSON.parse(answer.body).errors }).toEqual({
      status: 400,
      errors: [{ header, detail: 'given more than once' }],
    });
    expectGuarded(answer);
  });

  test('refuses two tokens', async () => {
    const Authorization = [bearer('customer'), bearer('operator')];
    const answer = await ask({ method, path, headers: { Authorization, ...key } });
    expect(answer.status).toBe(401);
    expectGuarded(answer);
  });

  test('refuses a repeated member, and a body that is not JSON', async () => {
    const asking = (body: string, type = 'application/json') =>
      askAllowed({ method, path, headers: { ...key, 'Content-Type': type }, body });
    const takesBody = /"the body is not JSON"/.test((await asking('{')).body);
    expect(takesBody).toBe(
      !reads && method !== 'DELETE' && !/sessions$|idempotency-keys$|basket\/(checkout|seen)$/.test(path),
    );
    if (!takesBody) return;
    const twice = await asking('{"a":1,"a":2}');
    expect({ ...twice, body: JSON.parse(twice.body) }).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/a', detail: 'given more than once' }] },
    });
    expectGuarded(twice);
    const other = await asking('{}', 'text/plain');
    expect(JSON.parse(other.body)).toMatchObject({ status: 415, type: 'urn:orderly:problem:unsupported-media-type' });
    expectGuarded(other);
  });
});

describe.each([...new Set(ROUTES.map(({ resource }) => resource))])('%s', (resource) => {
  const path = pathOf(resource);
  const allowed = ROUTES.filter((route) => route.resource === resource).map(({ method }) => method);
  // Consumers may still process what the requests above caused, and their log lines would count below.
  beforeAll(() => cloud.world.settle());
  const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

  test.each(METHODS.filter((method) => !allowed.includes(method)))(
    '%s: 405 with the allowed methods, without a token, a function or a CORS header',
    async (method) => {
      const lines = cloud.log.length;
      for (const headers of [{}, { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }]) {
        const answer = await ask({ method, path, headers });
        expect({ status: answer.status, allow: answer.headers.allow }).toEqual({
          status: 405,
          allow: [...allowed].sort().join(', '),
        });
        expectGuarded(answer);
        if (method === 'HEAD') expect(answer.body).toBe('');
        else expect(JSON.parse(answer.body).type).toBe('urn:orderly:problem:method-not-allowed');
      }
      expect(cloud.log.slice(lines).filter(({ fn }) => !SCHEDULED.test(fn))).toEqual([]);
    },
  );
});

test('the gateway has the guarding headers in its answers to an unknown path and to another media type', async () => {
  const unknown = await ask({ method: 'GET', path: '/nothing', headers: {} });
  const type = await ask({ method: 'DELETE', path: '/orders', headers: { 'Content-Type': 'text/plain' } });
  expect([unknown.status, type.status]).toEqual([404, 415]);
  for (const answer of [unknown, type]) expectGuarded(answer);
});

describe('a forged cursor', () => {
  const ISO = '2026-11-22T12:00:00.000Z';
  const LISTS: readonly [path: string, list: string, as: 'customer' | 'operator'][] = [
    ['/orders?', 'orders of alice', 'customer'],
    ['/orders?customerId=bob&', 'orders of bob', 'operator'],
    ['/products?', 'products', 'customer'],
    ['/accounts?creditExhausted=true&', 'accounts without credit', 'operator'],
    ['/rewards/me?', 'rewards of alice', 'customer'],
    ['/reports/daily?', 'daily reports', 'operator'],
  ];
  const cursors = (list: string) =>
    ['', ' ', 'a b', 'a#b', `${ISO}#`, `#${'0'.repeat(32)}`, 'x'.repeat(700), '\u0000', null, 7, {}, []].map(
      (position) => [JSON.stringify(position).slice(0, 20), encodeCursor(list, position)] as const,
    );

  test.each(LISTS)('GET %s is 400 wherever it points', async (path, list, as) => {
    // A place in a customer's rewards is a number.
    const wrong = cursors(list).filter(([position]) => position !== '7' || !path.startsWith('/rewards/'));
    for (const [position, cursor] of wrong) {
      const answer = await ask({
        method: 'GET',
        path: `${path}cursor=${cursor}`,
        headers: { Authorization: bearer(as) },
      });
      expect({ position, status: answer.status }).toEqual({ position, status: 400 });
    }
  });

  test('a forged cursor is accepted if its position is one that the list could have', async () => {
    const places = {
      '/products?': 'TEA-1',
      '/orders?': `${ISO}#${'0'.repeat(32)}`,
      '/accounts?creditExhausted=true&': 'bob',
      '/rewards/me?': 7,
    };
    for (const [path, list, as] of LISTS.filter(([path]) => path in places)) {
      const cursor = encodeCursor(list, places[path as keyof typeof places]);
      const answer = await ask({
        method: 'GET',
        path: `${path}cursor=${cursor}`,
        headers: { Authorization: bearer(as) },
      });
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    }
  });
});
