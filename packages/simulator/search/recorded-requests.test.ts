import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRequests } from './recorded-requests.js';
import { RequestsUnreadable } from './stimulus.js';

const folder = mkdtempSync(join(tmpdir(), 'requests-'));
const read = (name: string, text: string, stage?: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return readRequests(file, stage);
};

const ORDER = {
  name: 'POST /orders',
  method: 'POST',
  path: '/orders',
  headers: { 'Content-Type': 'application/json' },
  body: '{"sku":"lamp"}',
};

test('an HTTP file has requests between its separators, with variables for the host', () => {
  const text = `@host = https://api.example.com
### an order
# of a lamp
POST {{host}}/prod/orders HTTP/1.1
Host: api.example.com
Content-Type: application/json

{"sku":"lamp"}

###
GET https://api.example.com/prod/orders?page=1
`;
  expect(read('a.http', text, 'prod')).toEqual(
    [ORDER, { name: 'GET /prod/orders?page=1', method: 'GET', path: '/orders?page=1', headers: {} }].map((one) => ({
      ...one,
      name: one.name.replace('POST /orders', 'POST /prod/orders'),
    })),
  );
});

test('an HTTP file is that of an editor: with variables, names, waits, long queries and bodies in files', () => {
  writeFileSync(join(folder, 'order.json'), '{"sku":"desk","key":"{{$guid}}"}');
  const text = `@host = localhost:3000/dev
@orders = {{host}}/orders
@id = {{created.response.body.$.id}}

# @name created
POST http://{{orders}}
# a comment among headers
Idempotency-Key: {{$guid}}

< ./order.json
###
# @wait 10 m
GET {{orders}}/{{id}}
  ?page=1
  &size=2
`;
  expect(read('editor.http', text, 'dev')).toEqual([
    {
      name: 'POST /dev/orders',
      as: 'created',
      method: 'POST',
      path: '/orders',
      headers: {
        'Idempotency-Key': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      },
      body: expect.stringMatching(/^\{"sku":"desk","key":"[0-9a-f-]{36}"\}$/),
    },
    { name: 'wait 10 m', step: { wait: 600_000 } },
    {
      name: 'GET /dev/orders/{{created.response.body.$.id}}?page=1&size=2',
      method: 'GET',
      path: '/orders/{{created.response.body.$.id}}?page=1&size=2',
      headers: {},
    },
  ]);
});

test('the address that an answer tells is no variable for a host', () => {
  const text = '# @name created\nPOST /orders\n###\nGET {{created.response.headers.Location}}\n';
  expect(read('location.http', text)[1]).toMatchObject({ path: '{{created.response.headers.Location}}' });
});

test('a HAR has requests as a browser recorded them', () => {
  const request = {
    method: 'POST',
    url: 'https://api.example.com/orders',
    headers: [
      { name: ':authority', value: 'api.example.com' },
      { name: 'Content-Type', value: 'application/json' },
    ],
    postData: { text: '{"sku":"lamp"}' },
  };
  expect(read('a.har', JSON.stringify({ log: { entries: [{ request }] } }))).toEqual([ORDER]);
});

test('an OpenAPI document has requests where all parts have examples', () => {
  const content = { 'application/json': { example: { sku: 'lamp' } } };
  const id = { name: 'id', in: 'path', schema: { example: 'a b' } };
  const paths = {
    '/orders': { post: { requestBody: { content } } },
    '/orders/{id}': { get: { parameters: [id] }, delete: { parameters: [{ name: 'id', in: 'path' }] } },
  };
  expect(read('a.json', JSON.stringify({ openapi: '3.1.0', paths }))).toEqual([
    ORDER,
    { name: 'GET /orders/a%20b', method: 'GET', path: '/orders/a%20b', headers: {} },
  ]);
});

test('requests may stand among steps', () => {
  const steps = [
    { put: 'Table', item: { pk: { S: '1' } } },
    { request: 'POST /prod/orders', headers: { 'Content-Type': 'application/json' }, body: { sku: 'lamp' } },
  ];
  expect(read('mixed.json', JSON.stringify({ steps }), 'prod')).toEqual([
    { name: 'put Table', step: steps[0] },
    { ...ORDER, name: 'POST /prod/orders' },
  ]);
  expect(() => read('g.json', '{"steps":[{"request":"/orders"}]}')).toThrow(
    'step 1 requests "/orders"; expected POST /orders',
  );
});

test('steps begin the work of an app without an API', () => {
  const steps = [
    { invoke: 'Create', payload: {}, name: 'made' },
    { wait: 'rest' },
    { send: 'Queue', body: { id: '{{made.response.body.$.id}}' } },
    { event: 'default', source: 'shop', detailType: 'Sold', detail: {} },
  ];
  expect(read('steps.json', JSON.stringify({ steps }))).toEqual([
    { name: 'invoke Create', as: 'made', step: { invoke: 'Create', payload: {} } },
    { name: 'wait rest', step: { wait: 'rest' } },
    { name: 'send Queue', step: steps[2] },
    { name: 'event default', step: steps[3] },
  ]);
});

test.each([
  [
    'e.json',
    '{"steps":[{"send":"Queue"}]}',
    'step 1 (send) lacks body; a step is one of { send, body }, { publish, message }',
  ],
  ['f.json', '{"steps":[{"email":"a"}]}', 'step 1 has no kind; a step is one of'],
  ['h.json', '{"steps":[{"wait":"soon"}]}', 'step 1 waits for "soon"; expected 90s, 10m, 2h, 1d, or rest'],
  ['j.http', '# @name an order\nPOST /', 'the name "an order" of POST / can\'t stand in {{...}}; expected letters'],
  ['k.http', '# @wait\nPOST /', 'request 1 waits for ""; expected 90s'],
  ['g.http', '# @wait 10\nGET /', 'request 1 waits for "10"; expected 90s'],
  ['h.http', 'POST /\n\n< ./nothing.json', "request 1 has its body in ./nothing.json, which can't be read: ENOENT"],
  [
    'i.http',
    'GET /orders/{{created.response.body.$.id}}',
    'GET /orders/{{created.response.body.$.id}} needs an answer to created, but no request before it has this name',
  ],
  ['a.http', 'orders please', 'request 1 begins with "orders please"; expected a method and a path'],
  ['b.json', '{}', 'has neither "log" (a HAR), "openapi" (an OpenAPI document of version 3), nor "steps"'],
  ['c.txt', 'x', 'is neither an HTTP file'],
  ['d.http', '# nothing', 'has no requests'],
])('a file that is no such thing says what would be right: %s', (name, text, message) => {
  expect(() => read(name, text)).toThrow(RequestsUnreadable);
  expect(() => read(name, text)).toThrow(message);
});
