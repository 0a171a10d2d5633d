import { describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { resolveCorsOrigins } from '../../packages/kit/base/cors-settings.js';
import { ANSWER_HEADERS } from '../../packages/kit/http/answer-headers.js';
import { type Json, referenced, synthesized } from '../support/environments.js';

const SHOP = 'https://shop.example.org';
const ADMIN = 'https://admin.example.org:8443';
const off = synthesized('prod');
const one = synthesized('prod', { cors: SHOP });
const two = synthesized('prod', { cors: `${SHOP},${ADMIN}` });
type Synthesized = typeof off;

const methodsOf = (environment: Synthesized, method: string): readonly Json[] =>
  environment
    .resources('Api', 'AWS::ApiGateway::Method')
    .map(({ properties }) => properties)
    .filter(({ HttpMethod }) => HttpMethod === method);
const gatewayResponses = (environment: Synthesized): readonly (readonly [string, Json])[] =>
  environment
    .resources('Api', 'AWS::ApiGateway::GatewayResponse')
    .map(({ properties }) => [properties.ResponseType, properties.ResponseParameters]);
const allowOriginOf = (headers: Json): string | undefined =>
  headers['gatewayresponse.header.Access-Control-Allow-Origin'];
/** Functions behind the API, and the authorizer. */
const verifiers = (environment: Synthesized): readonly Json[] =>
  environment
    .everywhere('AWS::Lambda::Function')
    .map(({ properties }) => properties.Environment.Variables)
    .filter(({ JWT_ISSUER }) => JWT_ISSUER !== undefined);

describe('the setting cors', () => {
  test('allows no origin by default', () => {
    for (const environment of ['dev', 'prod']) expect(resolveCorsOrigins(settingsFor(environment))).toEqual([]);
  });

  test.each([
    [SHOP],
    ['https://shop.example.org:8443'],
    ['https://xn--bcher-kva.example'],
    ['http://localhost:5173'],
    ['http://127.0.0.1:3000'],
    ['http://[::1]:3000'],
  ])('accepts %s', (origin) => expect(resolveCorsOrigins({ cors: [origin] })).toEqual([origin]));

  test.each([
    ['*', 'without *'],
    ['https://*.example.org', 'without *'],
    ['https://shop.example.org/', 'trailing slash'],
    ['https://shop.example.org/cart', 'without path'],
    ['https://shop.example.org?a', 'without path'],
    ['https://shop.example.org:443', 'default port'],
    ['https://shop.example.org:99999', 'an origin'],
    ['https://Shop.example.org', 'in lower case'],
    ['https://alice@shop.example.org', 'an origin'],
    ['https://bücher.example', 'an origin'],
    ['https://a"b.example', 'an origin'],
    ["https://a'b.example", 'an origin'],
    ['https://a$b.example', 'an origin'],
    ['https://a.example\n', 'an origin'],
    ['http://shop.example.org', 'localhost only'],
    ['http://localhost.example.org', 'localhost only'],
    ['shop.example.org', 'an origin'],
    ['null', 'an origin'],
    ['', 'an origin'],
    ['app://shop', 'an origin'],
  ])('refuses %j', (origin, expected) => {
    expect(() => resolveCorsOrigins({ cors: [origin] })).toThrow(
      new RegExp(`^cors: '.*': expected .*${expected.replace('*', '\\*')}`, 's'),
    );
  });

  test('refuses no origins, origins that are there twice, and more than 10', () => {
    const many = Array.from({ length: 11 }, (_, at) => `https://shop-${at}.example.org`);
    expect(() => resolveCorsOrigins({ cors: [] })).toThrow('leave the setting out');
    expect(() => resolveCorsOrigins({ cors: [SHOP, ADMIN, SHOP] })).toThrow(`each origin once: ${SHOP}`);
    expect(() => resolveCorsOrigins({ cors: many })).toThrow('at most 10 origins, and not 11');
    expect(resolveCorsOrigins({ cors: many.slice(1) })).toHaveLength(10);
  });

  test('the setting is checked at synth', () => {
    expect(() => synthesized('dev', { cors: '*' })).toThrow("cors: '*': expected the exact origin of each page");
  });
});

test('the templates without the setting do not mention other origins', () => {
  expect(methodsOf(off, 'OPTIONS')).toEqual([]);
  expect(JSON.stringify(['Api', 'Orders'].map((stack) => off.template(stack as 'Api')))).not.toMatch(
    /access-control|CORS_ORIGINS|"Origin"/i,
  );
  expect(gatewayResponses(off).filter(([, headers]) => 'gatewayresponse.header.Vary' in headers)).toEqual([]);
});

describe.each([
  ['one origin', one, [SHOP]],
  ['two origins', two, [SHOP, ADMIN]],
] as const)('an API with %s', (_, environment, origins) => {
  test('the gateway answers the preflight of each path, without a function or a token', () => {
    const preflights = methodsOf(environment, 'OPTIONS');
    const others = methodsOf(environment, 'ANY');
    expect(preflights.map(({ ResourceId }) => referenced(ResourceId)).toSorted()).toEqual(
      others.map(({ ResourceId }) => referenced(ResourceId)).toSorted(),
    );
    for (const { AuthorizationType, Integration, MethodResponses, ResourceId } of preflights) {
      expect([AuthorizationType, Integration.Type]).toEqual(['NONE', 'MOCK']);
      const [{ StatusCode, ResponseParameters, ResponseTemplates }] = Integration.IntegrationResponses;
      expect(StatusCode).toBe('204');
      const allowed = environment
        .resources('Api', 'AWS::ApiGateway::Method')
        .filter(({ properties }) => referenced(properties.ResourceId) === referenced(ResourceId))
        .map(({ properties }) => properties.HttpMethod)
        .filter((method) => method !== 'ANY' && method !== 'OPTIONS');
      expect(ResponseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Methods': `'${allowed.toSorted().join(', ')}'`,
        'method.response.header.Access-Control-Allow-Headers': expect.stringContaining('Idempotency-Key'),
        'method.response.header.Access-Control-Max-Age': "'3600'",
        'method.response.header.Vary': "'Origin'",
        ...Object.fromEntries(
          Object.entries(ANSWER_HEADERS).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
        ),
      });
      expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(Object.keys(ResponseParameters));
      // Only what the template compares gets an origin, and never the text of the request.
      expect(JSON.stringify(ResponseParameters)).not.toMatch(/Allow-Origin|Allow-Credentials/);
      const template: string = ResponseTemplates['application/json'];
      expect([...template.matchAll(/Access-Control-Allow-Origin = (\S+)\)/g)].map(([, value]) => value)).toEqual(
        origins.map((origin) => `"${origin}"`),
      );
    }
  });

  test('405 names OPTIONS among the methods of the path, and its pages may read it', () => {
    for (const { Integration } of methodsOf(environment, 'ANY')) {
      const [{ ResponseParameters, ResponseTemplates }] = Integration.IntegrationResponses;
      expect(ResponseParameters['method.response.header.Allow']).toContain('OPTIONS');
      for (const origin of origins) expect(ResponseTemplates['application/json']).toContain(`= "${origin}")`);
    }
  });

  test('each function behind the API and the authorizer know the origins', () => {
    const routes = methodsOf(environment, 'ANY').length;
    expect(verifiers(environment).length).toBeGreaterThan(routes);
    expect(verifiers(environment).length).toBe(verifiers(off).length);
    for (const { CORS_ORIGINS } of verifiers(environment)) expect(JSON.parse(CORS_ORIGINS)).toEqual(origins);
    for (const { CORS_ORIGINS } of verifiers(off)) expect(CORS_ORIGINS).toBeUndefined();
  });

  test('answers never allow credentials', () => {
    expect(JSON.stringify(environment.template('Api'))).not.toMatch(/Allow-Credentials/i);
  });
});

describe('answers of the gateway that are no integration’s', () => {
  test('answers of the gateway are for the pages of a single origin', () => {
    for (const [type, headers] of gatewayResponses(one)) {
      expect(allowOriginOf(headers), type).toBe(`'${SHOP}'`);
      expect(headers, type).toMatchObject({
        'gatewayresponse.header.Vary': "'Origin'",
        'gatewayresponse.header.Access-Control-Expose-Headers': expect.stringContaining('Retry-After'),
      });
    }
  });

  test('answers of the gateway are for several origins only after the authorizer, which compares them', () => {
    const shared = gatewayResponses(two).filter(([, headers]) => allowOriginOf(headers) !== undefined);
    expect(shared.map(([type]) => type).toSorted()).toEqual([
      'ACCESS_DENIED',
      'DEFAULT_5XX',
      'INTEGRATION_FAILURE',
      'INTEGRATION_TIMEOUT',
    ]);
    for (const [, headers] of shared) expect(allowOriginOf(headers)).toBe('context.authorizer.corsOrigin');
  });

  test('answers of the firewall are for the same pages as those of the gateway', () => {
    const headersOf = (environment: Synthesized) =>
      environment
        .resources('Api', 'AWS::WAFv2::WebACL')
        .flatMap(({ properties }) => properties.Rules)
        .flatMap(({ Action }) => Action?.Block?.CustomResponse?.ResponseHeaders ?? [])
        .filter(({ Name }) => Name.startsWith('Access-Control-Allow-'));
    expect(headersOf(one)).toEqual(Array(3).fill({ Name: 'Access-Control-Allow-Origin', Value: SHOP }));
    expect(headersOf(two)).toEqual([]);
  });
});
