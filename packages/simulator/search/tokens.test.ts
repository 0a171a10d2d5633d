import { expect, test } from 'vitest';
import { simulatedIssuer } from '../client/issuer.js';
import type { Cloud } from '../cloud/cloud.js';
import { apiMethod, apiResource, createApi, may, requestApi, tokenAuthorizer } from '../support/apis.js';
import { arnOf, functionResource } from '../support/clouds.js';
import { askEndpoint, createHttpApi, httpAuthorizer, httpRoute } from '../support/http-apis.js';
import { fillIn } from './placeholders.js';
import { makeStarter } from './starter.js';
import type { RecordedRequest } from './stimulus.js';

const Properties = { UserPoolId: { Ref: 'Pool' } };
const users = {
  Pool: { Type: 'AWS::Cognito::UserPool', Properties: {} },
  Web: { Type: 'AWS::Cognito::UserPoolClient', Properties },
  Machine: {
    Type: 'AWS::Cognito::UserPoolClient',
    Properties: {
      ...Properties,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: ['orders/read'],
      GenerateSecret: true,
    },
  },
};
const guarded = { AuthorizationType: 'COGNITO_USER_POOLS', AuthorizerId: { Ref: 'Authorizer' } };
const createGuarded = (): Cloud =>
  createApi({
    ...users,
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

const filled = (cloud: Cloud, authorization: string, path = '/orders') =>
  fillIn(
    cloud,
    { name: `GET ${path}`, method: 'GET', path, headers: { Authorization: authorization } },
    new Map(),
  ) as RecordedRequest;

test.each([
  ['/orders', '{{idToken:alice}}', 200],
  ['/orders', 'Bearer {{ idToken:alice }}', 200],
  ['/scoped', '{{clientToken}}', 200],
  ['/scoped', '{{idToken:alice}}', 401],
])('a recorded request to %s with %s is answered with %i', async (path, authorization, status) => {
  const cloud = createGuarded();
  expect((await requestApi(cloud, filled(cloud, authorization, path))).status).toBe(status);
});

test('two requests of one name are of one user, and another name is another user', async () => {
  const cloud = createGuarded();
  const subOf = async (name: string): Promise<unknown> => {
    const { body } = await requestApi(cloud, filled(cloud, `{{idToken:${name}}}`));
    return JSON.parse(body).requestContext.authorizer.claims.sub;
  };
  const [first, again, other] = [await subOf('alice'), await subOf('alice'), await subOf('bob')];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

const claimsOf = (token: unknown) => JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());

test('both tokens of a user are of one sign-in, and the user has the attributes that the pool demands', () => {
  const pool = {
    Type: 'AWS::Cognito::UserPool',
    Properties: { AutoVerifiedAttributes: ['email'], Schema: [{ Name: 'given_name', Required: true }] },
  };
  const cloud = createApi({ ...users, Pool: pool, Get: apiMethod(undefined, 'GET') });
  const tokens = ['idToken:vera custom:tenant=t1', 'accessToken:vera scope=openid,orders/read'].map((name) =>
    claimsOf(filled(cloud, `{{${name}}}`).headers.Authorization),
  );
  expect(tokens[0]).toMatchObject({
    email: 'vera@example.com',
    email_verified: true,
    given_name: 'vera',
    'custom:tenant': 't1',
  });
  expect(tokens[1]).toMatchObject({ origin_jti: tokens[0].origin_jti, scope: 'openid orders/read' });
});

test('a user is in groups of the pool', () => {
  const group = { Type: 'AWS::Cognito::UserPoolGroup', Properties: { ...Properties, GroupName: 'clerks' } };
  const cloud = createApi({ ...users, Clerks: group, Get: apiMethod(undefined, 'GET') });
  const claims = (name: string) => claimsOf(filled(cloud, `{{${name}}}`).headers.Authorization);
  expect(claims('accessToken:vera groups=clerks')['cognito:groups']).toEqual(['clerks']);
  expect(() => claims('idToken:vera groups=admins')).toThrow(
    'groups=admins: the user pool has no such group; there are: clerks',
  );
});

test('of several pools, a part of the label chooses one', () => {
  const other = { UserPoolId: { Ref: 'Staff' } };
  const cloud = createApi({
    ...users,
    Staff: { Type: 'AWS::Cognito::UserPool', Properties: {} },
    Office: { Type: 'AWS::Cognito::UserPoolClient', Properties: other },
    Get: apiMethod(undefined, 'GET'),
  });
  const issuer = (name: string) => claimsOf(filled(cloud, `{{idToken:${name}}}`).headers.Authorization).iss;
  expect(issuer('vera pool=Staff')).not.toBe(issuer('vera'));
  expect(() => issuer('vera pool=Guests')).toThrow('the app has no user pool Guests with a client for users');
});

const JWT = { AuthorizationType: 'JWT', AuthorizerId: { Ref: 'Authorizer' } };
const createWithIssuer = (): Cloud =>
  createHttpApi({
    ...httpRoute('Get', 'GET /orders', { ...JWT, AuthorizationScopes: ['orders/read'] }),
    Authorizer: httpAuthorizer({
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://tenant.example/', Audience: ['shop'] },
    }),
  });

test('a JWT authorizer believes a token of its issuer, whose keys the simulator tells', async () => {
  const cloud = createWithIssuer();
  const { status, body } = await askEndpoint(cloud, filled(cloud, 'Bearer {{jwt:vera}}'));
  expect(status).toBe(200);
  expect(JSON.parse(body).requestContext.authorizer.jwt.claims).toMatchObject({ sub: 'vera', aud: 'shop' });
});

test('an app that has nobody to issue a token says so', () => {
  const cloud = createApi({ Get: apiMethod(undefined, 'GET') });
  expect(() => filled(cloud, '{{idToken}}')).toThrow('{{idToken}}: the app has no user pool with a client for users');
  expect(() => filled(cloud, '{{clientToken}}')).toThrow('no user pool with a client for machines');
  expect(() => filled(cloud, '{{jwt}}')).toThrow('the app has no JWT authorizer with an issuer of its own');
});

test('the first file of requests signs in where a pool or an issuer is asked', () => {
  expect(makeStarter(createGuarded()).text).toContain('GET /orders\nAuthorization: {{idToken:alice}}\n');
  expect(makeStarter(createWithIssuer()).text).toContain('GET /orders\nAuthorization: Bearer {{jwt:alice}}\n');
});

test('an authorizer of the app that trusts the simulated issuer gets its tokens, with claims, and a mocked method has no request', async () => {
  const decide = `exports.handler = async ({ authorizationToken }) => {
    const claims = JSON.parse(Buffer.from(authorizationToken.split('.')[1], 'base64url'));
    const Effect = claims.iss === process.env.ISSUER && claims.role === 'clerk' ? 'Allow' : 'Deny';
    return { principalId: claims.sub, policyDocument: { Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: '*' }] } };
  };`;
  const Mock = {
    Type: 'MOCK',
    RequestTemplates: { 'application/json': '{"statusCode":405}' },
    IntegrationResponses: [{ StatusCode: '405' }],
  };
  const custom = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Authorizer' } };
  const cloud = createApi(
    {
      ...functionResource('Decide', [], { Environment: { Variables: { ISSUER: simulatedIssuer.auth.issuer } } }),
      MayDecide: may('Decide'),
      Authorizer: tokenAuthorizer('Decide'),
      Orders: apiResource('orders'),
      Get: apiMethod('Orders', 'GET', custom),
      Any: apiMethod('Orders', 'ANY', { Integration: Mock, MethodResponses: [{ StatusCode: '405' }] }),
    },
    { Decide: decide },
  );
  const { text, names } = makeStarter(cloud);
  expect(names).toEqual(['GET /orders']);
  expect(text).toContain('GET /orders\nAuthorization: Bearer {{token:alice}}');
  expect(text).toContain('{{token:alice role=clerk}}');
  const ask = async (token: string) => (await requestApi(cloud, filled(cloud, `Bearer ${token}`))).status;
  expect([await ask('{{token:alice role=clerk}}'), await ask('{{token:alice}}')]).toEqual([200, 403]);
});
