import { describe, expect, test } from 'vitest';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { ADMIN, nextReleaseAssembly, SHOP } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';
import { NetworkError, Page } from '../support/simulation/page.js';

/** Tests of what a page in a browser can do with the deployed API, if the setting `cors` names its origin. */

const cloud = new Cloud(loadSharedDeployment(nextReleaseAssembly()), { seed: 'cors' });
const [api] = cloud.apis;
const ROUTES = api!.routes.filter(({ authorizer }) => authorizer !== undefined);

const sent: ApiResponse[] = [];
async function send(request: ApiRequest): Promise<ApiResponse> {
  let answer: ApiResponse | undefined;
  api!.request(request, (response) => {
    answer = response;
  });
  await cloud.world.until(() => answer !== undefined);
  sent.push(answer!);
  return answer!;
}
const pageOf = (origin: string) => new Page(origin, send);
const bearer = (role: 'customer' | 'operator' = 'customer') => `Bearer ${token('alice', role, cloud.world.now)}`;
const order = (headers: Record<string, string> = {}): ApiRequest => ({
  method: 'POST',
  path: '/orders',
  headers: { Authorization: bearer(), 'Content-Type': 'application/json', 'Idempotency-Key': 'page-1', ...headers },
  body: JSON.stringify({ lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] }),
});

describe.each([SHOP, ADMIN])('a page of %s', (origin) => {
  test('places an order, reads where it is, and sees that a repeat is one', async () => {
    const page = pageOf(origin);
    const key = { 'Idempotency-Key': `page of ${origin}`.replaceAll(' ', '-') };
    const placed = await page.fetch(order(key));
    expect(page.preflights).toHaveLength(1);
    expect({ ...page.preflights[0], headers: undefined }).toMatchObject({ status: 204, body: '' });
    expect(placed).toMatchObject({ status: 201, headers: { 'x-correlation-id': expect.stringMatching(/./) } });
    const { location } = placed.headers;
    expect(location).toMatch(/^orders\/\w+$/);
    expect((await page.fetch(order(key))).headers).toMatchObject({ location, 'idempotency-replayed': 'true' });
    const shown = await page.fetch({ method: 'GET', path: `/${location}`, headers: { Authorization: bearer() } });
    expect(JSON.parse(shown.body)).toMatchObject({ customerId: 'alice' });
    for (const one of page.preflights) expect(one.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('reads refusals of functions, of the authorizer and of the gateway', async () => {
    const page = pageOf(origin);
    expect((await page.fetch(order({ Authorization: bearer('operator') }))).status).toBe(403);
    expect((await page.fetch(order({ Authorization: 'Bearer a.b.c' }))).status).toBe(401);
    // Its preflight would already be refused: only a request of the page itself, without other headers, gets this far.
    const other = await page.fetch({ method: 'POST', path: '/stock/TEA-1', headers: {} });
    expect(other).toMatchObject({ status: 405, headers: { allow: 'GET, OPTIONS, PUT' } });
    await expect(page.fetch({ method: 'PATCH', path: '/stock/TEA-1', headers: {} })).rejects.toThrow(NetworkError);
    await expect(page.fetch(order({ 'X-Trick': '1' }))).rejects.toThrow('not x-trick');
  });

  test('a page may send all methods and headers of each route', async () => {
    for (const { method, resource } of ROUTES) {
      const path = resource.replace(/\{\w+\}/g, '2026-01-05');
      const page = pageOf(origin);
      const headers = { Authorization: 'Bearer a.b.c', 'If-Match': '1', traceparent: 'x', 'X-Correlation-Id': 'page' };
      expect((await page.fetch({ method, path, headers })).status, `${method} ${resource}`).toBe(401);
      expect(page.preflights, `${method} ${resource}`).toHaveLength(1);
    }
  });
});

test.each(['https://evil.example', `${SHOP}.evil.example`, 'https://SHOP.example.org', 'null', `${SHOP}/`])(
  'a page of %s gets nothing',
  async (origin) => {
    const page = pageOf(origin);
    await expect(page.fetch(order())).rejects.toThrow(NetworkError);
    // Nor without a preflight: the answer isn't for it.
    await expect(page.fetch({ method: 'GET', path: '/orders', headers: {} })).rejects.toThrow(NetworkError);
    for (const { headers } of page.preflights) expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);

test('a preflight over HTTP/2, with names in lower case, is answered the same', async () => {
  const preflight = await send({ method: 'OPTIONS', path: '/orders', headers: { origin: ADMIN } });
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': ADMIN } });
});

test('an answer depends on Origin, and names it beside what else it depends on', async () => {
  const headers = { Authorization: bearer('operator'), Accept: 'text/csv' };
  const plain = await send({ method: 'GET', path: '/orders', headers: { Authorization: bearer() } });
  expect(plain.headers).toMatchObject({ vary: 'Origin' });
  expect(plain.headers).not.toHaveProperty('access-control-allow-origin');
  const day = await send({ method: 'GET', path: '/reports/daily/2026-01-05', headers: { ...headers, Origin: SHOP } });
  expect(day.headers).toMatchObject({ vary: expect.stringContaining('Origin'), 'access-control-allow-origin': SHOP });
});

test('a page reads every header that a client may need', () => {
  /** Headers for browsers and caches, and the gateway's own name of an error. */
  const others =
    /^(access-control-.*|vary|strict-transport-security|x-content-type-options|cache-control|content-type|x-amzn-errortype)$/;
  const named = new Set(sent.flatMap(({ headers }) => Object.keys(headers)).filter((name) => !others.test(name)));
  const exposed = sent
    .find(({ headers }) => headers['access-control-expose-headers'])!
    .headers['access-control-expose-headers']!.toLowerCase();
  expect(named.size).toBeGreaterThan(3);
  expect([...named].filter((name) => !exposed.includes(name))).toEqual([]);
});
