import { describe, expect, test } from 'vitest';
import { may } from '../../support/apis.js';
import { createCloud } from '../../support/clouds.js';
import { askEndpoint, createHttpApi, eventOf, httpRoute, httpStage } from '../../support/http-apis.js';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Lets the function answer so. */
const answering = (answer: unknown) => ({
  method: 'POST',
  path: '/orders',
  headers: JSON_TYPE,
  body: JSON.stringify({ answer }),
});

describe('routes', () => {
  const cloud = createHttpApi({
    ...httpRoute('One', 'GET /pets/dog/1'),
    ...httpRoute('Dog', 'GET /pets/dog/{id}'),
    ...httpRoute('Pets', 'GET /pets/{proxy+}'),
    ...httpRoute('Any', 'ANY /{proxy+}'),
    ...httpRoute('Rest', '$default'),
  });

  // Amazon API Gateway, "Create routes for HTTP APIs in API Gateway", "Routing API requests".
  test.each([
    ['GET', '/pets/dog/1', 'GET /pets/dog/1', undefined],
    ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
    ['GET', '/pets/cat/1', 'GET /pets/{proxy+}', { proxy: 'cat/1' }],
    ['POST', '/pets/dog/1', 'ANY /{proxy+}', { proxy: 'pets/dog/1' }],
    ['POST', '/test/5', 'ANY /{proxy+}', { proxy: 'test/5' }],
    ['GET', '/', '$default', undefined],
    ['GET', '/pets/dog/a%20b', 'GET /pets/dog/{id}', { id: 'a b' }],
  ])('%s %s is for %s', async (method, path, routeKey, pathParameters) => {
    const { routeKey: called, pathParameters: given } = await eventOf(cloud, { method, path });
    expect([called, given]).toEqual([routeKey, pathParameters]);
  });

  test('a path without a route is a 404, and so is a trailing slash', async () => {
    const plain = createHttpApi(httpRoute('Get', 'GET /orders'));
    for (const path of ['/others', '/orders/'])
      expect(await askEndpoint(plain, { path })).toMatchObject({ status: 404, body: '{"message":"Not Found"}' });
    expect((await askEndpoint(plain, { path: '/orders', method: 'POST' })).status).toBe(404);
  });

  test('a route counts what fails', async () => {
    const fails = createHttpApi(httpRoute('Post', 'POST /orders'));
    await askEndpoint(fails, { method: 'POST', path: '/orders', body: 'fail' });
    expect([...(fails.apis[0]?.traffic.get('POST /orders')?.failedAt.values() ?? [])]).toEqual([1]);
  });
});

describe('events', () => {
  test('format 2.0 joins values, separates cookies, and leaves out what the request lacks', async () => {
    const cloud = createHttpApi({
      ...httpRoute('Post', 'POST /orders'),
      Stage: httpStage('v1', { StageVariables: { tenant: 'a' } }),
    });
    const event = await eventOf(cloud, {
      method: 'POST',
      path: '/orders?size=1&size=2&dry',
      headers: { Cookie: 'a=1; b=2', 'X-Many': ['1', '2'], 'Content-Type': 'application/json' },
      body: '{"sku":"tea"}',
    });
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'POST /orders',
      rawPath: '/v1/orders',
      rawQueryString: 'size=1&size=2&dry',
      cookies: ['a=1', 'b=2'],
      headers: { 'x-many': '1,2', 'content-type': 'application/json' },
      queryStringParameters: { size: '1,2', dry: '' },
      stageVariables: { tenant: 'a' },
      body: '{"sku":"tea"}',
      isBase64Encoded: false,
      requestContext: {
        apiId: 'Shop-Api',
        domainName: 'Shop-Api.execute-api.eu-west-1.amazonaws.com',
        stage: 'v1',
        http: { method: 'POST', path: '/v1/orders' },
      },
    });
    expect(Object.keys(event)).not.toContain('pathParameters');
    expect(Object.keys(event.headers ?? {})).not.toContain('cookie');
  });

  test('a body that is no text is in Base64, also the one of a form', async () => {
    const cloud = createHttpApi(httpRoute('Post', 'POST /orders'));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const event = await eventOf(cloud, { method: 'POST', path: '/orders', headers, body: 'a=1' });
    expect(event).toMatchObject({ body: 'YT0x', isBase64Encoded: true });
  });

  test('format 1.0 is the event of a REST API, with headers in lower case', async () => {
    const cloud = createHttpApi({
      ...httpRoute('Get', 'ANY /orders/{id}', {}, { PayloadFormatVersion: '1.0' }),
      Stage: httpStage('v1'),
    });
    expect(await eventOf(cloud, { path: '/orders/7?a=1&a=2', headers: { 'X-One': '1' } })).toMatchObject({
      version: '1.0',
      resource: '/orders/{id}',
      path: '/v1/orders/7',
      httpMethod: 'GET',
      headers: { 'x-one': '1' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      pathParameters: { id: '7' },
      requestContext: { stage: 'v1', httpMethod: 'GET' },
    });
    const binary = { statusCode: 200, body: 'aGk=', isBase64Encoded: true };
    const asked = { ...answering(binary), path: '/orders/7' };
    expect(await askEndpoint(cloud, asked)).toMatchObject({ status: 200, body: 'hi' });
    expect((await askEndpoint(cloud, { ...answering({ unknown: 1 }), path: '/orders/7' })).status).toBe(500);
  });
});

describe('answers', () => {
  const cloud = createHttpApi(httpRoute('Post', 'POST /orders'));

  test.each([
    ['a text', 'done', { status: 200, body: 'done', headers: { 'content-type': 'application/json' } }],
    ['an object', { id: 1 }, { status: 200, body: '{"id":1}', headers: { 'content-type': 'application/json' } }],
    [
      'a statusCode',
      { statusCode: 201, body: 'x' },
      { status: 201, body: 'x', headers: { 'content-type': 'text/plain;charset=UTF-8' } },
    ],
    [
      'headers and cookies',
      { statusCode: 200, headers: { 'X-Id': 7 }, cookies: ['a=1', 'b=2'] },
      { status: 200, headers: { 'x-id': '7' }, cookies: ['a=1', 'b=2'], body: '' },
    ],
    ['Base64', { statusCode: 200, body: 'aGk=', isBase64Encoded: true }, { body: 'hi' }],
    ['a body that is no text', { statusCode: 200, body: { a: 1 } }, { status: 500 }],
    ['no status', { statusCode: 'none' }, { status: 500, body: '{"message":"Internal Server Error"}' }],
  ])('a function that returns %s', async (_, answer, expected) => {
    expect(await askEndpoint(cloud, answering(answer))).toMatchObject(expected);
  });

  test('a function that fails is a 500, and one that takes longer than 30 s a 503', async () => {
    const post = { method: 'POST', path: '/orders' };
    expect(await askEndpoint(cloud, { ...post, body: 'fail' })).toMatchObject({
      status: 500,
      body: '{"message":"Internal Server Error"}',
    });
    const began = cloud.world.now;
    expect(await askEndpoint(cloud, { ...post, body: 'wait' })).toMatchObject({
      status: 503,
      body: '{"message":"Service Unavailable"}',
    });
    expect(cloud.world.now - began).toBeLessThan(31_000);
  });

  test('a throttled function is a 500, and a crash is one, too', async () => {
    const throttled = createHttpApi(httpRoute('Post', 'POST /orders'));
    throttled.fn('Shop/Echo').reserve(0);
    expect((await askEndpoint(throttled, answering('x'))).status).toBe(500);
  });

  test('a permission for another route is none', async () => {
    const source = 'arn:aws:execute-api:eu-west-1:123456789012:Shop-Api/*/*/';
    const permission = may('Echo');
    const limited = (path: string) =>
      createHttpApi({
        ...httpRoute('Get', 'GET /orders/{id}'),
        MayEcho: { ...permission, Properties: { ...permission.Properties, SourceArn: `${source}${path}` } },
      });
    expect((await askEndpoint(limited('orders/{id}'), { path: '/orders/1' })).status).toBe(200);
    expect((await askEndpoint(limited('others'), { path: '/orders/1' })).status).toBe(500);
  });
});

describe('limits and pages', () => {
  test('a stage has limits, and a route its own', async () => {
    const limits = { ThrottlingBurstLimit: 1, ThrottlingRateLimit: 1 };
    const cloud = createHttpApi({
      ...httpRoute('Get', 'GET /orders'),
      ...httpRoute('Free', 'GET /free'),
      Stage: httpStage('$default', {
        DefaultRouteSettings: limits,
        RouteSettings: { 'GET /free': { ThrottlingBurstLimit: 9, ThrottlingRateLimit: 9 } },
      }),
    });
    const statuses = async (path: string) =>
      (await Promise.all([1, 2].map(() => askEndpoint(cloud, { path })))).map(({ status }) => status).sort();
    expect(await statuses('/orders')).toEqual([200, 429]);
    expect(await statuses('/free')).toEqual([200, 200]);
  });

  test('a page of an allowed origin gets a preflight without a route, and its headers in place of those of the function', async () => {
    const CorsConfiguration = { AllowOrigins: ['https://shop.example'], AllowMethods: ['GET'], MaxAge: 10 };
    const cloud = createHttpApi(httpRoute('Post', 'POST /orders'), { api: { CorsConfiguration } });
    const preflight = (origin: string) => ({
      method: 'OPTIONS',
      path: '/orders',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(await askEndpoint(cloud, preflight('https://shop.example'))).toEqual({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://shop.example',
        'access-control-allow-methods': 'GET',
        'access-control-max-age': '10',
      },
      body: '',
    });
    expect((await askEndpoint(cloud, preflight('https://other.example'))).headers).toEqual({});
    const own = answering({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' } });
    const { headers } = await askEndpoint(cloud, {
      ...own,
      headers: { ...own.headers, Origin: 'https://shop.example' },
    });
    expect(headers['access-control-allow-origin']).toBe('https://shop.example');
    const { headers: others } = await askEndpoint(cloud, own);
    expect(others['access-control-allow-origin']).toBeUndefined();
  });

  test('what has no model is refused by name', () => {
    const api = (properties: Record<string, string>) => ({ Type: 'AWS::ApiGatewayV2::Api', Properties: properties });
    expect(() => createCloud({ Chat: api({ ProtocolType: 'WEBSOCKET' }) })).toThrow('the protocol WEBSOCKET');
    const proxy = httpRoute('Get', 'GET /', {}, { IntegrationType: 'HTTP_PROXY', IntegrationUri: 'https://a.example' });
    expect(() => createHttpApi(proxy)).toThrow('(Shop/Get): integration HTTP_PROXY');
    expect(() => createHttpApi(httpRoute('Get', 'GET /', { AuthorizationType: 'AWS_IAM' }))).toThrow('AWS_IAM');
    expect(() => createHttpApi({ Stage: httpStage('$default', { AutoDeploy: false }) })).toThrow('answer nobody');
  });
});
