/**
 * Behaviour of AWS's API Gateway with requests of REST APIs: cases of LocalStack's tests that were recorded at AWS
 * (https://github.com/localstack/localstack, commit 8b9a79f, Apache-2.0), `tests/aws/services/apigateway/`, each with the
 * test that it comes from; and what Amazon API Gateway's Developer Guide says of its error answers.
 */
import { describe, expect, test } from 'vitest';
import type { ApiResponse } from '../services/apigateway/messages.js';
import {
  apiMethod,
  apiResource,
  createApi,
  gatewayResponse,
  integrationUri,
  mockMethod,
  requestApi,
} from '../support/apis.js';

const parsed = ({ body }: ApiResponse) => JSON.parse(body) as { [member: string]: unknown };

describe('routes: test_apigateway_common.py, TestApigatewayRouting', () => {
  const siblings = {
    Test: apiResource('test'),
    PostTest: mockMethod('Test', 'POST', 'POST'),
    Any: apiResource('any', 'Test'),
    AnyAny: mockMethod('Any', 'ANY', 'ANY'),
    Proxy: apiResource('{proxy+}'),
    OptionsProxy: mockMethod('Proxy', 'OPTIONS', 'OPTIONS'),
  };
  test.each([
    ['OPTIONS', '/test', 'OPTIONS'],
    ['POST', '/test', 'POST'],
    ['OPTIONS', '/test/any', 'ANY'],
    ['GET', '/test/any', 'ANY'],
  ])('test_proxy_routing_with_hardcoded_resource_sibling: %s %s', async (name, path, body) => {
    const headers = { 'content-type': 'application/json' };
    expect(await requestApi(createApi(siblings), { method: name, path, headers })).toMatchObject({ status: 200, body });
  });

  const order = {
    Proxy: apiResource('{param+}'),
    GetProxy: mockMethod('Proxy', 'GET', 'proxy'),
    Part: apiResource('part1'),
    GetPart: mockMethod('Part', 'GET', 'part1'),
    Hard: apiResource('hardcoded-value', 'Part'),
    GetHard: mockMethod('Hard', 'GET', 'hardcoded-value'),
  };
  test.each([
    ['/part1', 'part1'],
    ['/part1/hardcoded-value', 'hardcoded-value'],
    ['/part1/random-value', 'proxy'],
  ])('test_routing_with_hardcoded_resource_sibling_order: %s', async (path, body) => {
    expect(await requestApi(createApi(order), { path })).toMatchObject({ status: 200, body });
  });

  test.each([
    ['GET', '/existing', 200],
    ['GET', '/random-non-existing', 403],
    ['POST', '/existing', 403],
  ])('test_routing_not_found: %s %s', async (name, path, status) => {
    const cloud = createApi({
      Existing: apiResource('existing'),
      Get: mockMethod('Existing', 'GET', '{"message":"exists"}'),
    });
    const answer = await requestApi(cloud, { method: name, path });
    expect(answer.status).toBe(status);
    expect(parsed(answer)).toEqual({ message: status === 200 ? 'exists' : 'Missing Authentication Token' });
    const error = status === 200 ? undefined : 'MissingAuthenticationTokenException';
    expect(answer.headers['x-amzn-errortype']).toBe(error);
  });
});

describe('the event of a function: test_apigateway_lambda.py', () => {
  const cloud = () =>
    createApi({
      Proxy: apiResource('{proxy+}'),
      AnyProxy: apiMethod('Proxy', 'ANY'),
      Hard: apiResource('hardcoded'),
      AnyHard: apiMethod('Hard', 'ANY'),
    });
  const PARAMETERS =
    'dateTimeOffset=2023-06-12T18:05:10.123456+00:00&email=test%2Balias@gmail.com&plus=test+alias@gmail.com&url=https://www.google.com/&whitespace=foo%20bar&zhash=abort/';
  const ENCODED = 'api/user/test%2Balias@gmail.com/plus/test+alias@gmail.com';

  test.each<[string, string, object]>([
    ['without-trailing-slash', '/proxy-value', { path: '/proxy-value', pathParameters: { proxy: 'proxy-value' } }],
    ['with-trailing-slash', '/proxy-value/', { path: '/proxy-value/', pathParameters: { proxy: 'proxy-value' } }],
    [
      'with-double-slash',
      '/proxy-value//double-slash',
      { path: '/proxy-value//double-slash', pathParameters: { proxy: 'proxy-value//double-slash' } },
    ],
    ['with-prepended-slash', '//proxy-value', { path: '/proxy-value', pathParameters: { proxy: 'proxy-value' } }],
    [
      'without-trailing-slash-and-query-params',
      '/proxy-value?urlparam=test',
      { path: '/proxy-value', queryStringParameters: { urlparam: 'test' } },
    ],
    [
      'with-trailing-slash-and-query-params',
      '/proxy-value/?urlparam=test',
      { path: '/proxy-value/', multiValueQueryStringParameters: { urlparam: ['test'] } },
    ],
    [
      'with-path-encoded-email',
      `/proxy-value/${ENCODED}`,
      { path: `/proxy-value/${ENCODED}`, pathParameters: { proxy: `proxy-value/${ENCODED}` } },
    ],
    [
      'with-params-encoding',
      `/proxy-value/api?${PARAMETERS}`,
      {
        path: '/proxy-value/api',
        queryStringParameters: {
          dateTimeOffset: '2023-06-12T18:05:10.123456 00:00',
          email: 'test+alias@gmail.com',
          plus: 'test alias@gmail.com',
          url: 'https://www.google.com/',
          whitespace: 'foo bar',
          zhash: 'abort/',
        },
      },
    ],
    [
      'with-params-encoding-multi',
      '/proxy-value?category=electronics&category=books&price=10&price=20&price=30',
      {
        queryStringParameters: { category: 'books', price: '30' },
        multiValueQueryStringParameters: { category: ['electronics', 'books'], price: ['10', '20', '30'] },
      },
    ],
    [
      'hardcoded',
      '//hardcoded',
      { path: '/hardcoded', resource: '/hardcoded', pathParameters: null, queryStringParameters: null },
    ],
  ])('test_lambda_aws_proxy_integration: invocation-%s', async (_, path, members) => {
    const event = parsed(await requestApi(cloud(), { path }));
    expect(event).toMatchObject(members);
    expect(event.requestContext).toMatchObject({ path: `/dev${path.split('?')[0]}` });
  });

  test('test_lambda_aws_proxy_integration: every member, with the names of its headers as they were sent', async () => {
    const headers = { 'User-Agent': 'python-requests/testing', 'tEsT-HEADeR': 'aValUE' };
    const answered = createApi({ Proxy: apiResource('{proxy+}'), AnyProxy: apiMethod('Proxy', 'ANY') });
    const nobody = ['accessKey', 'accountId', 'caller', 'cognitoAuthenticationProvider', 'cognitoAuthenticationType']
      .concat(['cognitoIdentityId', 'cognitoIdentityPoolId', 'principalOrgId', 'user', 'userArn'])
      .map((name) => [name, null]);
    const id = answered.apis[0]?.id;
    expect(parsed(await requestApi(answered, { path: '/proxy-value', headers }))).toEqual({
      body: null,
      headers,
      httpMethod: 'GET',
      isBase64Encoded: false,
      multiValueHeaders: { 'User-Agent': ['python-requests/testing'], 'tEsT-HEADeR': ['aValUE'] },
      multiValueQueryStringParameters: null,
      path: '/proxy-value',
      pathParameters: { proxy: 'proxy-value' },
      queryStringParameters: null,
      requestContext: {
        accountId: '123456789012',
        apiId: id,
        deploymentId: 'd1',
        domainName: expect.any(String),
        domainPrefix: id,
        extendedRequestId: expect.stringMatching(/^[\w-]+=$/),
        httpMethod: 'GET',
        identity: {
          ...Object.fromEntries(nobody),
          sourceIp: expect.any(String),
          userAgent: 'python-requests/testing',
        },
        path: '/dev/proxy-value',
        protocol: 'HTTP/1.1',
        requestId: expect.any(String),
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        requestTimeEpoch: expect.any(Number),
        resourceId: expect.any(String),
        resourcePath: '/{proxy+}',
        stage: 'dev',
      },
      resource: '/{proxy+}',
      stageVariables: null,
    });
  });

  test('test_lambda_aws_proxy_integration_request_data_mapping, without its mappings', async () => {
    const answered = createApi({ Variable: apiResource('{pathVariable}'), Any: apiMethod('Variable', 'ANY') });
    const headers = { 'Content-Type': 'application/json', foobar: 'mapped-value', headerVar: 'request-value' };
    const event = await requestApi(answered, { path: '/foobar?testQueryString=foo&testVar=bar', headers });
    expect(parsed(event)).toMatchObject({
      headers,
      pathParameters: { pathVariable: 'foobar' },
      queryStringParameters: { testQueryString: 'foo', testVar: 'bar' },
      resource: '/{pathVariable}',
    });
  });
});

describe('the answer of a function: test_apigateway_lambda.py', () => {
  const answered = (answer: unknown) =>
    requestApi(createApi({ Any: apiMethod(undefined, 'ANY') }), { method: 'POST', body: JSON.stringify({ answer }) });
  const JSON_TYPE = { 'content-type': 'application/json' };
  const data = Buffer.from('test-data').toString('base64');

  test.each<[string, unknown, object]>([
    ['no-body', { statusCode: 200 }, { status: 200, body: '', headers: JSON_TYPE }],
    [
      'with-headers',
      { statusCode: 200, headers: { 'test-header': 'value', 'header-bool': true } },
      { status: 200, body: '', headers: { ...JSON_TYPE, 'test-header': 'value', 'header-bool': 'true' } },
    ],
    ['with-headers-null', { statusCode: 200, headers: null }, { status: 200, headers: JSON_TYPE }],
    ['b64-encoded-true', { statusCode: 200, body: data, isBase64Encoded: true }, { status: 200, body: data }],
    ['b64-encoded-false', { statusCode: 200, body: data }, { status: 200, body: data }],
    [
      'multi-headers-valid',
      { statusCode: 200, multiValueHeaders: { 'test-multi': ['value1', 'value2'] } },
      { headers: { 'test-multi': 'value1, value2' } },
    ],
    [
      'multi-headers-overwrite',
      { multiValueHeaders: { 'test-multi': ['value-multi'] }, headers: { 'test-multi': 'value-solo' } },
      { headers: { 'test-multi': 'value-multi, value-solo' } },
    ],
    [
      'multi-headers-overwrite-casing',
      { multiValueHeaders: { 'tesT-Multi': ['value-multi'] }, headers: { 'test-multi': 'value-solo' } },
      { headers: { 'test-multi': 'value-multi, value-solo' } },
    ],
    ['status-code-str', { statusCode: '201' }, { status: 201, body: '' }],
    ['only-headers', { headers: { 'test-header': 'value' } }, { status: 200, headers: { 'test-header': 'value' } }],
  ])('test_aws_proxy_response_payload_format_validation: invoke-api-%s', async (_, answer, expected) => {
    expect(await answered(answer)).toMatchObject(expected);
  });

  test.each<[string, unknown]>([
    ['wrong-format', { statusCode: 200, wrongValue: 'value' }],
    ['multi-headers-invalid', { statusCode: 200, multiValueHeaders: { 'test-multi-invalid': 'value1' } }],
    ['invalid-status-code', { statusCode: 'test' }],
    ['just-string', 'justAString'],
  ])('test_aws_proxy_response_payload_format_validation: invoke-api-%s is 502', async (_, answer) => {
    const refused = await answered(answer);
    expect(refused.status).toBe(502);
    expect(parsed(refused)).toEqual({ message: 'Internal server error' });
  });

  test('test_aws_proxy_response_payload_format_validation: invoke-api-empty-response, whose function fails', async () => {
    const refused = await requestApi(createApi({ Any: apiMethod(undefined, 'ANY') }), {
      method: 'POST',
      body: 'no JSON',
    });
    expect([refused.status, parsed(refused)]).toEqual([502, { message: 'Internal server error' }]);
  });

  test.each<[string, unknown]>([
    ['no-body', { statusCode: 200 }],
    ['only-headers', { statusCode: 200, headers: { 'test-header': 'value' } }],
    ['empty-response', {}],
  ])('test_lambda_aws_proxy_response_format: %s', async (_, answer) => {
    expect(await answered(answer)).toMatchObject({ status: 200, body: '' });
  });
});

describe('integrations', () => {
  test.each([
    ['test_put_integration_aws_proxy_uri: lambda-uri', { Uri: { 'Fn::GetAtt': ['Echo', 'Arn'] } }],
    ...[
      'bad-arn:lambda:path/2015-03-31/functions/',
      'arn:aws:apigateway:eu-west-1:lambda:test/2015-03-31/functions/',
      'arn:aws:apigateway:eu-west-1:firehose:path/2015-03-31/functions/',
      'arn:aws:apigateway:eu-west-1:lambda:path/random/value/',
    ].map((prefix): [string, { Uri: ReturnType<typeof integrationUri> }] => [
      `test_put_integration_aws_proxy_uri: ${prefix}`,
      { Uri: integrationUri('Echo', prefix) },
    ]),
    [
      'test_lambda_aws_proxy_integration_non_post_method',
      { IntegrationHttpMethod: 'GET', Uri: integrationUri('Echo') },
    ],
  ])('%s is refused before anything runs', (_, integration) => {
    const Integration = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', ...integration };
    expect(() => createApi({ Any: apiMethod(undefined, 'ANY', { Integration }) })).toThrow('integration');
  });

  test.each(['GET', 'POST'])('test_apigateway_basic.py, test_mock_integration_response: NEVER, %s', async (name) => {
    const cloud = createApi({ Any: mockMethod(undefined, name, '{"statusCode": 200, "id": 42}') });
    const headers = { 'content-type': 'application/json' };
    const answer = await requestApi(cloud, { method: name, headers, body: '{}' });
    expect([answer.status, parsed(answer)]).toEqual([200, { statusCode: 200, id: 42 }]);
  });

  test('test_apigateway_integrations.py, test_integration_mock_with_path_param: a name without quotes', async () => {
    const cloud = createApi({
      Path: apiResource('{testPath}'),
      Get: mockMethod('Path', 'GET', '', '{statusCode: 200}'),
    });
    expect(await requestApi(cloud, { path: '/test-path' })).toMatchObject({ status: 200, body: '' });
  });
});

describe('gateway responses: test_apigateway_api.py, test_gateway_response_put, test_update_gateway_response', () => {
  const TYPE = 'MISSING_AUTHENTICATION_TOKEN';
  const TEMPLATE =
    '{"message": $context.error.messageString, "type": "$context.error.responseType", "statusCode": "\'404\'"}';
  const MESSAGE = 'Missing Authentication Token';
  const header = { 'gatewayresponse.header.foo': "'bar'" };

  test.each<[string, string, object, object, object]>([
    ['status-only', TYPE, { StatusCode: '404' }, { status: 404 }, { message: MESSAGE }],
    [
      'response-parameters-only',
      TYPE,
      { ResponseParameters: header },
      { status: 403, headers: { foo: 'bar' } },
      { message: MESSAGE },
    ],
    [
      'response-templates-only',
      TYPE,
      { ResponseTemplates: { 'application/json': TEMPLATE } },
      { status: 403 },
      { message: MESSAGE, type: TYPE, statusCode: "'404'" },
    ],
    ['not-set, DEFAULT_4XX', 'DEFAULT_4XX', { StatusCode: '444' }, { status: 444 }, { message: MESSAGE }],
  ])('%s', async (_, type, properties, answer, body) => {
    const cloud = createApi({ Get: apiMethod(undefined, 'GET'), Refusal: gatewayResponse(type, { ...properties }) });
    const refused = await requestApi(cloud, { path: '/none' });
    expect(refused).toMatchObject(answer);
    expect(parsed(refused)).toEqual(body);
  });

  test('default-5xx applies to types that have no response of their own; default-ignored does not use it', async () => {
    const everything = {
      All: gatewayResponse('DEFAULT_5XX', {
        StatusCode: '599',
        ResponseTemplates: { 'application/json': '{"type":"$context.error.responseType"}' },
      }),
      Failure: gatewayResponse('INTEGRATION_FAILURE', { ResponseParameters: { ...header } }),
      Get: apiMethod(undefined, 'ANY'),
    };
    const wrong = await requestApi(createApi(everything), { method: 'POST', body: '{"answer":"text"}' });
    expect([wrong.status, wrong.body]).toEqual([599, '{"type":"DEFAULT_5XX"}']);
    const failed = await requestApi(createApi(everything), { method: 'POST', body: 'no JSON' });
    expect([failed.status, failed.body]).toEqual([599, '{"type":"DEFAULT_5XX"}']);
    const full = createApi(everything);
    full.fn('Shop/Echo').reserve(0);
    const refused = await requestApi(full, { method: 'POST', body: '{}' });
    expect(refused).toMatchObject({
      status: 500,
      headers: { foo: 'bar' },
      body: '{"message":"Internal server error"}',
    });
  });

  test.each([
    [
      'a parameter of the request',
      { ResponseParameters: { 'gatewayresponse.header.x': 'method.request.header.Accept' } },
    ],
    ['a stage variable', { ResponseTemplates: { 'application/json': '$stageVariables.a' } }],
  ])('%s is refused by name', (_, properties) => {
    const create = () => createApi({ Get: apiMethod(undefined, 'GET'), Refusal: gatewayResponse(TYPE, properties) });
    expect(create).toThrow("in a gateway response isn't modelled");
  });
});

describe('error answers of the Developer Guide, "Gateway response types" and "Lambda authorizers"', () => {
  const authorizer = (code: string, IdentitySource?: string) =>
    createApi(
      {
        Authorizer: {
          Type: 'AWS::ApiGateway::Authorizer',
          Properties: {
            RestApiId: { Ref: 'Api' },
            Type: 'REQUEST',
            AuthorizerUri: integrationUri('Judge'),
            AuthorizerResultTtlInSeconds: 0,
            ...(IdentitySource !== undefined && { IdentitySource }),
          },
        },
        Get: apiMethod(undefined, 'GET', { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Authorizer' } }),
      },
      { Judge: `exports.handler = async (event) => ${code};` },
    );
  const policy = (effect: string) =>
    `({ policyDocument: { Statement: [{ Action: 'execute-api:Invoke', Effect: '${effect}', Resource: event.methodArn }] } })`;

  test.each<[string, string, string | undefined, number, string | undefined]>([
    ['allows', policy('Allow'), undefined, 200, undefined],
    ['denies', policy('Deny'), undefined, 403, 'AccessDeniedException'],
    ['throws Unauthorized', "{ throw new Error('Unauthorized'); }", undefined, 401, 'UnauthorizedException'],
    ['fails', "{ throw new Error('broken'); }", undefined, 500, 'AuthorizerFailureException'],
    ['returns no policy', '({})', undefined, 500, 'AuthorizerConfigurationException'],
    [
      'misses its identity source',
      policy('Allow'),
      'method.request.header.Authorization',
      401,
      'UnauthorizedException',
    ],
  ])('an authorizer that %s', async (_, code, source, status, error) => {
    const answer = await requestApi(authorizer(code, source), {});
    expect([answer.status, answer.headers['x-amzn-errortype']]).toEqual([status, error]);
  });

  test('a function that the API may not call: 500', async () => {
    const MayEcho = { Type: 'AWS::Logs::LogGroup', Properties: {} };
    const answer = await requestApi(createApi({ Get: apiMethod(undefined, 'GET'), MayEcho }), {});
    expect([answer.status, parsed(answer)]).toEqual([500, { message: 'Internal server error' }]);
  });

  test('a function that takes longer than the gateway waits: 504', async () => {
    const code = { Slow: 'exports.handler = () => new Promise((resolve) => setTimeout(() => resolve({}), 40000));' };
    const Integration = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Slow') };
    const answer = await requestApi(createApi({ Get: apiMethod(undefined, 'GET', { Integration }) }, code), {});
    expect([answer.status, parsed(answer)]).toEqual([504, { message: 'Endpoint request timed out' }]);
  });

  test('a method may wait for less', async () => {
    const code = { Slow: 'exports.handler = () => new Promise((resolve) => setTimeout(() => resolve({}), 2000));' };
    const slow = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Slow') };
    const waits = async (TimeoutInMillis: number) => {
      const Integration = { ...slow, TimeoutInMillis };
      return (await requestApi(createApi({ Get: apiMethod(undefined, 'GET', { Integration }) }, code), {})).status;
    };
    expect([await waits(1_000), await waits(3_000)]).toEqual([504, 200]);
  });

  test('a body of more than 10 MB: 413', async () => {
    const cloud = createApi({ Post: apiMethod(undefined, 'POST') });
    const answer = await requestApi(cloud, { method: 'POST', body: 'a'.repeat(10 * 1024 * 1024 + 1) });
    expect([answer.status, parsed(answer)]).toEqual([413, { message: 'Request Too Long' }]);
  });
});
