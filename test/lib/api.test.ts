import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import { ANSWER_HEADERS } from '../../packages/kit/http/answer-headers.js';
import { RESERVED_IDS } from '../../packages/kit/http/caller-id.js';
import { Problem, type ProblemCode } from '../../packages/kit/http/errors.js';
import { type Json, referenced, SERVICES, synthesized } from '../support/environments.js';

const dev = synthesized('dev');
const prod = synthesized('prod');

/** Expects the headers of every answer, as a template of the gateway has them. */
function expectHeaders(parameters: Readonly<Record<string, string>>, prefix: string): void {
  for (const [name, value] of Object.entries(ANSWER_HEADERS))
    expect(parameters[prefix + name], name).toBe(`'${value}'`);
}

describe('the API', () => {
  test('the API has the routes of the design', () => {
    const resources = new Map(
      prod.resources('Api', 'AWS::ApiGateway::Resource').map(({ id, properties }) => [id, properties]),
    );
    const pathOf = (id: string | undefined): string => {
      const resource: Json = resources.get(id ?? '');
      return resource ? `${pathOf(referenced(resource.ParentId))}/${resource.PathPart}` : '';
    };
    const routes = prod
      .resources('Api', 'AWS::ApiGateway::Method')
      .map(({ properties }) => `${properties.HttpMethod} ${pathOf(referenced(properties.ResourceId))}`);
    // A caller of such a name could not be asked for: the route of the fixed segment would answer.
    const segments = [...resources.values()].map(({ PathPart, ParentId }) => [PathPart, referenced(ParentId)] as const);
    const ofPeople = segments.filter(([part]) => ['{customerId}', '{userId}'].includes(String(part)));
    const beside = segments.filter(
      ([part, parent]) => !String(part).startsWith('{') && ofPeople.some(([, of]) => of === parent),
    );
    expect(ofPeople).toHaveLength(3);
    expect(new Set(beside.map(([part]) => part))).toEqual(new Set(RESERVED_IDS));
    expect(routes.filter((route) => !route.startsWith('ANY ')).sort()).toEqual([
      'DELETE /basket/items/{sku}',
      'DELETE /users/me',
      'GET /accounts',
      'GET /accounts/{customerId}',
      'GET /accounts/{customerId}/history',
      'GET /basket',
      'GET /openapi.json',
      'GET /operations/audit',
      'GET /operations/audit-log',
      'GET /operations/failures',
      'GET /operations/orders',
      'GET /operations/status',
      'GET /operations/trace/{id}',
      'GET /orders',
      'GET /orders/{orderId}',
      'GET /orders/{orderId}/history',
      'GET /payments/sessions/{sessionId}',
      'GET /payments/{paymentId}',
      'GET /products',
      'GET /products/{sku}',
      'GET /reports/daily',
      'GET /reports/daily/{date}',
      'GET /rewards/me',
      'GET /rewards/{customerId}',
      'GET /sessions/{sessionId}',
      'GET /stock/{sku}',
      'GET /users/me',
      'GET /users/sessions/{sessionId}',
      'GET /users/{userId}',
      'PATCH /users/me',
      'POST /accounts/{customerId}/bonus',
      'POST /basket/checkout',
      'POST /idempotency-keys',
      'POST /orders',
      'POST /orders/{orderId}/cancellation',
      'POST /orders/{orderId}/dispatch',
      'POST /payments',
      'POST /payments/sessions',
      'POST /payments/{paymentId}/refund',
      'POST /sessions',
      'POST /users/sessions',
      'PUT /accounts/{customerId}/credit-limit',
      'PUT /accounts/{customerId}/status',
      'PUT /basket/items/{sku}',
      'PUT /basket/seen',
      'PUT /orders/{orderId}/review',
      'PUT /products/{sku}',
      'PUT /stock/{sku}',
      'PUT /users/{userId}/status',
    ]);
  });

  test('calls the authorizer for every route but the public one, answers those without a token itself, and caches nothing', () => {
    const [authorizer] = prod.resources('Api', 'AWS::ApiGateway::Authorizer');
    expect(authorizer?.properties).toMatchObject({ Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0 });
    expect(authorizer?.properties.IdentitySource).toBe('method.request.header.Authorization');
    const methods = prod.resources('Api', 'AWS::ApiGateway::Method');
    const open: string[] = [];
    for (const { id, properties } of methods.filter(({ properties }) => properties.HttpMethod !== 'ANY')) {
      if (properties.AuthorizationType === 'NONE') open.push(id);
      else expect(referenced(properties.AuthorizerId)).toBe(authorizer?.id);
    }
    expect(open).toEqual([expect.stringContaining('openapijson')]);
  });

  test('answers unknown methods of a path by itself, without a function or a token, and names the allowed ones', () => {
    const methods = prod.resources('Api', 'AWS::ApiGateway::Method').map(({ properties }) => properties);
    const others = methods.filter(({ HttpMethod }) => HttpMethod === 'ANY');
    const paths = new Set(methods.map(({ ResourceId }) => referenced(ResourceId)));
    expect(new Set(others.map(({ ResourceId }) => referenced(ResourceId)))).toEqual(paths);
    for (const { ResourceId, AuthorizationType, Integration, MethodResponses } of others) {
      expect(AuthorizationType).toBe('NONE');
      expect(Integration).toMatchObject({ Type: 'MOCK', PassthroughBehavior: 'NEVER' });
      const [{ StatusCode, ResponseParameters, ResponseTemplates }] = Integration.IntegrationResponses;
      const here = methods.filter(
        (method) => method.HttpMethod !== 'ANY' && referenced(method.ResourceId) === referenced(ResourceId),
      );
      const allowed = here.map(({ HttpMethod }) => HttpMethod).sort();
      expect(ResponseParameters['method.response.header.Allow']).toBe(`'${allowed.join(', ')}'`);
      expectHeaders(ResponseParameters, 'method.response.header.');
      expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(Object.keys(ResponseParameters));
      const body = JSON.parse(ResponseTemplates['application/json']);
      const own = new Problem('method-not-allowed', body.detail).toJSON('orderly', '$context.requestId');
      expect(body).toEqual(own);
      expect([StatusCode, MethodResponses[0].StatusCode]).toEqual(['405', '405']);
    }
  });

  test('accepts only TLS 1.2 or newer, and connections that name its own host', () => {
    for (const { properties } of [dev, prod].flatMap((each) => each.resources('Api', 'AWS::ApiGateway::RestApi')))
      expect(properties).toMatchObject({
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      });
  });

  test('the API is regional, throttled, at stage v1, and logs requests as JSON without token, query or name', () => {
    const [api] = prod.resources('Api', 'AWS::ApiGateway::RestApi');
    expect(api?.properties.EndpointConfiguration).toEqual({ Types: ['REGIONAL'] });
    const [stage] = prod.resources('Api', 'AWS::ApiGateway::Stage');
    expect(stage?.properties.StageName).toBe('v1');
    expect(stage?.properties.MethodSettings).toMatchObject([
      { HttpMethod: '*', ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000, DataTraceEnabled: false },
      { HttpMethod: 'POST', ResourcePath: '/~1orders', ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
      { HttpMethod: 'POST', ResourcePath: '/~1basket~1checkout', ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
      ...['status', 'failures', 'audit', 'trace~1{id}', 'orders', 'audit-log'].map((path) => ({
        HttpMethod: 'GET',
        ResourcePath: `/~1operations~1${path}`,
        ThrottlingRateLimit: 10,
        ThrottlingBurstLimit: 50,
      })),
      { HttpMethod: 'GET', ResourcePath: '/~1openapi.json', ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 },
    ]);
    const format = stage?.properties.AccessLogSetting.Format;
    expect(JSON.parse(format)).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    expect(format).not.toMatch(/authorizer\.sub|principalId|querystring|sourceIp|\$context\.path\b/);
  });

  test('needs no permission in the service stacks to call their functions', () => {
    for (const service of SERVICES) {
      for (const { properties } of prod.resources(service, 'AWS::Lambda::Permission')) {
        expect(properties.Principal).toBe('events.amazonaws.com');
      }
    }
  });
});

describe('the gateway’s own answers', () => {
  const answers = prod.resources('Api', 'AWS::ApiGateway::GatewayResponse').map(({ properties }) => ({
    type: properties.ResponseType as string,
    status: Number(properties.StatusCode),
    headers: properties.ResponseParameters as Record<string, string>,
    body: JSON.parse(properties.ResponseTemplates['application/json']) as Json,
  }));

  test("the gateway's answers are problems in the handlers' shape and words", () => {
    expect(answers).toHaveLength(15);
    for (const { type, status, body } of answers) {
      const code: ProblemCode = body.type.replace('urn:orderly:problem:', '');
      const own = new Problem(code, body.detail).toJSON('orderly', '$context.requestId');
      expect({ ...body, status: own.status }, type).toEqual(own);
      expect(body.status, type).toBe(status);
    }
  });

  test('every response type has its own answer or the right fallback, unless the API has nothing that it is about', () => {
    const types = Object.values(ResponseType).map(({ responseType }: ResponseType) => responseType);
    const unanswered = types.filter((type) => !answers.some((answer) => answer.type === type));
    expect(unanswered.toSorted()).toEqual([
      // By DEFAULT_4XX: 404.
      'EXPIRED_TOKEN',
      'INVALID_API_KEY',
      'INVALID_SIGNATURE',
      'MISSING_AUTHENTICATION_TOKEN',
      'QUOTA_EXCEEDED',
      'RESOURCE_NOT_FOUND',
    ]);
    // INVALID_API_KEY and QUOTA_EXCEEDED are answers about keys and usage plans.
    for (const type of ['AWS::ApiGateway::ApiKey', 'AWS::ApiGateway::UsagePlan'])
      expect(prod.everywhere(type), type).toEqual([]);
  });

  test("the gateway's answers have a content type and a correlation id", () => {
    for (const { type, headers } of answers) {
      expectHeaders(headers, 'gatewayresponse.header.');
      expect(headers['gatewayresponse.header.Content-Type'], type).toBe("'application/problem+json'");
      const expected = ['ACCESS_DENIED', 'INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT', 'DEFAULT_5XX'].includes(type)
        ? 'context.authorizer.correlationId'
        : 'context.requestId';
      expect(headers['gatewayresponse.header.X-Correlation-Id'], type).toBe(expected);
    }
  });

  test.each([
    ['ACCESS_DENIED', 401, 'unauthenticated'],
    ['UNAUTHORIZED', 401, 'unauthenticated'],
    ['DEFAULT_4XX', 404, 'not-found'],
    ['REQUEST_TOO_LARGE', 413, 'too-large'],
    ['WAF_FILTERED', 403, 'blocked'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'unsupported-media-type'],
    ['THROTTLED', 429, 'throttled'],
    ['AUTHORIZER_FAILURE', 503, 'internal'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 503, 'internal'],
    ['INTEGRATION_FAILURE', 429, 'throttled'],
    ['INTEGRATION_TIMEOUT', 504, 'internal'],
    ['API_CONFIGURATION_ERROR', 500, 'internal'],
    ['DEFAULT_5XX', 500, 'internal'],
  ])('%s is %d %s', (type, status, code) => {
    const answer = answers.find((answer) => answer.type === type);
    expect(answer).toMatchObject({ status, body: { type: `urn:orderly:problem:${code}` } });
  });

  test('the answer to a refused token has the reason that the authorizer hands over', () => {
    const { body } = answers.find(({ type }) => type === 'ACCESS_DENIED') ?? {};
    expect(body).toMatchObject({ detail: 'The token is refused. $context.authorizer.refusal' });
  });

  test('the answers after which the same request may pass say when, and no other does', () => {
    const named = answers.filter(({ headers }) => headers['gatewayresponse.header.Retry-After'] !== undefined);
    expect(named.map(({ type }) => type).toSorted()).toEqual([
      'AUTHORIZER_CONFIGURATION_ERROR',
      'AUTHORIZER_FAILURE',
      'INTEGRATION_FAILURE',
      'THROTTLED',
    ]);
  });
});
