import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withCorsHeaders } from '../../../packages/kit/http/cors.js';
import { headerReader } from '../../../packages/kit/http/headers.js';
import { makeToken, newKey, toJwks } from '../../../tools/local/dev-issuer.js';

const SHOP = 'https://shop.example.org';
const ADMIN = 'https://admin.example.org';

const answer = (headers: Record<string, string> = {}) => ({ statusCode: 200, headers, body: '{}' });
const shared = (origin: string | string[] | undefined, headers = {}, origins: readonly string[] = [SHOP, ADMIN]) => {
  const sent = origin === undefined ? {} : { Origin: [origin].flat() };
  return withCorsHeaders(answer(headers), headerReader({ multiValueHeaders: sent }), origins).headers;
};

describe('an answer', () => {
  test('an answer is for the pages of the origin that asked, if it is one of the list', () => {
    for (const origin of [SHOP, ADMIN]) {
      expect(shared(origin)).toEqual({
        Vary: 'Origin',
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': expect.stringMatching(/X-Correlation-Id.*Idempotency-Replayed.*Retry-After/),
      });
    }
  });

  test.each([
    ['no origin', undefined],
    ['another origin', 'https://evil.example.org'],
    ['another port', `${SHOP}:8443`],
    ['an origin that only begins like one', `${SHOP}.evil.example`],
    ['another case', SHOP.toUpperCase()],
    ['null', 'null'],
    ['two origins', [SHOP, ADMIN]],
  ])('an answer to %s is for no page, and says that it depends on the origin', (_, origin) =>
    expect(shared(origin)).toEqual({ Vary: 'Origin' }),
  );

  test('keeps what else it depends on', () => expect(shared(SHOP, { Vary: 'Accept' })?.Vary).toBe('Accept, Origin'));

  test('an answer without the setting is unchanged', () => {
    const own = answer({ Vary: 'Accept' });
    expect(withCorsHeaders(own, headerReader({ headers: { Origin: SHOP } }), [])).toBe(own);
  });
});

describe('a function with the setting', () => {
  const issuerKey = newKey();
  const token = makeToken({ sub: 'alice', role: 'customer' }, issuerKey);
  let endpoint: typeof import('../../../packages/kit/http/http.js').endpoint;
  let authorizer: typeof import('../../../packages/kit/http/authorizer.lambda.js').handler;
  // A process keeps the first issuer that it has verified a token of, and files of a worker share their modules.
  beforeAll(async () => {
    vi.resetModules();
    ({ endpoint } = await import('../../../packages/kit/http/http.js'));
    ({ handler: authorizer } = await import('../../../packages/kit/http/authorizer.lambda.js'));
  });
  afterAll(() => {
    vi.resetModules();
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries({
      APP: 'orderly',
      ROLES: '["customer","operator"]',
      OPERATOR_ROLES: '["operator"]',
      JWT_ISSUER: 'urn:orderly:dev',
      JWT_AUDIENCE: 'orderly-dev',
      JWT_ROLE_CLAIM: 'orderly_role',
      JWT_MAX_LIFETIME_SECONDS: '43200',
      JWT_JWKS: toJwks(issuerKey),
      CORS_ORIGINS: JSON.stringify([SHOP, ADMIN]),
    }))
      vi.stubEnv(name, value);
  });
  afterEach(() => vi.unstubAllEnvs());

  const ask = (headers: Record<string, string>) =>
    endpoint({ roles: ['customer'] }, async () => ({ status: 200, body: {} }))({
      httpMethod: 'GET',
      resource: '/things',
      headers,
      requestContext: {},
    } as unknown as APIGatewayProxyEvent);

  test('lets its pages read success and refusal', async () => {
    for (const [headers, status] of [
      [{ authorization: `Bearer ${token}` }, 200],
      [{}, 401],
    ] as const) {
      const answer = await ask({ ...headers, origin: ADMIN });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers?.['Access-Control-Allow-Origin']).toBe(ADMIN);
      expect((await ask({ ...headers, origin: 'https://evil.example' })).headers).not.toHaveProperty(
        'Access-Control-Allow-Origin',
      );
    }
  });

  test('passes an allowed origin to the gateway’s own answers: the authorizer compares it', async () => {
    const contextFor = async (headers: Record<string, string>) => {
      const event = { methodArn: 'arn:aws:execute-api:x:1:api/v1/GET/things', headers };
      return (await authorizer(event as unknown as APIGatewayRequestAuthorizerEvent)).context;
    };
    expect(await contextFor({ Origin: SHOP })).toMatchObject({ corsOrigin: SHOP });
    expect(await contextFor({ Origin: SHOP, Authorization: `Bearer ${token}` })).toMatchObject({
      sub: 'alice',
      corsOrigin: SHOP,
    });
    expect(await contextFor({ Origin: 'https://evil.example' })).not.toHaveProperty('corsOrigin');
    vi.stubEnv('CORS_ORIGINS', undefined);
    expect(await contextFor({ Origin: SHOP })).not.toHaveProperty('corsOrigin');
  });
});
