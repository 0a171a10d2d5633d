import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { apiMethod, apiResource, createApi, gatewayResponse, requestApi } from '../../support/apis.js';
import { findSchemaErrors, findUnknownKeyword } from './json-schema.js';

const SCHEMA: Json = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  required: ['sku'],
  properties: { sku: { type: 'string' }, lines: { type: 'array', items: { $ref: '#/definitions/line' } } },
  definitions: {
    line: { type: 'object', required: ['quantity'], properties: { quantity: { type: 'integer', minimum: 1 } } },
  },
};
const validated = (ValidateRequestBody: boolean, ValidateRequestParameters: boolean) => ({
  Type: 'AWS::ApiGateway::RequestValidator',
  Properties: { RestApiId: { Ref: 'Api' }, ValidateRequestBody, ValidateRequestParameters },
});
const create = (more: Record<string, { Type: string; Properties: { [name: string]: Json } }> = {}) =>
  createApi({
    Order: { Type: 'AWS::ApiGateway::Model', Properties: { RestApiId: { Ref: 'Api' }, Name: 'Order', Schema: SCHEMA } },
    Validator: validated(true, true),
    Orders: apiResource('orders'),
    Post: apiMethod('Orders', 'POST', {
      RequestValidatorId: { Ref: 'Validator' },
      RequestModels: { 'application/json': { Ref: 'Order' } },
      RequestParameters: {
        'method.request.querystring.size': true,
        'method.request.header.X-Id': true,
        'method.request.header.X-Not': false,
      },
    }),
    ...more,
  });
const post = (body: string, path = '/orders?size=1', headers = { 'X-Id': '1' }) => ({
  method: 'POST',
  path,
  headers,
  body,
});

test.each([
  ['a missing member', '{}'],
  ['another type', '{"sku":1}'],
  ['a wrong item', '{"sku":"a","lines":[{"quantity":0}]}'],
  ['no JSON', 'sku'],
  ['nothing', ''],
])('a body with %s is a 400', async (_, body) => {
  expect(await requestApi(create(), post(body))).toMatchObject({
    status: 400,
    headers: { 'x-amzn-errortype': 'BadRequestException' },
    body: '{"message":"Invalid request body"}',
  });
});

test('a valid request reaches its function, and one of another type passes', async () => {
  const body = '{"sku":"a","lines":[{"quantity":2}],"answer":{"statusCode":201}}';
  expect((await requestApi(create(), post(body))).status).toBe(201);
  const text = { 'X-Id': '1', 'Content-Type': 'text/plain' };
  expect((await requestApi(create(), post('{"answer":{"statusCode":202}}', undefined, text))).status).toBe(202);
});

test('missing parameters are named', async () => {
  const { status, body } = await requestApi(create(), post('{}', '/orders', {} as { 'X-Id': string }));
  expect([status, body]).toEqual([400, '{"message":"Missing required request parameters: [size, X-Id]"}']);
});

test('a gateway response can say what is wrong', async () => {
  const told = gatewayResponse('BAD_REQUEST_BODY', {
    ResponseTemplates: { 'application/json': '{"why":"$context.error.validationErrorString"}' },
  });
  const { body } = await requestApi(create({ Told: told }), post('{}'));
  expect(JSON.parse(body).why).toContain('sku is missing');
});

test('a validator checks only what it says', async () => {
  const answer = '{"answer":{"statusCode":201}}';
  const bodies = create({ Validator: validated(true, false) });
  expect((await requestApi(bodies, post(answer, '/orders'))).body).toContain('Invalid request body');
  const parameters = create({ Validator: validated(false, true) });
  expect((await requestApi(parameters, post(answer))).status).toBe(201);
});

test('a model with an unknown keyword is refused by name', () => {
  const Schema = { properties: { sku: { if: {} } } };
  const Order = { Type: 'AWS::ApiGateway::Model', Properties: { RestApiId: { Ref: 'Api' }, Name: 'Order', Schema } };
  expect(() => create({ Order })).toThrow('has the keyword if');
});

test('a method that needs a key admits those of a usage plan of its stage', async () => {
  const key = (more: { [name: string]: Json } = {}) => ({ Type: 'AWS::ApiGateway::ApiKey', Properties: more });
  const planned = (name: string) => ({
    Type: 'AWS::ApiGateway::UsagePlanKey',
    Properties: { KeyId: { Ref: name }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'Plan' } },
  });
  const cloud = createApi({
    Orders: apiResource('orders'),
    Get: apiMethod('Orders', 'GET', { ApiKeyRequired: true }),
    Plan: {
      Type: 'AWS::ApiGateway::UsagePlan',
      Properties: { ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }] },
    },
    Known: key({ Value: 'known' }),
    Drawn: key(),
    Off: key({ Value: 'off', Enabled: false }),
    Alone: key({ Value: 'alone' }),
    KnownInPlan: planned('Known'),
    DrawnInPlan: planned('Drawn'),
    OffInPlan: planned('Off'),
  });
  const statusOf = async (value?: string) =>
    (await requestApi(cloud, { path: '/orders', headers: value === undefined ? {} : { 'X-Api-Key': value } })).status;
  expect([await statusOf('known'), await statusOf('Shop-Drawn-simulated-key')]).toEqual([200, 200]);
  expect([await statusOf('off'), await statusOf('alone'), await statusOf('other'), await statusOf()]).toEqual([
    403, 403, 403, 403,
  ]);
});

// JSON Schema draft 4, "Validation": each keyword with a value that is valid and one that isn't.
describe('keywords', () => {
  test.each<[string, Json, Json, Json]>([
    ['type', { type: ['null', 'integer'] }, 1, 1.5],
    ['enum', { enum: ['a', { b: 1 }] }, { b: 1 }, 'c'],
    ['patternProperties', { patternProperties: { '^x': { type: 'number' } } }, { x1: 1, y: 'a' }, { x1: 'a' }],
    ['additionalProperties: false', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    ['additionalProperties', { additionalProperties: { type: 'number' } }, { a: 1 }, { a: 'b' }],
    ['items of places', { items: [{ type: 'number' }] }, [1, 'a'], ['a']],
    ['uniqueItems', { uniqueItems: true }, [1, 2], [{ a: 1 }, { a: 1 }]],
    ['pattern', { pattern: '^a' }, 'ab', 'ba'],
    ['multipleOf', { multipleOf: 5 }, 10, 11],
    ['minimum', { minimum: 1, exclusiveMinimum: true }, 2, 1],
    ['maximum', { maximum: 1 }, 1, 2],
    ['minLength', { minLength: 2 }, 'ab', 'a'],
    ['maxLength', { maxLength: 1 }, 'é', 'ab'],
    ['minItems', { minItems: 1 }, [1], []],
    ['maxItems', { maxItems: 1 }, [1], [1, 2]],
    ['minProperties', { minProperties: 1 }, { a: 1 }, {}],
    ['maxProperties', { maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
    ['allOf', { allOf: [{ type: 'number' }, { minimum: 2 }] }, 2, 1],
    ['anyOf', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'a', true],
    ['oneOf', { oneOf: [{ type: 'number' }, { minimum: 2 }] }, 1, 2],
    ['not', { not: { type: 'number' } }, 'a', 1],
  ])('%s', (_, schema, valid, invalid) => {
    const find = () => undefined;
    expect(findUnknownKeyword(schema)).toBeUndefined();
    expect(findSchemaErrors(valid, schema, find)).toEqual([]);
    expect(findSchemaErrors(invalid, schema, find)).toHaveLength(1);
  });
});
