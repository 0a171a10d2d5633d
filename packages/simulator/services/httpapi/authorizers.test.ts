import { createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { integrationUri } from '../../support/apis.js';
import { askEndpoint, createHttpApi, eventOf, httpAuthorizer, httpRoute } from '../../support/http-apis.js';

const CUSTOM = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Authorizer' } };
const JWT = { AuthorizationType: 'JWT', AuthorizerId: { Ref: 'Authorizer' } };

describe('Lambda authorizers', () => {
  /** An authorizer that allows alice, denies mallory, and fails with anybody else. */
  const create = (code: string, more: { [name: string]: Json } = {}) =>
    createHttpApi(
      {
        ...httpRoute('Get', 'GET /orders', CUSTOM),
        ...httpRoute('Other', 'GET /others', CUSTOM),
        Authorizer: httpAuthorizer({
          AuthorizerType: 'REQUEST',
          AuthorizerPayloadFormatVersion: '2.0',
          AuthorizerUri: integrationUri('Decide'),
          ...more,
        }),
      },
      { code: { Decide: code } },
    );
  const SIMPLE = `exports.handler = async ({ headers, identitySource, version, type, routeArn }) => {
    console.log('asked');
    if (headers.authorization === 'odd') return { isAuthorized: 'yes' };
    if (headers.authorization === 'fails') throw new Error('Unauthorized');
    return { isAuthorized: identitySource[0] === 'alice', context: { version, type, routeArn } };
  };`;
  const IAM = `exports.handler = async ({ methodArn, authorizationToken }) => ({
    principalId: 'x',
    policyDocument: { Statement: [{ Effect: authorizationToken === 'alice' ? 'Allow' : 'Deny', Resource: methodArn }] },
    context: { who: authorizationToken },
  });`;
  const as = (authorization: string, path = '/orders') => ({ path, headers: { Authorization: authorization } });

  test('a simple answer allows or denies; a failure is a 500, and a request without its identity a 401', async () => {
    const cloud = create(SIMPLE, { EnableSimpleResponses: true });
    const { requestContext } = await eventOf(cloud, as('alice'));
    expect(requestContext).toMatchObject({
      authorizer: {
        lambda: {
          version: '2.0',
          type: 'REQUEST',
          routeArn: 'arn:aws:execute-api:eu-west-1:123456789012:Shop-Api/$default/GET/orders',
        },
      },
    });
    const statuses = [];
    for (const request of [as('mallory'), as('fails'), as('odd'), { path: '/orders' }])
      statuses.push((await askEndpoint(cloud, request)).status);
    expect(statuses).toEqual([403, 500, 500, 401]);
  });

  test('an answer is kept only if the template says so', async () => {
    for (const [ttl, times] of [
      [0, 3],
      [300, 1],
    ]) {
      const cloud = create(SIMPLE, { EnableSimpleResponses: true, AuthorizerResultTtlInSeconds: ttl as number });
      for (const path of ['/orders', '/orders', '/others']) await askEndpoint(cloud, as('alice', path));
      expect(cloud.log.filter(({ text }) => text.includes('asked'))).toHaveLength(times as number);
    }
  });

  test('a policy is for what it names, also when it is kept', async () => {
    const cloud = create(IAM, { AuthorizerPayloadFormatVersion: '1.0', AuthorizerResultTtlInSeconds: 300 });
    const { requestContext } = await eventOf(cloud, as('alice'));
    expect(requestContext).toMatchObject({ authorizer: { lambda: { who: 'alice' } } });
    expect((await askEndpoint(cloud, as('alice', '/others'))).status).toBe(403);
    expect((await askEndpoint(cloud, as('mallory'))).status).toBe(403);
  });
});

describe('JWT authorizers', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (claims: object, header: object = { alg: 'RS256', kid: 'k1' }): string => {
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  };
  const issuer = 'https://tenant.example/';
  const create = () => {
    const cloud = createHttpApi({
      ...httpRoute('Get', 'GET /orders', JWT),
      ...httpRoute('Scoped', 'GET /scoped', { ...JWT, AuthorizationScopes: ['orders/read', 'orders/all'] }),
      Authorizer: httpAuthorizer({
        AuthorizerType: 'JWT',
        JwtConfiguration: { Issuer: issuer, Audience: ['shop'] },
      }),
    });
    const set = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] };
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}keys` },
      '/keys': set,
    };
    cloud.thirdParties.add('tenant.example', {
      answer: ({ path }) => ({ status: 200, headers: {}, body: JSON.stringify(documents[path]) }),
      refuse: () => ({ status: 429, headers: {}, body: '' }),
    });
    return cloud;
  };
  const cloud = create();
  const now = Math.floor(cloud.world.now / 1000);
  const claims = { iss: issuer, aud: 'shop', exp: now + 3_600, sub: 'alice', groups: ['a', 'b'] };
  const ask = (token: string, path = '/orders') =>
    askEndpoint(cloud, { path, headers: { Authorization: `Bearer ${token}` } });

  test('a valid token is allowed, and the function gets its claims as texts', async () => {
    const event = JSON.parse((await ask(sign(claims))).body);
    expect(event.requestContext.authorizer).toEqual({
      jwt: {
        claims: { ...claims, exp: String(claims.exp), groups: '[a b]' },
        scopes: null,
      },
    });
  });

  test.each([
    ['nothing', 'not a token', 'malformed'],
    ['another key', sign(claims, { alg: 'RS256', kid: 'k2' }), 'signature'],
    ['no signature', `${sign(claims, { alg: 'none', kid: 'k1' })}`, 'signature'],
    ['other claims', sign(claims).replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'bob' })}.`), 'signature'],
    ['another issuer', sign({ ...claims, iss: 'https://other.example/' }), 'issuer'],
    ['another audience', sign({ ...claims, aud: 'other', client_id: 'shop' }), 'audience'],
    ['an end', sign({ ...claims, exp: now - 1 }), 'expired'],
    ['a later beginning', sign({ ...claims, nbf: now + 3_600 }), 'not valid yet'],
  ])('a token with %s is a 401 that says why', async (_, token, why) => {
    const { status, body, headers } = await ask(token);
    expect([status, body]).toEqual([401, '{"message":"Unauthorized"}']);
    expect(headers['www-authenticate']).toContain(why);
  });

  test('a token of a client has its id in the place of the audience', async () => {
    const { aud: _, ...without } = claims;
    expect((await ask(sign({ ...without, client_id: 'shop' }))).status).toBe(200);
  });

  test('a route with scopes needs one of them', async () => {
    expect((await ask(sign(claims), '/scoped')).status).toBe(403);
    const { body } = await ask(sign({ ...claims, scope: 'other orders/all' }), '/scoped');
    expect(JSON.parse(body).requestContext.authorizer.jwt.scopes).toEqual(['other', 'orders/all']);
  });

  test('an issuer whose host nobody has added has no keys', async () => {
    const alone = createHttpApi({
      ...httpRoute('Get', 'GET /orders', JWT),
      Authorizer: httpAuthorizer({ AuthorizerType: 'JWT', JwtConfiguration: { Issuer: issuer, Audience: ['shop'] } }),
    });
    const headers = { Authorization: sign(claims) };
    expect((await askEndpoint(alone, { path: '/orders', headers })).status).toBe(401);
    expect((await askEndpoint(alone, { path: '/orders' })).status).toBe(401);
  });
});
