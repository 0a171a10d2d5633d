import { describe, expect, test } from 'vitest';
import type { DeployedRoute } from '../server/reference-contract.js';
import { fitsSearch, readEvents, readOperations } from './documents.js';
import { firstValues, idInAnswer, toRequest } from './request.js';

const route = (method: string, path: string): DeployedRoute => ({
  api: 0,
  stage: 'v1',
  method,
  path,
  function: 'Orders/Do',
});
const DOCUMENT = {
  paths: {
    '/orders/{orderId}': {
      parameters: [{ $ref: '#/components/parameters/OrderId' }],
      put: {
        summary: 'Change an order',
        tags: ['orders'],
        parameters: [
          { name: 'Idempotency-Key', in: 'header', required: true },
          { name: 'dry', in: 'query', schema: { example: 'true' } },
        ],
        requestBody: {
          content: { 'application/json': { examples: { cup: { summary: 'One cup', value: { sku: 'CUP-1' } } } } },
        },
      },
    },
  },
  components: { parameters: { OrderId: { name: 'orderId', in: 'path', required: true, description: 'Which order' } } },
};
const [change] = readOperations([route('PUT', '/orders/{orderId}')], DOCUMENT);
if (!change) throw new Error('one route has one operation');

describe('operations', () => {
  test('a deployed route is described by the document', () => {
    expect(change).toMatchObject({
      id: 'PUT /orders/{orderId}',
      group: 'orders',
      summary: 'Change an order',
      hasBody: true,
      examples: [{ name: 'One cup', text: '{\n  "sku": "CUP-1"\n}' }],
    });
    expect(change.parameters.map(({ name, in: place, isRequired }) => `${place} ${name} ${isRequired}`)).toEqual([
      'path orderId true',
      'header Idempotency-Key true',
      'query dry false',
    ]);
    expect(change.parameters[0]?.description).toBe('Which order');
    expect(change.parameters[2]?.example).toBe('true');
  });

  test('without a document, a route has the parameters of its path and says which function answers', () => {
    const [plain] = readOperations([route('POST', '/things/{id}/{rest+}')]);
    expect(plain).toMatchObject({ group: 'things', summary: 'Orders/Do', hasBody: true });
    expect(plain?.parameters.map(({ name }) => name)).toEqual(['id', 'rest']);
  });

  test('what is not deployed is not listed', () => {
    expect(readOperations([], DOCUMENT)).toEqual([]);
  });
});

describe('a request that a form makes', () => {
  const filled = {
    values: { 'path orderId': 'a/b', 'header Idempotency-Key': 'k' },
    body: '{"sku":"CUP-1"}',
    as: 'alice',
  };

  test('parameters are in its path, query and headers', () => {
    expect(toRequest(change, { ...filled, values: { ...filled.values, 'query dry': 'yes & no' } })).toEqual({
      api: 0,
      method: 'PUT',
      path: '/orders/a%2Fb?dry=yes+%26+no',
      headers: { 'content-type': 'application/json', 'Idempotency-Key': 'k' },
      body: '{"sku":"CUP-1"}',
      as: 'alice',
    });
  });

  test('what is missing or malformed is said', () => {
    expect(toRequest(change, { ...filled, values: {} })).toBe('orderId: a value is missing.');
    expect(toRequest(change, { ...filled, body: '{' })).toMatch(/^The body is no JSON: /);
  });

  test('a form begins with an idempotency key', () => {
    expect(firstValues(change.parameters, () => 'new')).toEqual({ 'header Idempotency-Key': 'new' });
  });

  test('an answer leads to its order, or else to its conversation', () => {
    const headers = { 'X-Correlation-Id': 'conversation' };
    expect(idInAnswer({ headers, body: '{"orderId":"one"}' })).toBe('one');
    expect(idInAnswer({ headers, body: '' })).toBe('conversation');
    expect(idInAnswer({ headers: {}, body: 'text' })).toBeUndefined();
  });
});

describe('events', () => {
  const message = (source: string, type: string, version: number) => ({
    name: type,
    summary: `${type} it is`,
    headers: { properties: { source: { enum: [source] }, 'detail-type': { const: type } } },
    examples: [{ payload: { version } }],
  });
  const document = {
    components: {
      messages: { 'shop.Placed.1': message('shop', 'Placed', 1), 'shop.Placed.2': message('shop', 'Placed', 2) },
    },
  };

  test('versions of one event are one, with the example of the newest', () => {
    expect(readEvents([{ source: 'shop', type: 'Placed' }], document)).toEqual([
      {
        id: 'shop Placed',
        source: 'shop',
        type: 'Placed',
        summary: 'Placed it is',
        versions: ['1', '2'],
        example: '{\n  "version": 2\n}',
      },
    ]);
  });

  test('an event that only a rule or only the document knows is listed', () => {
    expect(readEvents([{ source: 'aws.s3', type: 'Object Created' }], document).map(({ id }) => id)).toEqual([
      'aws.s3 Object Created',
      'shop Placed',
    ]);
  });
});

test('a search finds each of its words in any order and case', () => {
  expect(fitsSearch('order POST', 'POST /orders')).toBe(true);
  expect(fitsSearch('order delete', 'POST /orders')).toBe(false);
  expect(fitsSearch('', 'anything')).toBe(true);
});
