import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { apiMethod, apiResource, createApi, integrationUri, requestApi } from '../../support/apis.js';
import { NotModelled } from '../../wire/operation.js';

/** Answers with its event, fails as the event says, or takes longer than it may. */
const WORK = `exports.handler = async (event) => {
  if (event.fails) throw new Error(event.fails);
  if (event.hangs) await new Promise((resolve) => setTimeout(resolve, 120_000));
  return { got: event };
};`;

/** An API whose `POST /orders/{id}` invokes a function without proxy. */
const create = (integration: { [name: string]: Json } = {}) =>
  createApi(
    {
      Orders: apiResource('orders'),
      One: apiResource('{id}', 'Orders'),
      Post: apiMethod('One', 'POST', {
        Integration: {
          Type: 'AWS',
          IntegrationHttpMethod: 'POST',
          Uri: integrationUri('Work'),
          IntegrationResponses: [
            { StatusCode: '200' },
            {
              StatusCode: '409',
              SelectionPattern: 'Conflict.*',
              ResponseTemplates: { 'application/json': '{"why":"$input.path(\'$.errorMessage\')"}' },
            },
            { StatusCode: '504', SelectionPattern: '.*Task timed out.*' },
          ],
          ...integration,
        },
        MethodResponses: [{ StatusCode: '200' }, { StatusCode: '409' }, { StatusCode: '504' }],
      }),
    },
    { Work: WORK },
  );
const post = (body: object, type = 'application/json') => ({
  method: 'POST',
  path: '/orders/7',
  headers: { 'Content-Type': type },
  body: JSON.stringify(body),
});

/** Amazon API Gateway, "Set up Lambda custom integrations in API Gateway". */
test('a body is the event of the function as it is, or as a template makes it, and the result is the body of the answer', async () => {
  expect(await requestApi(create(), post({ sku: 'lamp' }))).toMatchObject({
    status: 200,
    body: '{"got":{"sku":"lamp"}}',
  });
  const RequestTemplates = { 'application/json': '{"id":"$input.params(\'id\')","order":$input.json(\'$\')}' };
  expect(await requestApi(create({ RequestTemplates }), post({ sku: 'lamp' }))).toMatchObject({
    body: '{"got":{"id":"7","order":{"sku":"lamp"}}}',
  });
  const strict = create({ RequestTemplates, PassthroughBehavior: 'NEVER' });
  expect((await requestApi(strict, post({}, 'text/plain'))).status).toBe(415);
});

/** Amazon API Gateway, "Handle custom Lambda errors in API Gateway". */
test('a pattern is compared with the message of an error, and without one that fits, an error is answered as a result', async () => {
  expect(await requestApi(create(), post({ fails: 'Conflict: sold' }))).toMatchObject({
    status: 409,
    body: '{"why":"Conflict: sold"}',
  });
  const { status, body } = await requestApi(create(), post({ fails: 'no table' }));
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ errorMessage: 'no table', errorType: 'Error' });
});

test('a template that makes no JSON is an error of the gateway, and a slow function is one of its time limit', async () => {
  const broken = create({ RequestTemplates: { 'application/json': '{"id":' } });
  expect((await requestApi(broken, post({}))).status).toBe(502);
  expect((await requestApi(create(), post({ hangs: true }))).status).toBe(504);
});

/** Amazon API Gateway, "Set up asynchronous invocation of the backend Lambda function". */
test.each([
  ["'Event'", {}],
  ['method.request.header.InvocationType', { InvocationType: 'Event' }],
])('the gateway does not wait for an asynchronous invocation: %s', async (type, headers) => {
  const cloud = create({
    RequestParameters: {
      'integration.request.header.X-Amz-Invocation-Type': type,
      // It goes to Lambda, and not to the function.
      'integration.request.querystring.id': 'method.request.path.id',
    },
  });
  const asked = post({ hangs: true });
  expect(await requestApi(cloud, { ...asked, headers: { ...asked.headers, ...headers } })).toMatchObject({
    status: 200,
    body: '',
  });
  expect(cloud.world.now - cloud.world.begins).toBeLessThan(5_000);
  await cloud.world.settle();
  expect(cloud.fn('Shop/Work').invocations).toBe(3);
});

test.each([
  [
    { RequestParameters: { 'integration.request.header.X-Amz-Client-Context': "'a'" } },
    "Client-Context isn't modelled",
  ],
  [{ Credentials: 'arn:aws:iam::123456789012:role/r' }, 'Credentials of an integration with a function'],
])('what the model lacks is an error: %j', (integration, message) =>
  expect(() => create(integration)).toThrow(message),
);

test.each([
  [
    'event',
    "the path 'sku' doesn't begin with $, in $input.path('sku')",
    { RequestTemplates: { 'application/json': "$input.path('sku')" } },
  ],
  [
    'answer',
    "the path '$[?(@.got)]' isn't modelled from '[?(@.got)]' on, in $input.json('$[?(@.got)]')",
    {
      IntegrationResponses: [
        { StatusCode: '200', ResponseTemplates: { 'application/json': "$input.json('$[?(@.got)]')" } },
      ],
    },
  ],
])('a template of the %s that reads what has no model ends the history', async (what, why, integration) => {
  const asked = requestApi(create(integration), post({ sku: 'lamp' }));
  await expect(asked).rejects.toThrow(new NotModelled(`the ${what} of /orders/{id} can't be made: ${why}`));
});
