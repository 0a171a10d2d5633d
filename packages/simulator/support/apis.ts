import type { Json } from '../assembly/intrinsics.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { arnOf, createCloud, functionResource } from './clouds.js';

type Resource = { Type: string; Properties: { [name: string]: Json } };

const Api: Json = { Ref: 'Api' };
const ROOT: Json = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
/** A function that returns what the body of its request says, or else its event. */
const ECHO = `exports.handler = async (event) =>
  event.body ? JSON.parse(event.body).answer : { body: JSON.stringify(event) };`;

/** URI of an integration with a function. */
export const integrationUri = (
  name: string,
  prefix = 'arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/',
): Json => ({
  'Fn::Join': ['', [prefix, arnOf(name), '/invocations']],
});

/** A method of a path, with a function that echoes. */
export const apiMethod = (
  at: string | undefined,
  HttpMethod: string,
  more: { [name: string]: Json } = {},
): Resource => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    RestApiId: Api,
    ResourceId: at === undefined ? ROOT : { Ref: at },
    HttpMethod,
    AuthorizationType: 'NONE',
    Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Echo') },
    ...more,
  },
});

/** A mock that answers a text. */
export const mockMethod = (
  at: string | undefined,
  HttpMethod: string,
  text: string,
  request = '{"statusCode":200}',
): Resource =>
  apiMethod(at, HttpMethod, {
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': request },
      IntegrationResponses: [{ StatusCode: '200', ResponseTemplates: { 'application/json': text } }],
    },
    MethodResponses: [{ StatusCode: '200' }],
  });

/** A part of a path, below another one. */
export const apiResource = (PathPart: string, below?: string): Resource => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { RestApiId: Api, ParentId: below === undefined ? ROOT : { Ref: below }, PathPart },
});

export const gatewayResponse = (ResponseType: string, more: { [name: string]: Json }): Resource => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: { RestApiId: Api, ResponseType, ...more },
});

/** Creates an account with an API of these resources, whose stage is `dev`. */
export const createApi = (resources: Readonly<Record<string, Resource>>, code: Readonly<Record<string, string>> = {}) =>
  createCloud(
    {
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'api' } },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: Api, StageName: 'dev', DeploymentId: 'd1' } },
      ...functionResource('Echo', [], { Timeout: 60 }),
      MayEcho: may('Echo'),
      ...Object.assign(
        {},
        ...Object.keys(code).map((name) => ({
          ...functionResource(name, [], { Timeout: 60 }),
          [`May${name}`]: may(name),
        })),
      ),
      ...resources,
    },
    { Echo: ECHO, ...code },
  );

/** The permission of an API to invoke a function. */
export const may = (name: string): Resource => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName: arnOf(name),
    Principal: 'apigateway.amazonaws.com',
  },
});

/** Sends a request to the API of an account. */
export async function requestApi(
  cloud: ReturnType<typeof createApi>,
  request: Partial<ApiRequest>,
): Promise<ApiResponse> {
  let answer: ApiResponse | undefined;
  cloud.apis[0]?.request({ method: 'GET', path: '/', headers: {}, ...request }, (given) => {
    answer = given;
  });
  await cloud.world.until(() => answer !== undefined);
  if (!answer) throw new Error('no answer');
  return answer;
}

/** Returns an authorizer that lets a function decide by the header `Authorization`. */
export const tokenAuthorizer = (fn: string) => ({
  Type: 'AWS::ApiGateway::Authorizer',
  Properties: {
    RestApiId: { Ref: 'Api' },
    Type: 'TOKEN',
    Name: 'own',
    IdentitySource: 'method.request.header.Authorization',
    AuthorizerUri: integrationUri(fn),
  },
});
