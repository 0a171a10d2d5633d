import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { arnOf, createCloud, functionResource } from '../../support/clouds.js';
import type { ApiRequest, ApiResponse } from './messages.js';

const Api: Json = { Ref: 'Api' };
const method = (
  HttpMethod: string,
  at: Json = { Ref: 'Things' },
): { Type: string; Properties: { [name: string]: Json } } => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    RestApiId: Api,
    ResourceId: at,
    HttpMethod,
    AuthorizationType: 'NONE',
    Integration: {
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      Uri: {
        'Fn::Join': [
          '',
          ['arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/', arnOf('Work'), '/invocations'],
        ],
      },
    },
  },
});

const ALLOW = 'method.response.header.Allow';
/** Configures a path to answer 405 to all other methods, without an integration. */
const others = (
  at: Json,
  more: { [name: string]: Json } = {},
): { Type: string; Properties: { [name: string]: Json } } => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    RestApiId: Api,
    ResourceId: at,
    HttpMethod: 'ANY',
    AuthorizationType: 'NONE',
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":405}' },
      IntegrationResponses: [
        {
          StatusCode: '405',
          ResponseParameters: { [ALLOW]: "'GET, POST'" },
          ResponseTemplates: { 'application/json': '{"id":"$context.requestId"}' },
        },
      ],
      ...more,
    },
    MethodResponses: [{ StatusCode: '405', ResponseParameters: { [ALLOW]: true } }],
  },
});

/** An API with `GET` and `POST /things` whose stage admits 2 requests a second, and a burst of 3. */
const shop = (ResourcePath = '/*', mock: { [name: string]: Json } = {}) =>
  createCloud(
    {
      ...functionResource('Work'),
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'shop' } },
      Things: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: { RestApiId: Api, ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'things' },
      },
      Get: method('GET'),
      Post: method('POST'),
      Others: others({ Ref: 'Things' }, mock),
      Thing: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: { RestApiId: Api, ParentId: { Ref: 'Things' }, PathPart: '{thing}' },
      },
      GetThing: method('GET', { Ref: 'Thing' }),
      Lists: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: { RestApiId: Api, ParentId: { Ref: 'Things' }, PathPart: 'lists' },
      },
      PostList: method('POST', { Ref: 'Lists' }),
      OtherLists: others({ Ref: 'Lists' }, mock),
      May: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: arnOf('Work'),
          Principal: 'apigateway.amazonaws.com',
        },
      },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: {
          RestApiId: Api,
          StageName: 'v1',
          MethodSettings: [
            { HttpMethod: '*', ResourcePath, ThrottlingRateLimit: 2, ThrottlingBurstLimit: 3 },
            { HttpMethod: 'POST', ResourcePath: '/~1things~1lists', ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 },
          ],
        },
      },
      Throttled: {
        Type: 'AWS::ApiGateway::GatewayResponse',
        Properties: {
          RestApiId: Api,
          ResponseType: 'THROTTLED',
          StatusCode: '429',
          ResponseParameters: { 'gatewayresponse.header.Content-Type': "'application/problem+json'" },
          ResponseTemplates: { 'application/json': '{"type":"throttled","instance":"$context.requestId"}' },
        },
      },
    },
    { Work: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) });' },
  );

async function answersTo(
  cloud: ReturnType<typeof shop>,
  requests: readonly ApiRequest[],
): Promise<readonly ApiResponse[]> {
  const got: ApiResponse[] = [];
  for (const request of requests) cloud.apis[0]?.request(request, (response) => got.push(response));
  await cloud.world.until(() => got.length === requests.length);
  return got;
}

const answers = (cloud: ReturnType<typeof shop>, methods: readonly string[]): Promise<readonly ApiResponse[]> =>
  answersTo(
    cloud,
    methods.map((name) => ({ method: name, path: '/things', headers: {} })),
  );

const statuses = async (cloud: ReturnType<typeof shop>, ...methods: readonly string[]): Promise<readonly number[]> =>
  (await answers(cloud, methods)).map(({ status }) => status).sort();

test('a method with limits of its own is throttled by them', async () => {
  const post = { method: 'POST', path: '/things/lists', headers: {} };
  const got = await answersTo(shop(), [post, post]);
  expect(got.map(({ status }) => status).sort()).toEqual([200, 429]);
});

test('a method above its burst is throttled with the gateway response of the template', async () => {
  const got = await answers(shop(), ['GET', 'GET', 'GET', 'GET']);
  const throttled = got.filter(({ status }) => status !== 200);
  expect(throttled).toMatchObject([{ status: 429, headers: { 'content-type': 'application/problem+json' } }]);
  expect(JSON.parse(throttled[0]?.body ?? '')).toEqual({ type: 'throttled', instance: expect.stringMatching(/./) });
});

test('each method has a bucket of its own, which its rate fills up to the burst', async () => {
  const cloud = shop();
  expect(await statuses(cloud, 'GET', 'GET', 'GET')).toEqual([200, 200, 200]);
  expect(await statuses(cloud, 'POST')).toEqual([200]);
  await cloud.world.pass(1_000);
  expect(await statuses(cloud, 'GET', 'GET', 'GET', 'GET')).toEqual([200, 200, 429, 429]);
  await cloud.world.pass(3_600_000);
  expect(await statuses(cloud, 'GET', 'GET', 'GET', 'GET')).toEqual([200, 200, 200, 429]);
});

test('settings of all methods of one path are refused by name', () => {
  expect(() => shop('/~1things')).toThrow('Shop/Stage: settings of * /~1things alone');
});

test('a method that a path lacks is answered by its mock, and by no other path that would fit', async () => {
  const asking = async (method: string, path: string, headers: ApiRequest['headers'] = {}) => {
    const [
      {
        status,
        headers: { allow },
        body,
      } = { status: 0, headers: {}, body: '' },
    ] = await answersTo(shop(), [{ method, path, headers }]);
    return { status, allow, body };
  };
  const refused = { status: 405, allow: 'GET, POST', body: expect.stringMatching(/^{"id":".+"}$/) };
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) expect(await asking(method, '/things')).toEqual(refused);
  expect(await asking('HEAD', '/things')).toEqual({ ...refused, body: '' });
  expect(await asking('GET', '/things/one')).toMatchObject({ status: 200 });
  expect(await asking('GET', '/things/lists')).toEqual(refused);
  expect(await asking('PUT', '/things/lists', { 'content-type': 'application/json' })).toEqual(refused);
  expect(await asking('PUT', '/things', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 415 });
  // Without a mock, and for methods that ANY doesn't cover, as for a path that doesn't exist.
  for (const [method, path] of [
    ['PUT', '/things/one'],
    ['TRACE', '/things'],
    ['GET', '/none'],
  ] as const)
    expect(await asking(method, path)).toMatchObject({ status: 403 });
});

test.each<[string, { [name: string]: Json }, string]>([
  ['has another template', { RequestTemplates: { 'text/plain': '' } }, 'templates of text/plain'],
  ['has no answer', { IntegrationResponses: [] }, 'one answer'],
  ['names no status', { RequestTemplates: { 'application/json': '{}' } }, 'no statusCode'],
  ['has an answer that its method has not', { IntegrationResponses: [{ StatusCode: '404' }] }, 'no method response'],
  [
    'has a header that its method has not',
    { IntegrationResponses: [{ StatusCode: '405', ResponseParameters: { 'method.response.header.A': "'a'" } }] },
    'lacks method.response.header.A',
  ],
])('a mock that %s is refused by name', (_, mock, message) => {
  expect(() => shop('/*', mock)).toThrow(message);
});

test('a function gets the last value of a header that comes twice, and a list of both', async () => {
  const request = { method: 'GET', path: '/things', headers: { 'If-Match': ['1', '2'], Accept: 'a' } };
  const [answer] = await answersTo(shop(), [request]);
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({
    headers: { 'If-Match': '2', Accept: 'a' },
    multiValueHeaders: { 'If-Match': ['1', '2'], Accept: ['a'] },
  });
});

test.each(['/things/%zz', '/things/%', '/%E0%A4%A', '/none%'])('the path %s can not be decoded: 400', async (path) => {
  expect(await answersTo(shop(), [{ method: 'GET', path, headers: {} }])).toMatchObject([{ status: 400 }]);
});
