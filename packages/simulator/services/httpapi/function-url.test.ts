import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { arnOf, createCloud, functionResource } from '../../support/clouds.js';
import { askEndpoint } from '../../support/http-apis.js';

const CODE = `exports.handler = async (event) => {
  if (event.body === 'fail') throw new Error('broken');
  return event.body ? JSON.parse(event.body) : event;
};`;

/** Creates a function with an address. @param permission its properties; none if null */
const create = (url: { [name: string]: Json } = {}, permission: { [name: string]: Json } | null = {}) =>
  createCloud(
    {
      Url: {
        Type: 'AWS::Lambda::Url',
        Properties: { AuthType: 'NONE', TargetFunctionArn: arnOf('Work'), ...url },
      },
      ...functionResource('Work'),
      ...(permission && {
        Public: {
          Type: 'AWS::Lambda::Permission',
          Properties: {
            Action: 'lambda:InvokeFunctionUrl',
            FunctionName: arnOf('Work'),
            Principal: '*',
            FunctionUrlAuthType: 'NONE',
            ...permission,
          },
        },
      }),
    },
    { Work: CODE },
  );

test('a request of any path is an event in the format 2.0 of nobody', async () => {
  const cloud = create();
  const { body } = await askEndpoint(cloud, { path: '/any/path?a=1', headers: { Cookie: 'a=1' } });
  expect(JSON.parse(body)).toMatchObject({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/any/path',
    rawQueryString: 'a=1',
    cookies: ['a=1'],
    requestContext: {
      accountId: 'anonymous',
      apiId: 'shop-url',
      domainName: 'shop-url.lambda-url.eu-west-1.on.aws',
      stage: '$default',
    },
  });
  expect(cloud.deployment.assembly.findByArn('arn:aws:lambda:eu-west-1:123456789012:function:Shop-Work').type).toBe(
    'AWS::Lambda::Function',
  );
});

test('answers of the function, of one that fails and of one that is throttled', async () => {
  const cloud = create();
  const ask = (body: string) => askEndpoint(cloud, { method: 'POST', body });
  expect(await ask('{"id":1}')).toMatchObject({ status: 200, body: '{"id":1}' });
  expect(await ask('{"statusCode":202,"body":"{}"}')).toEqual({
    status: 202,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect((await ask('fail')).status).toBe(502);
  cloud.fn('Shop/Work').reserve(0);
  expect((await ask('{}')).status).toBe(429);
});

test('nobody gets in without the permission for addresses of this kind', async () => {
  expect((await askEndpoint(create({}, null), {})).status).toBe(403);
  expect((await askEndpoint(create({}, { FunctionUrlAuthType: 'AWS_IAM' }), {})).status).toBe(403);
  expect((await askEndpoint(create({}, { Action: 'lambda:InvokeFunction' }), {})).status).toBe(403);
});

test('an address for signed requests refuses others', async () => {
  const cloud = create({ AuthType: 'AWS_IAM' }, null);
  const headers = { Authorization: 'AWS4-HMAC-SHA256 Credential=AKIA/20260105/eu-west-1/lambda/aws4_request, x' };
  expect((await askEndpoint(cloud, {})).status).toBe(403);
  const { body } = await askEndpoint(cloud, { headers });
  expect(JSON.parse(body).requestContext.authorizer.iam).toMatchObject({ accessKey: 'AKIA' });
});

test('a page gets a preflight', async () => {
  const cloud = create({ Cors: { AllowOrigins: ['*'] } });
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
  expect(await askEndpoint(cloud, { method: 'OPTIONS', headers })).toEqual({
    status: 200,
    headers: { 'access-control-allow-origin': '*' },
    body: '',
  });
});

test('a stream is refused by name', () =>
  expect(() => create({ InvokeMode: 'RESPONSE_STREAM' })).toThrow('InvokeMode RESPONSE_STREAM'));
