import fc from 'fast-check';
import { encodeCursor } from '../../../packages/kit/http/paging.js';
import type { Route } from '../../../packages/simulator/services/apigateway/routes.js';
import { bodyOf } from './bodies.js';
import { type FuzzRequest, nameOf, type Sender } from './request.js';
import { KEY, LISTS, PARAMETERS, valuesOf } from './samples.js';
import { encoded, text } from './texts.js';

/** Generates requests to an API with these routes. Most of them differ little from a valid request. */
export const requestTo = (routes: readonly Route[]): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    { weight: 19, arbitrary: fc.oneof(...routes.map(requestOf)) },
    { weight: 1, arbitrary: fc.constantFrom(...routes).chain(withOtherMethod) },
    { weight: 1, arbitrary: forged },
  );

const requestOf = (route: Route): fc.Arbitrary<FuzzRequest> => {
  const { method, resource } = route;
  return fc
    .record({ path: pathOf(resource), query, as: sender, headers, body: bodyOf(nameOf(route)) })
    .map(({ path, query, as, headers, body }) => ({
      method,
      path: path + query,
      as,
      headers,
      ...(body !== undefined && { body }),
    }));
};

const withOtherMethod = (route: Route): fc.Arbitrary<FuzzRequest> =>
  fc
    .tuple(requestOf(route), fc.constantFrom('DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'GET', 'TRACE'))
    .map(([request, method]) => ({ ...request, method }));

const sender: fc.Arbitrary<Sender> = fc.oneof(
  { withCrossShrink: true },
  { weight: 10, arbitrary: fc.constantFrom<Sender>('alice', 'alice', 'bob', 'operator', 'operator') },
  { weight: 1, arbitrary: fc.constant<Sender>('none') },
  {
    weight: 1,
    arbitrary: fc
      .oneof(text, fc.constantFrom('Bearer a.b.c', 'Bearer ', 'Basic YTpi', `Bearer ${'a'.repeat(9_000)}`))
      .map((authorization) => ({ authorization })),
  },
);

/** Generates a raw path segment: any characters except those that end a segment. */
const RAW_PARTS = [
  '%zz',
  '%',
  '%ff',
  '%c0%af',
  '..',
  '.',
  ';a=b',
  'a;b',
  '%2f',
  '%00',
  '%0d%0aX: 1',
  '@',
  '~',
  '{sku}',
];
const rawPart = fc.constantFrom(...RAW_PARTS);

function pathOf(resource: string): fc.Arbitrary<string> {
  const parts = resource.split('/').map((part) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (parameter === undefined) return fc.constant(part);
    return fc.oneof(
      { withCrossShrink: true },
      { weight: 10, arbitrary: fc.constantFrom(...valuesOf(parameter)) },
      { weight: 3, arbitrary: text.map(encoded) },
      { weight: 1, arbitrary: rawPart },
    );
  });
  const path = fc.tuple(...parts).map((parts) => parts.join('/'));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 20, arbitrary: path },
    {
      weight: 1,
      arbitrary: fc.tuple(path, fc.constantFrom('/', '//', '/%zz', '/x', '%20')).map(([path, end]) => path + end),
    },
  );
}

/** Generates forged cursors with a correct checksum. */
const cursor = fc
  .tuple(
    fc.constantFrom(...Object.values(LISTS)),
    fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.record({ commit: fc.double(), shown: fc.maxSafeInteger() })),
  )
  .map(([list, position]) => encodeCursor(list, position));

/** Generates requests for a list that start from a forged cursor. */
const forged: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    fc.constantFrom(...Object.entries(LISTS)),
    fc.oneof(fc.constantFrom<unknown>('', ' ', 'a#b', 'x'.repeat(700), null, 7), text),
    fc.constantFrom<Sender>('alice', 'operator'),
  )
  .map(([[path, list], position, as]) => ({
    method: 'GET',
    path: `${path}cursor=${encodeCursor(list, position)}`,
    as,
    headers: {},
  }));

const parameter: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...Object.entries(PARAMETERS))
      .chain(([name, values]) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...values), text.map(encoded)))),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('cursor'),
      fc.oneof({ weight: 3, arbitrary: cursor }, { weight: 1, arbitrary: text.map(encoded) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('__proto__', 'constructor%5Bprototype%5D', 'limit%5B%5D', 'LIMIT', '%zz', ''),
      text.map(encoded),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(text.map(encoded), text.map(encoded)) },
);

const query = fc.oneof(
  { withCrossShrink: true },
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('?creditExhausted=true', '?customerId=alice', '?limit=1', '?version=1') },
  {
    weight: 3,
    arbitrary: fc
      .array(parameter, { minLength: 1, maxLength: 3 })
      .map((parameters) => `?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('?', '?&', '?=', '??', '?%', '?limit', '?limit=1&limit=2', '?limit=1;limit=2'),
  },
);

/** Generates a valid header, another text instead, or both at once. */
const header = (...values: readonly string[]): fc.Arbitrary<string | readonly string[]> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...values) },
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...values), text) },
  );

/** Idempotency keys. There are few, so that keys often repeat, with the same request or another one. */
const key = header(
  ...[1, 2].map((at) => KEY + at),
  'auto',
  `"${KEY}1"`,
  '"',
  'ord_018f0000-0000-7000-8000-000000000000',
);

/** Generates a value that is absent in most inputs. */
const rare = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ withCrossShrink: true }, { weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const headers: fc.Arbitrary<FuzzRequest['headers']> = fc
  .record({
    'Idempotency-Key': fc.option(key, { freq: 6, nil: undefined }),
    'Content-Type': rare(
      header(
        'application/json',
        'application/json; charset=utf-8',
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
      ),
    ),
    'Session-Id': rare(header('<session>', '<payment-session>')),
    'Request-Number': rare(header('1', '2', '3', '0', '01', '9007199254740993')),
    'Answered-Up-To': rare(header('0', '1', '2', '-1')),
    'If-Match': rare(header('0', '1', '"2"', 'W/"1"', '*', '01', '999999999', '1e3')),
    'X-Correlation-Id': rare(header('fuzz-1', 'a'.repeat(64), 'a'.repeat(65), 'a b')),
    traceparent: rare(
      header(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, 'ff-1'),
    ),
    'Content-Encoding': rare(fc.constantFrom('gzip', 'br', 'chunked')),
    'X-HTTP-Method-Override': rare(fc.constantFrom('GET', 'DELETE')),
    Accept: rare(header('text/html', '*/*')),
  })
  .map(
    (all) =>
      Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as FuzzRequest['headers'],
  );
