import { expect, test } from 'vitest';
import { apiMethod, apiResource, createApi, requestApi } from '../../support/apis.js';
import { arnOf } from '../../support/clouds.js';

const guarded = { AuthorizationType: 'COGNITO_USER_POOLS', AuthorizerId: { Ref: 'Authorizer' } };
const pool = { Type: 'AWS::Cognito::UserPool', Properties: {} };
const client = (of: string) => ({ Type: 'AWS::Cognito::UserPoolClient', Properties: { UserPoolId: { Ref: of } } });

const cloud = createApi({
  Pool: pool,
  Client: client('Pool'),
  Foreign: pool,
  ForeignClient: client('Foreign'),
  Authorizer: {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: {
      RestApiId: { Ref: 'Api' },
      Type: 'COGNITO_USER_POOLS',
      Name: 'users',
      IdentitySource: 'method.request.header.Authorization',
      ProviderARNs: [arnOf('Pool')],
    },
  },
  Orders: apiResource('orders'),
  Get: apiMethod('Orders', 'GET', guarded),
  Scoped: apiResource('scoped'),
  GetScoped: apiMethod('Scoped', 'GET', { ...guarded, AuthorizationScopes: ['orders/read'] }),
});
const [own, foreign] = cloud.userPools.pools.map((one) => {
  const user = one.addUser('alice', undefined, new Map(), 'CONFIRMED');
  const [first] = one.clients;
  if (!first) throw new Error('no client');
  return { ...one.issueFor(user, first), machine: (scope: string) => one.issueForClient(first, [scope]) };
});

test.each([
  ['an id token', '/orders', own?.IdToken, 200],
  ['an access token without scopes of the method', '/orders', own?.AccessToken, 401],
  ['a token of another pool', '/orders', foreign?.IdToken, 401],
  ['nothing', '/orders', undefined, 401],
  ['a changed token', '/orders', own?.IdToken.replace(/.{9}$/, 'AAAAAAAAA'), 401],
  ['a needed scope', '/scoped', own?.machine('orders/read'), 200],
  ['another scope', '/scoped', own?.machine('orders/write'), 403],
  ['an id token in the place of an access token', '/scoped', own?.IdToken, 401],
])('%s at %s', async (_, path, token, expected) => {
  const { status } = await requestApi(cloud, { path, headers: token === undefined ? {} : { Authorization: token } });
  expect(status).toBe(expected);
});

test('the function gets the claims', async () => {
  const headers = { authorization: `Bearer ${own?.IdToken}` };
  const { body } = await requestApi(cloud, { path: '/orders', headers });
  expect(JSON.parse(body).requestContext.authorizer.claims).toMatchObject({
    token_use: 'id',
    'cognito:username': 'alice',
  });
});

test('a token ends', async () => {
  const later = cloud.world.now + 3_601_000;
  let over = false;
  cloud.world.after(later - cloud.world.now, () => {
    over = true;
  });
  await cloud.world.until(() => over);
  expect((await requestApi(cloud, { path: '/orders', headers: { Authorization: String(own?.IdToken) } })).status).toBe(
    401,
  );
});
