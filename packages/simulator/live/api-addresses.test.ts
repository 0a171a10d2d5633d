import { expect, test } from 'vitest';
import { apiMethod, createApi } from '../support/apis.js';
import { createHttpApi, httpRoute, httpStage } from '../support/http-apis.js';
import { findEndpoint, pathOf } from './api-addresses.js';

test('an endpoint is found by its stage, its id or its host', () => {
  const { apis } = createHttpApi({ ...httpRoute('Get', 'GET /orders'), Beta: httpStage('beta') });
  expect(apis.map((api) => pathOf(api, apis))).toEqual(['/apis/Shop-Api', '/beta']);
  const [first, beta] = [0, 1].map((number) => ({ number, path: '/orders?a=1' }));
  expect(findEndpoint(apis, '/apis/Shop-Api/orders?a=1')).toEqual(first);
  expect(findEndpoint(apis, '/orders?a=1', 'shop-api.execute-api.localhost:4566')).toEqual(first);
  expect(findEndpoint(apis, '/beta/orders?a=1', 'Shop-Api.execute-api.localhost')).toEqual(beta);
  expect(findEndpoint(apis, '/apis/Shop-Api/beta/orders?a=1')).toEqual(beta);
  expect(findEndpoint(apis, '/beta/orders?a=1')).toEqual(beta);
  expect(findEndpoint(apis, '/apis/Shop-Api?a=1')).toEqual({ number: 0, path: '/?a=1' });
  expect(findEndpoint(apis, '/apis/Other/orders')).toBeUndefined();
  expect(findEndpoint(apis, '/orders')).toBeUndefined();
});

test('a REST API is never without its stage', () => {
  const { apis } = createApi({ Get: apiMethod(undefined, 'GET') });
  expect(findEndpoint(apis, '/dev')).toEqual({ number: 0, path: '/' });
  expect(findEndpoint(apis, '/restapis/Shop-Api/dev/x')).toEqual({ number: 0, path: '/x' });
  expect(findEndpoint(apis, '/x', 'shop-api.execute-api.localhost')).toBeUndefined();
});

test('each API has the path by which it answers: the first one of a stage the short one', () => {
  const apis = [
    { id: 'one', stage: 'prod' },
    { id: 'two', stage: 'prod' },
    { id: 'two', stage: 'beta' },
    { id: 'two', stage: '$default' },
  ];
  const paths = apis.map((api) => pathOf(api, apis));
  expect(paths).toEqual(['/prod', '/restapis/two/prod', '/beta', '/apis/two']);
  const found = paths.map((path) =>
    findEndpoint(apis as unknown as Parameters<typeof findEndpoint>[0], `${path}/orders`),
  );
  expect(found).toEqual(apis.map((_, number) => ({ number, path: '/orders' })));
});
