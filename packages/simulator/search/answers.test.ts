import { expect, test } from 'vitest';
import { Cloud, loadDeployment } from '../cloud/cloud.js';
import { apiMethod, apiResource, createApi, integrationUri } from '../support/apis.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { writeQueueShop } from '../support/queue-shop.js';
import { makeOracle } from './oracle.js';
import { fillIn } from './placeholders.js';
import { sendAll } from './send-requests.js';
import { makeStarter } from './starter.js';
import type { RecordedRequest } from './stimulus.js';

/** Creates an order under a random id, and reads it. It refuses a second one with the header `Once`. */
const ORDERS = `${CLIENT}
let placed = false;
exports.handler = async ({ httpMethod, pathParameters, requestContext, headers }) => {
  const TableName = process.env.TABLE;
  if (httpMethod === 'POST') {
    const id = require('node:crypto').randomUUID();
    const { status } = await call('DynamoDB_20120810.PutItem', { TableName, Item: { pk: { S: id } } });
    if (status !== 200) throw new Error('put: ' + status);
    if (headers.Once && placed) return { statusCode: 409, body: 'placed before' };
    placed = true;
    const Location = 'https://api.example.com/' + requestContext.stage + '/orders/' + id;
    return { statusCode: 201, headers: { Location }, body: JSON.stringify({ order: { id } }) };
  }
  const { body } = await call('DynamoDB_20120810.GetItem', { TableName, Key: { pk: { S: pathParameters.id } } });
  return { statusCode: body.Item ? 200 : 404, body: '{}' };
};`;

const createOrders = () => {
  const Integration = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Orders') };
  return createApi(
    {
      Table: TABLE,
      ...functionResource('Orders', [allowStatement(['dynamodb:PutItem', 'dynamodb:GetItem'], arnOf('Table'))], {
        Environment: { Variables: { TABLE: { Ref: 'Table' } } },
      }),
      All: apiResource('orders'),
      One: apiResource('{id}', 'All'),
      Post: apiMethod('All', 'POST', { Integration }),
      Get: apiMethod('One', 'GET', { Integration }),
    },
    { Orders: ORDERS },
  );
};

const request = (name: string, more: Partial<RecordedRequest> = {}): RecordedRequest => {
  const [method = '', path = ''] = name.split(' ');
  return { name, method, path, headers: {}, ...more };
};
const CREATE = request('POST /orders', { as: 'created' });
const READ = request('GET /orders/{{created.response.body.$.order.id}}');

test('a request has a value of an earlier answer: of its body, or of a header', async () => {
  const byLocation = request('GET {{created.response.headers.Location}}');
  expect(await sendAll(createOrders(), [CREATE, READ, byLocation])).toEqual([
    { status: 201 },
    { status: 200 },
    { status: 200 },
  ]);
});

test('an answer without that value ends the search before it begins, and the error shows the answer', async () => {
  const wrong = request('GET /orders/{{created.response.body.$.id}}');
  await expect(makeOracle(createOrders().deployment, [CREATE, wrong])).rejects.toThrow(
    /^GET \/orders\/\{\{created\.response\.body\.\$\.id\}\} can't be sent: it needs \$\.id in the body of the answer to created, which was 201 \{"order":\{"id":/,
  );
});

test('a request whose earlier answer is a refusal is not sent', async () => {
  const cloud = createApi({ Post: apiMethod(undefined, 'POST') });
  const refused = request('POST /', { as: 'created', body: '{"answer":{"statusCode":400,"body":"no stock"}}' });
  expect(await sendAll(cloud, [refused, READ])).toEqual([
    { status: 400 },
    { status: 0, missing: 'it needs $.order.id in the body of the answer to created, which was 400 no stock' },
  ]);
});

test('nothing defines a name: an error in a path or a header, and text in a body, which may be a template', async () => {
  const cloud = createOrders();
  await expect(sendAll(cloud, [request('GET /orders/{{id}}')])).rejects.toThrow(
    /^GET \/orders\/\{\{id\}\}: nothing defines \{\{id\}\}; a name is a variable of the file \(@id = \.\.\.\), a token/,
  );
  expect(await sendAll(cloud, [request('POST /orders', { body: '{"mail":"Dear {{name}}"}' })])).toEqual([
    { status: 201 },
  ]);
});

test('a refusal of a repeated request does not take the place of the first answer', async () => {
  const once = { ...CREATE, headers: { Once: 'true' } };
  expect(await sendAll(createOrders(), [once, once, READ])).toEqual([
    { status: 201 },
    { status: 409 },
    { status: 200 },
  ]);
});

test('a part of an answer that is none says what would be one, also in a body', async () => {
  const wrong = request('POST /orders', { body: '{"id":"{{created.response.body.id}}"}' });
  await expect(sendAll(createOrders(), [CREATE, wrong])).rejects.toThrow(
    '{{created.response.body.id}} is no part of an answer: {{created.response.body.$.id}}',
  );
});

test('a request has the time of the simulated clock', () => {
  const cloud = createCloud({}, {}, { begins: Date.UTC(2026, 0, 5) });
  expect(fillIn(cloud, request('GET /{{$timestamp}}/{{$isoTimestamp}}'), new Map())).toMatchObject({
    path: '/1767571200/2026-01-05T00:00:00.000Z',
  });
});

test('a step waits for a time, or until everything has come to rest', async () => {
  const cloud = createCloud({});
  const { now } = cloud.world;
  await sendAll(cloud, [{ name: 'wait 10m', step: { wait: 600_000 } }]);
  expect(cloud.world.now - now).toBe(600_000);
  const shop = new Cloud(loadDeployment(writeQueueShop('exports.handler = async () => undefined;')), { seed: '1' });
  const send = { name: 'send Shop/Queue', step: { send: 'Shop/Queue', body: {} } };
  await sendAll(shop, [send, { name: 'wait rest', step: { wait: 'rest' } }, { ...send, name: 'second' }]);
  const at = (part: string): number => shop.world.trace.lines.findIndex((line) => line.includes(part));
  expect(at('Shop/Work invocation 1 returned')).toBeLessThan(at('client second'));
});

test('an item that a step puts was there long before the next request: no read is too old to see it', async () => {
  const cloud = createOrders();
  const { now } = cloud.world;
  await sendAll(cloud, [
    { name: 'put', step: { put: 'Shop/Table', item: { pk: { S: '1' } } } },
    request('GET /orders/1'),
  ]);
  const asked = cloud.world.trace.lines.find((line) => line.endsWith('client GET /orders/1'));
  expect(Date.parse(asked?.split(' ')[0] ?? '') - now).toBeGreaterThan(5_000);
});

test('the first file of requests takes the id of a path from the answer that created it', () => {
  const { text, names } = makeStarter(createOrders());
  expect(names).toEqual(['POST /orders', 'GET /orders/{{orders.response.body.$.id}}']);
  expect(text).toContain('# @name orders\nPOST /orders\n');
  // Nobody knows what a greedy parameter stands for.
  const greedy = createApi({
    All: apiResource('orders'),
    Rest: apiResource('{path+}', 'All'),
    Post: apiMethod('All', 'POST'),
    Get: apiMethod('Rest', 'GET'),
  });
  expect(makeStarter(greedy).names).toEqual(['POST /orders', 'GET /orders/1']);
});
