import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { awsApiOf, callPool } from '../../support/clients.js';
import { allowStatement, arnOf, createCloud, functionResource } from '../../support/clouds.js';
import { askEndpoint, createHttpApi, httpAuthorizer, httpRoute } from '../../support/http-apis.js';
import { decodeToken } from './jwt.js';

type Properties = { [name: string]: Json };
const POOL = 'eu-west-1_ShopPool';
const PASSWORD = 'Str0ng-word';

const resources = (pool: Properties = {}, client: Properties = {}) => ({
  Pool: { Type: 'AWS::Cognito::UserPool', Properties: pool },
  Client: {
    Type: 'AWS::Cognito::UserPoolClient',
    Properties: { UserPoolId: { Ref: 'Pool' }, ExplicitAuthFlows: ['ALLOW_USER_PASSWORD_AUTH'], ...client },
  },
  Domain: { Type: 'AWS::Cognito::UserPoolDomain', Properties: { Domain: 'shop', UserPoolId: { Ref: 'Pool' } } },
});

/** Creates an account with a pool, and what asks it: operations by their names. */
function create(pool: Properties = {}, client: Properties = {}, more = {}, code = {}) {
  const cloud = createCloud({ ...resources(pool, client), ...more }, code);
  const { answer } = awsApiOf(cloud);
  const call = callPool(cloud);
  const ask = async (host: string, path: string, headers = {}, body?: string) => {
    const asked = { method: body === undefined ? 'GET' : 'POST', host, path, headers, body: body ?? '' };
    const { status, body: text } = await answer(asked);
    return { status, body: JSON.parse(text) };
  };
  return { cloud, call, ask };
}

const signUp = (Username: string, more = {}) => ({ ClientId: 'ShopClient', Username, Password: PASSWORD, ...more });
const signIn = (USERNAME: string, more = {}) => ({
  ClientId: 'ShopClient',
  AuthFlow: 'USER_PASSWORD_AUTH',
  AuthParameters: { USERNAME, PASSWORD, ...more },
});

describe('users', () => {
  test('one who signs up is confirmed by a code, and then signs in', async () => {
    const { call } = create({ UsernameAttributes: ['email'], AutoVerifiedAttributes: ['email'] });
    const { UserSub, UserConfirmed } = await call('SignUp', signUp('a@b.example'));
    expect(UserConfirmed).toBe(false);
    expect(await call('SignUp', signUp('a@b.example'))).toContain('UsernameExistsException');
    expect(await call('InitiateAuth', signIn('a@b.example'))).toContain('UserNotConfirmedException');
    const confirm = { ClientId: 'ShopClient', Username: 'a@b.example' };
    expect(await call('ConfirmSignUp', { ...confirm, ConfirmationCode: '1' })).toContain('CodeMismatchException');
    expect(await call('ConfirmSignUp', { ...confirm, ConfirmationCode: '123456' })).toEqual({});
    expect(await call('InitiateAuth', signIn('a@b.example', { PASSWORD: 'x' }))).toContain('NotAuthorizedException');
    const { AuthenticationResult: tokens } = await call('InitiateAuth', signIn('a@b.example'));
    expect(decodeToken(tokens.IdToken)?.claims).toMatchObject({
      sub: UserSub,
      aud: 'ShopClient',
      token_use: 'id',
      email: 'a@b.example',
      email_verified: true,
      iss: `https://cognito-idp.eu-west-1.amazonaws.com/${POOL}`,
    });
    expect(decodeToken(tokens.AccessToken)?.claims).toMatchObject({ client_id: 'ShopClient', token_use: 'access' });
    const again = { ClientId: 'ShopClient', AuthFlow: 'REFRESH_TOKEN_AUTH' };
    const refreshed = await call('InitiateAuth', { ...again, AuthParameters: { REFRESH_TOKEN: tokens.RefreshToken } });
    expect(decodeToken(refreshed.AuthenticationResult.IdToken)?.claims.sub).toBe(UserSub);
  });

  test('what a pool and a client refuse', async () => {
    const { call } = create({ AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } }, { GenerateSecret: true });
    expect(await call('SignUp', signUp('alice'))).toContain('NotAuthorizedException: SignUp is not permitted');
    const weak = { UserPoolId: POOL, Username: 'alice', TemporaryPassword: 'short' };
    expect(await call('AdminCreateUser', weak)).toContain('InvalidPasswordException');
    expect(await call('AdminCreateUser', { UserPoolId: POOL, Username: 'alice' })).toMatchObject({
      User: { UserStatus: 'FORCE_CHANGE_PASSWORD' },
    });
    const permanent = { UserPoolId: POOL, Username: 'alice', Password: PASSWORD, Permanent: true };
    expect(await call('AdminSetUserPassword', permanent)).toEqual({});
    expect(await call('InitiateAuth', signIn('alice'))).toContain('Unable to verify secret hash');
    const { call: other } = create({}, { ExplicitAuthFlows: [] });
    expect(await other('InitiateAuth', signIn('alice'))).toContain('flow not enabled for this client');
    expect(await other('InitiateAuth', { ...signIn('alice'), AuthFlow: 'USER_SRP_AUTH' })).toContain('USER_SRP_AUTH');
  });

  const trigger = (
    code: string,
    LambdaConfig: Properties = { PreSignUp: arnOf('Ask') },
    Principal = 'cognito-idp.amazonaws.com',
  ) =>
    create(
      { LambdaConfig },
      {},
      {
        ...functionResource('Ask', [], { Timeout: 10 }),
        May: {
          Type: 'AWS::Lambda::Permission',
          Properties: {
            Action: 'lambda:InvokeFunction',
            FunctionName: arnOf('Ask'),
            Principal,
            SourceArn: arnOf('Pool'),
          },
        },
      },
      { Ask: code },
    );

  test('a function before a sign-up confirms a user, or refuses one', async () => {
    const code = `exports.handler = async (event) => {
      if (event.userName === 'mallory') throw new Error('unwanted');
      event.response.autoConfirmUser = event.triggerSource === 'PreSignUp_SignUp';
      return event;
    };`;
    const { call } = trigger(code);
    expect(await call('SignUp', signUp('alice'))).toMatchObject({ UserConfirmed: true });
    expect(await call('SignUp', signUp('mallory'))).toContain('PreSignUp failed with error unwanted.');
    expect(await call('AdminGetUser', { UserPoolId: POOL, Username: 'mallory' })).toContain('UserNotFoundException');
    expect(await trigger(code, undefined, 'sns.amazonaws.com').call('SignUp', signUp('a'))).toContain('AccessDenied');
  });

  test('a function that takes longer than 5 s is called three times', async () => {
    const code = `exports.handler = async (event) => { await new Promise((r) => setTimeout(r, 6000)); return event; };`;
    const { cloud, call } = trigger(code, { PostConfirmation: arnOf('Ask') });
    await call('SignUp', signUp('alice'));
    expect(await call('AdminConfirmSignUp', { UserPoolId: POOL, Username: 'alice' })).toContain('it timed out');
    expect(cloud.fn('Shop/Ask').invocations).toBe(3);
  });

  test('a function changes the claims of an id token', async () => {
    const { call } = trigger(
      `exports.handler = async (event) => ({ ...event, response: {
        claimsOverrideDetails: { claimsToAddOrOverride: { tenant: 'a' }, claimsToSuppress: ['email'] } } });`,
      { PreTokenGeneration: arnOf('Ask') },
    );
    await call('SignUp', signUp('alice', { UserAttributes: [{ Name: 'email', Value: 'a@b.example' }] }));
    await call('AdminConfirmSignUp', { UserPoolId: POOL, Username: 'alice' });
    const { AuthenticationResult } = await call('InitiateAuth', signIn('alice'));
    const claims = decodeToken(AuthenticationResult.IdToken)?.claims;
    expect([claims?.tenant, claims?.email]).toEqual(['a', undefined]);
  });
});

describe('tokens of clients', () => {
  const machine = {
    GenerateSecret: true,
    AllowedOAuthFlowsUserPoolClient: true,
    AllowedOAuthFlows: ['client_credentials'],
    AllowedOAuthScopes: ['orders/read', 'orders/write'],
  };
  const host = 'shop.auth.eu-west-1.amazoncognito.com';
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`ShopClient:${secret}`).toString('base64')}`,
  });

  test('the token endpoint issues one with the scopes that a client asks for', async () => {
    const { ask, call } = create({}, machine);
    const { UserPoolClient } = await call('DescribeUserPoolClient', { UserPoolId: POOL, ClientId: 'ShopClient' });
    const own = basic(UserPoolClient.ClientSecret);
    const grant = 'grant_type=client_credentials';
    const { body } = await ask(host, '/oauth2/token', own, `${grant}&scope=orders%2Fread`);
    expect(decodeToken(body.access_token)?.claims).toMatchObject({ client_id: 'ShopClient', scope: 'orders/read' });
    const errors = [];
    for (const [headers, form] of [
      [basic('wrong'), grant],
      [own, `${grant}&scope=other`],
      [own, 'grant_type=password'],
    ] as const)
      errors.push((await ask(host, '/oauth2/token', headers, form)).body.error);
    expect(errors).toEqual(['invalid_client', 'invalid_scope', 'unsupported_grant_type']);
    expect((await ask('127.0.0.1:4566', `/${POOL}/.well-known/jwks.json`)).body.keys).toHaveLength(1);
  });

  test('a function finds the keys of a pool at its issuer', async () => {
    const cloud = createCloud(
      { ...resources(), ...functionResource('Read') },
      {
        Read: `exports.handler = async () => (await fetch('https://cognito-idp.eu-west-1.amazonaws.com/${POOL}/.well-known/jwks.json')).json();`,
      },
    );
    let keys: unknown;
    cloud.fn('Shop/Read').invoke({}, (result) => {
      keys = result.kind === 'returned' ? (result.value as { keys: unknown }).keys : result;
    });
    await cloud.world.settle();
    expect(keys).toMatchObject([{ kid: 'simulated', kty: 'RSA', alg: 'RS256' }]);
  });
});

test('an HTTP API believes the tokens of a pool', async () => {
  const Issuer = { 'Fn::GetAtt': ['Pool', 'ProviderURL'] };
  const cloud = createHttpApi({
    ...resources(),
    ...httpRoute('Get', 'GET /orders', { AuthorizationType: 'JWT', AuthorizerId: { Ref: 'Authorizer' } }),
    Authorizer: httpAuthorizer({
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer, Audience: [{ Ref: 'Client' }] },
    }),
  });
  const [pool] = cloud.userPools.pools;
  const [client] = pool?.clients ?? [];
  if (!pool || !client) throw new Error('no pool');
  const tokens = pool.issueFor(pool.addUser('alice', undefined, new Map(), 'CONFIRMED'), client);
  for (const token of [tokens.IdToken, tokens.AccessToken]) {
    const { status } = await askEndpoint(cloud, { path: '/orders', headers: { Authorization: `Bearer ${token}` } });
    expect(status).toBe(200);
  }
  expect((await askEndpoint(cloud, { path: '/orders', headers: { Authorization: 'Bearer x' } })).status).toBe(401);
});

test('a function calls a pool with the rights of its role', async () => {
  const call = `const { request } = require('https');
    const ask = (target, body) => new Promise((resolve) => {
      const sent = request({ method: 'POST', host: 'cognito-idp.eu-west-1.amazonaws.com', path: '/',
        headers: { 'X-Amz-Target': 'AWSCognitoIdentityProviderService.' + target } });
      sent.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve(response.statusCode));
      });
      sent.end(JSON.stringify(body));
    });
    exports.handler = async () => [
      await ask('AdminCreateUser', { UserPoolId: '${POOL}', Username: 'alice' }),
      await ask('AdminDeleteUser', { UserPoolId: '${POOL}', Username: 'alice' }),
      await ask('SignUp', { ClientId: 'ShopClient', Username: 'bob', Password: '${PASSWORD}' }),
    ];`;
  const rights = [allowStatement(['cognito-idp:AdminCreateUser'], arnOf('Pool'))];
  const cloud = createCloud({ ...resources(), ...functionResource('Work', rights) }, { Work: call });
  let result: unknown;
  cloud.fn('Shop/Work').invoke({}, (given) => {
    result = given;
  });
  await cloud.world.settle();
  expect(result).toEqual({ kind: 'returned', value: [200, 400, 200] });
});
