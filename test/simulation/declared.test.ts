import { describe, expect, test } from 'vitest';
import type { RouteDeclaration } from '../../packages/kit/routes.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import { orderlyApi } from '../../tools/docs/openapi/api.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { webhooksAssembly } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';
import { bodiesOf } from './fuzz/samples.js';

/**
 * The functions do with headers what their declarations say. Schemas and answers are held by the compiler and by
 * the acceptance tests; which headers a function reads, only its answers show.
 */

const cloud = new Cloud(loadSharedDeployment(webhooksAssembly()), { seed: 'declared' });
const ROUTES = (await orderlyApi()).routes.map(({ route }) => route).filter(({ isPublic }) => !isPublic);
const VALUES: Readonly<Record<string, string>> = { sku: 'TEA-1', date: '2026-01-05' };

/** Sends a good request to a route, with these headers and as full a body as there is. */
async function ask(
  { method, path, roles = ['customer'] }: RouteDeclaration<string, string>,
  headers: ApiRequest['headers'],
) {
  const body = bodiesOf(`${method} ${path}`).at(-1);
  let answer: ApiResponse | undefined;
  cloud.apis[0]!.request(
    {
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'alice'),
      headers: { Authorization: `Bearer ${token('alice', roles[0] as 'customer', cloud.world.now)}`, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    },
    (response) => {
      answer = response;
    },
  );
  await cloud.world.until(() => answer !== undefined);
  return JSON.parse(answer!.body || '{}') as { readonly type?: string; readonly errors?: readonly object[] };
}

const KEY_MISSING = 'urn:orderly:problem:key-missing';

describe.each(ROUTES.map((route) => [route.id, route] as const))('%s', (_, route) => {
  const { repeat, autoKey = false, ifMatch = false } = route;
  const key = { 'Idempotency-Key': `declared-${route.id}` };

  test(`needs ${repeat ? 'a' : 'no'} key`, async () => {
    expect((await ask(route, {})).type === KEY_MISSING).toBe(repeat !== undefined);
  });

  test(`takes ${repeat === 'key or number' ? 'a' : 'no'} number of a session`, async () => {
    const { errors = [] } = await ask(route, { 'Session-Id': 'mine', 'Request-Number': 'x' });
    expect(JSON.stringify(errors).includes('Request-Number')).toBe(repeat === 'key or number');
  });

  test(`makes ${autoKey ? 'a' : 'no'} key of the body`, async () => {
    const { errors = [] } = await ask(route, { 'Idempotency-Key': 'auto' });
    expect(JSON.stringify(errors).includes('Idempotency-Key')).toBe(repeat !== undefined && !autoKey);
  });

  test(`compares ${ifMatch ? 'a' : 'no'} version`, async () => {
    const { errors = [] } = await ask(route, { ...(repeat && key), 'If-Match': 'x' });
    expect(JSON.stringify(errors).includes('If-Match')).toBe(ifMatch);
  });
});
