import { expect, test } from 'vitest';
import type { Json } from '../assembly/intrinsics.js';
import type { ApiResponse } from './api-gateway.js';
import { arnOf, cloudOf, fn } from './support.js';

const Api: Json = { Ref: 'Api' };
const method = (HttpMethod: string): { Type: string; Properties: { [name: string]: Json } } => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    RestApiId: Api,
    ResourceId: { Ref: 'Things' },
    HttpMethod,
    AuthorizationType: 'NONE',
    Integration: {
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      Uri: { 'Fn::Join': ['', ['arn:aws:apigateway:lambda:path/functions/', arnOf('Work'), '/invocations']] },
    },
  },
});

/** An API with `GET` and `POST /things` whose stage lets 2 requests a second pass, and 3 at once. */
const shop = (ResourcePath = '/*') =>
  cloudOf(
    {
      ...fn('Work'),
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'shop' } },
      Things: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: { RestApiId: Api, ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'things' },
      },
      Get: method('GET'),
      Post: method('POST'),
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
          MethodSettings: [{ HttpMethod: '*', ResourcePath, ThrottlingRateLimit: 2, ThrottlingBurstLimit: 3 }],
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
    { Work: "exports.handler = async () => ({ statusCode: 200, body: '{}' });" },
  );

async function answers(cloud: ReturnType<typeof shop>, methods: readonly string[]): Promise<readonly ApiResponse[]> {
  const got: ApiResponse[] = [];
  for (const name of methods)
    cloud.apis[0]?.request({ method: name, path: '/things', headers: {} }, (response) => got.push(response));
  await cloud.world.until(() => got.length === methods.length);
  return got;
}

const statuses = async (cloud: ReturnType<typeof shop>, ...methods: readonly string[]): Promise<readonly number[]> =>
  (await answers(cloud, methods)).map(({ status }) => status).sort();

test('above its burst a method is throttled, as the gateway response of the template says', async () => {
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

test('settings of single methods are refused by name', () => {
  expect(() => shop('/~1things')).toThrow('Shop/Stage: settings of * /~1things alone');
});
