import type { Json } from '../assembly/intrinsics.js';
import type { Cloud } from '../cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { may } from './apis.js';
import { arnOf, createCloud, functionResource } from './clouds.js';

type Resource = { Type: string; Properties: { [name: string]: Json } };
type Properties = { [name: string]: Json };

const ApiId: Json = { Ref: 'Api' };
/** A function that returns what the body of its request says, or else its event. */
const ECHO = `exports.handler = async (event) => {
  const text = event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
  if (text && text.includes('fail')) throw new Error('broken');
  if (text && text.includes('wait')) await new Promise((resolve) => setTimeout(resolve, 40_000));
  if (text && text.startsWith('{"answer"')) return JSON.parse(text).answer;
  return event.version === '1.0' ? { statusCode: 200, body: JSON.stringify(event) } : event;
};`;

/** A route of a function, and its integration. */
export const httpRoute = (
  name: string,
  RouteKey: string,
  more: Properties = {},
  integration: Properties = {},
): Record<string, Resource> => ({
  [`${name}Integration`]: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId,
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: arnOf('Echo'),
      PayloadFormatVersion: '2.0',
      ...integration,
    },
  },
  [name]: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId,
      AuthorizationType: 'NONE',
      RouteKey,
      Target: { 'Fn::Join': ['', ['integrations/', { Ref: `${name}Integration` }]] },
      ...more,
    },
  },
});

/** A stage of the API. */
export const httpStage = (StageName: string, more: Properties = {}): Resource => ({
  Type: 'AWS::ApiGatewayV2::Stage',
  Properties: { ApiId, StageName, AutoDeploy: true, ...more },
});

/** An authorizer of the API. */
export const httpAuthorizer = (more: Properties): Resource => ({
  Type: 'AWS::ApiGatewayV2::Authorizer',
  Properties: { ApiId, Name: 'authorizer', IdentitySource: ['$request.header.Authorization'], ...more },
});

/** Creates an account with an HTTP API of these resources. @param code of functions beside the one that echoes */
export const createHttpApi = (
  resources: Readonly<Record<string, Resource>>,
  { api = {}, code = {} }: { readonly api?: Properties; readonly code?: Readonly<Record<string, string>> } = {},
): Cloud =>
  createCloud(
    {
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP', ...api } },
      ...functionResource('Echo', [], { Timeout: 60 }),
      MayEcho: may('Echo'),
      ...Object.assign(
        {},
        ...Object.keys(code).map((name) => ({ ...functionResource(name), [`May${name}`]: may(name) })),
      ),
      Stage: httpStage('$default'),
      ...resources,
    },
    { Echo: ECHO, ...code },
  );

/** Sends a request to an endpoint of an account. @param at its place among them */
export async function askEndpoint(cloud: Cloud, request: Partial<ApiRequest>, at = 0): Promise<ApiResponse> {
  let answer: ApiResponse | undefined;
  cloud.apis[at]?.request({ method: 'GET', path: '/', headers: {}, ...request }, (given) => {
    answer = given;
  });
  await cloud.world.until(() => answer !== undefined);
  if (!answer) throw new Error('no answer');
  return answer;
}

/** Sends a request, and reads the event that the function got. */
export const eventOf = async (cloud: Cloud, request: Partial<ApiRequest>, at = 0): Promise<Record<string, never>> =>
  JSON.parse((await askEndpoint(cloud, request, at)).body);
