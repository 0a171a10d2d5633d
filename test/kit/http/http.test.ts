import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { WriteConflict } from '../../../packages/kit/aws/write-conflict.js';
import { AggregateDeleted } from '../../../packages/kit/event-store/event-store.js';
import { handler as authorizer } from '../../../packages/kit/http/authorizer.lambda.js';
import { defineProblems, Problem } from '../../../packages/kit/http/errors.js';
import { endpoint, endpointFor } from '../../../packages/kit/http/http.js';
import { MAX_BODY_BYTES } from '../../../packages/kit/http/request-parsing.js';
import { makeToken, newKey, toJwks } from '../../../tools/local/dev-issuer.js';

const issuerKey = newKey();
const claims = { sub: 'alice', role: 'customer' as const };

// Endpoints are created when this file is loaded.
vi.hoisted(() => {
  process.env.APP = 'orderly';
  process.env.OPERATOR_ROLES = '["operator"]';
});

beforeAll(() => {
  process.env.ROLES = '["customer","operator"]';
  process.env.JWT_ISSUER = 'urn:orderly:dev';
  process.env.JWT_AUDIENCE = 'orderly-dev';
  process.env.JWT_ROLE_CLAIM = 'orderly_role';
  process.env.JWT_MAX_LIFETIME_SECONDS = '43200';
  process.env.JWT_JWKS = toJwks(issuerKey);
});

interface Ask {
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly query?: Record<string, string[]>;
  readonly authorizer?: Record<string, string>;
}
const expires = () => String(Math.floor(Date.now() / 1000) + 60);
const ask = ({
  body,
  isBase64Encoded = false,
  headers,
  multiValueHeaders,
  query,
  authorizer = { sub: 'alice', role: 'customer', exp: expires() },
}: Ask) =>
  ({
    httpMethod: 'POST',
    resource: '/things/{id}',
    path: '/base/things/7',
    pathParameters: { id: '7' },
    headers: headers ?? {},
    multiValueHeaders,
    multiValueQueryStringParameters: query ?? null,
    queryStringParameters: null,
    body: body ?? null,
    isBase64Encoded,
    requestContext: { authorizer },
  }) as unknown as APIGatewayProxyEvent;

const Body = z.strictObject({ n: z.int(), 'a/b': z.exactOptional(z.string()) });
const Query = z.strictObject({ q: z.exactOptional(z.string()) });
const echo = endpoint({ roles: ['customer'], body: Body, query: Query }, async ({ caller, path, body, query }) => ({
  status: 200,
  body: { caller: caller.id, path, body, query },
}));
const answer = async (event: APIGatewayProxyEvent, handler = echo) => {
  const { statusCode, headers, body } = await handler(event);
  return { status: statusCode, headers: headers ?? {}, body: JSON.parse(body) };
};

describe('an endpoint', () => {
  test('passes on the checked request, with the route and without a base path', async () =>
    expect(await answer(ask({ body: '{"n":1}', query: { q: ['x'] } }))).toMatchObject({
      status: 200,
      body: { caller: 'alice', path: '/things/7', body: { n: 1 }, query: { q: 'x' } },
    }));
  test.each([
    ['auth0%7C7', 200, 'auth0|7'],
    ['a%2Bb', 200, 'a+b'],
    ['a+b', 200, 'a+b'],
    ['%zz', 404, undefined],
  ])('decodes a parameter of the path, which the gateway leaves as it was sent: %s', async (id, status, found) => {
    const named = endpoint({}, async ({ parameter }) => ({ status: 200, body: { id: parameter('id') } }));
    const got = await answer({ ...ask({}), pathParameters: { id } }, named as never);
    expect([got.status, got.body.id]).toEqual([status, found]);
  });
  test.each([
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'RequestThrottled',
    'ThrottlingException',
    'TooManyRequestsException',
  ])('a request that meets %s of a service is to be sent again later', async (name) => {
    const throttled = endpoint({}, () => Promise.reject(Object.assign(new Error('slow down'), { name })));
    const { status, body } = await answer(ask({}), throttled as never);
    expect([status, body.type]).toEqual([429, 'urn:orderly:problem:throttled']);
  });
  test.each([
    ['a|b', '/things/a|b'],
    ['a%7Cb', '/things/a|b'],
    ['%61|b', '/things/a|b'],
    ['a%2Fb', '/things/a%2Fb'],
    ['a%252Fb', '/things/a%252Fb'],
  ])('a resource has one path, on which its keys depend, however a client encodes it: %s', async (id, path) => {
    const named = endpoint({}, async (request) => ({ status: 200, body: { path: request.path } }));
    expect(await answer({ ...ask({}), pathParameters: { id } }, named as never)).toMatchObject({ body: { path } });
  });
  test('sends a text with a media type of its own unchanged', async () => {
    const csv = endpoint({}, async () => ({ status: 200, body: 'a,b\r\n', mediaType: 'text/csv' }));
    expect(await csv(ask({}))).toMatchObject({ body: 'a,b\r\n', headers: { 'Content-Type': 'text/csv' } });
  });
  test('an answer about something absent has the time at which it closes', async () => {
    const closesAt = '2026-01-06T00:00:00.000Z';
    const waiting = endpoint({}, async () => {
      throw new Problem('not-found', 'not yet', { closesAt });
    });
    expect(await answer(ask({}), waiting)).toMatchObject({ status: 404, body: { closesAt } });
  });
  test('treats a missing body as an empty object', async () =>
    expect((await answer(ask({}))).body.errors).toEqual([{ pointer: '/n', detail: expect.any(String) }]));

  test.each([
    ['not JSON', { body: '{"n":' }, [{ pointer: '', detail: 'expected a JSON object' }]],
    ['an unknown field', { body: '{"n":1,"~x/y":1}' }, [{ pointer: '/~0x~1y', detail: 'unknown field' }]],
    [
      'every fault',
      { body: '{"a/b":1}' },
      [expect.objectContaining({ pointer: '/n' }), expect.objectContaining({ pointer: '/a~1b' })],
    ],
    [
      'an unknown parameter',
      { body: '{"n":1}', query: { r: ['1'] } },
      [{ parameter: 'r', detail: 'unknown parameter: expected one of q' }],
    ],
    ['a number with a fraction', { body: '{"n":9.5}' }, [{ pointer: '/n', detail: 'expected a whole number' }]],
    ['a member twice', { body: '{"n":1,"n":2}' }, [{ pointer: '/n', detail: 'given more than once' }]],
    [
      'a header twice',
      { body: '{"n":1}', multiValueHeaders: { 'Idempotency-Key': ['a', 'b'] } },
      [{ header: 'Idempotency-Key', detail: 'given more than once' }],
    ],
    [
      'a parameter twice',
      { body: '{"n":1}', query: { q: ['1', '2'] } },
      [{ parameter: 'q', detail: 'given more than once' }],
    ],
  ])('answers 400 to %s, and says where', async (_, request, errors) =>
    expect(await answer(ask(request))).toMatchObject({
      status: 400,
      headers: { 'Content-Type': 'application/problem+json' },
      body: { type: 'urn:orderly:problem:invalid-request', status: 400, errors },
    }),
  );
  test('lists 20 faults of a body, and says how many more there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`u${at}`, 0]));
    const { status, body } = await answer(ask({ body: JSON.stringify({ n: 1, ...many }) }));
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(20);
    expect(body.detail).toBe('the request has 6000 faults, 20 are listed in errors, and 5980 more are not');
  });
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; q=1',
    'application/json; charset=US-ASCII',
  ])('reads a body of %s', async (type) =>
    expect(await answer(ask({ body: '{"n":1}', headers: { 'Content-Type': type } }))).toMatchObject({ status: 200 }),
  );
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json; application/json',
    '',
  ])('answers 415 to a body of %j', async (type) =>
    expect(await answer(ask({ body: '{"n":1}', headers: { 'content-type': type } }))).toMatchObject({
      status: 415,
      body: { type: 'urn:orderly:problem:unsupported-media-type', errors: [{ header: 'Content-Type' }] },
    }),
  );
  test.each(['iso-8859-1', '"ISO-8859-1"', 'utf-16', 'windows-1252', 'utf-7', ''])(
    'answers 415 to a charset of %j: it would be another text',
    async (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      expect(await answer(ask({ body: '{"n":1}', headers }))).toMatchObject({
        status: 415,
        body: { errors: [{ header: 'Content-Type', detail: 'expected charset=utf-8, or none' }] },
      });
    },
  );
  test('answers 415 to a body that is packed', async () => {
    const packed = { body: '\u001f\ufffd', headers: { 'content-encoding': 'gzip' } };
    expect(await answer(ask(packed))).toMatchObject({
      status: 415,
      body: { errors: [{ header: 'Content-Encoding' }] },
    });
    const plain = { body: '{"n":1}', headers: { 'content-encoding': 'identity' } };
    expect(await answer(ask(plain))).toMatchObject({ status: 200 });
  });
  describe('a text that is not UTF-8', () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
    test.each([
      ['that the gateway has made text of', { body: '{"a":["b",{"c":"M\ufffdnchen"}]}' }, '/a/1/c'],
      ['in a name', { body: '{"a":{"M\ufffdnchen":1}}' }, '/a'],
      ['in what is no JSON', { body: '\ufffd\ufffd{' }, ''],
      ['that came as bytes', { body: latin1('{"a":["b",{"c":"M\xfcnchen"}]}'), isBase64Encoded: true }, '/a/1/c'],
      [
        'that says it is ASCII',
        { body: '{"c":"München"}', headers: { 'content-type': 'application/json; charset=us-ascii' } },
        '/c',
      ],
    ])('a text that is not UTF-8 is refused with its place, %s', async (_, sent, pointer) =>
      expect(await answer(ask(sent))).toMatchObject({
        status: 400,
        body: { errors: [{ pointer, detail: 'expected UTF-8: bytes of another encoding came here' }] },
      }),
    );
    test('a replacement character that was sent itself is accepted: as bytes, or as its escape', async () => {
      const echo = endpoint({ body: z.strictObject({ c: z.string() }) }, async ({ body }) => ({ status: 200, body }));
      const escaped = ask({ body: '{"c":"\\ufffd"}' });
      const bytes = ask({ body: Buffer.from('{"c":"\ufffd"}').toString('base64'), isBase64Encoded: true });
      for (const event of [escaped, bytes])
        expect(await answer(event, echo)).toMatchObject({ status: 200, body: { c: '\ufffd' } });
    });
  });
  test.each(['%2E', '%2e%2E', '.', '..'])(
    'a resource with the id %s does not exist, since no client can ask for it',
    async (id) => {
      const shown = endpoint({}, async ({ parameter }) => ({ status: 200, body: parameter('id') }));
      const asked = { ...ask({}), pathParameters: { id } } as APIGatewayProxyEvent;
      expect(await answer(asked, shown)).toMatchObject({ status: 400, body: { errors: [{ parameter: 'id' }] } });
    },
  );
  test('needs no media type without a body', async () =>
    expect(await answer(ask({ headers: { 'content-type': 'text/plain' } }))).toMatchObject({ status: 400 }));
  test('forbids caches, type guessing and connections without TLS in every answer', async () => {
    for (const event of [ask({ body: '{"n":1}' }), ask({}), ask({ authorizer: {} })])
      expect((await answer(event)).headers).toMatchObject({
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': 'max-age=31536000',
      });
  });
  test('answers 413 above 64 KB', async () =>
    expect(await answer(ask({ body: ' '.repeat(MAX_BODY_BYTES + 1) }))).toMatchObject({ status: 413 }));
  test('accepts every role of the application by default', async () => {
    const open = endpointFor<'agent' | 'visitor'>()({}, async ({ caller }) => ({ status: 200, body: caller.role }));
    const asked = ask({ authorizer: { sub: 'a', role: 'agent', exp: expires() } });
    expect(await answer(asked, open)).toMatchObject({ status: 200, body: 'agent' });
  });
  test('answers 403 to another role', async () =>
    expect(await answer(ask({ authorizer: { sub: 'op', role: 'operator', exp: expires() } }))).toMatchObject({
      status: 403,
    }));
  test("logs the operator and the route before the lookup, without a customer's id", async () => {
    const written = vi.spyOn(telemetry.logger, 'info').mockReturnValue();
    const keys = vi.spyOn(telemetry.logger, 'appendKeys');
    const looked = vi.fn();
    const both = endpointFor<'customer' | 'operator'>({ personalParameters: ['customerId'] })({}, async () => {
      looked(written.mock.calls.length);
      return { status: 200, body: {} };
    });
    const asked = (role: string, pathParameters: object) =>
      both({ ...ask({ authorizer: { sub: `the-${role}`, role, exp: expires() } }), pathParameters } as never);
    await asked('operator', { id: '7' });
    await asked('operator', { customerId: 'customer-ada' });
    await asked('customer', { customerId: 'customer-ada' });
    const said = [...written.mock.calls];
    const added = [...keys.mock.calls];
    vi.restoreAllMocks();
    const common = { method: 'POST', route: '/things/{id}' };
    expect(said).toEqual([
      ['operator request', { ...common, of: { id: '7' } }],
      ['operator request', { ...common, of: {} }],
    ]);
    expect(added.filter(([more]) => 'operator' in more)).toEqual(Array(2).fill([{ operator: 'the-operator' }]));
    expect(looked.mock.calls).toEqual([[1], [2], [2]]);
    expect(JSON.stringify([said, added])).not.toMatch(/customer-ada|the-customer/);
  });
  test('answers 401 to a token that expired after the gateway had let it in', async () =>
    expect(await answer(ask({ authorizer: { sub: 'alice', role: 'customer', exp: '1' } }))).toMatchObject({
      status: 401,
    }));

  test.each([
    ['itself', 'a.B_c-1', 'a.B_c-1'],
    ['a new one for a malformed one', 'a b', expect.not.stringMatching('a b')],
    ['a new one for a too long one', 'x'.repeat(65), expect.stringMatching(/^.{36}$/)],
  ])("returns the caller's correlation id: %s", async (_, sent, shown) =>
    expect((await answer(ask({ headers: { 'x-CORRELATION-id': sent } }))).headers).toMatchObject({
      'X-Correlation-Id': shown,
    }),
  );

  test('hides internal errors', async () => {
    const broken = endpoint({ roles: ['customer'] }, async () => {
      throw Object.assign(new Error('table orders-prod is on fire'), { name: 'ResourceNotFoundException' });
    });
    const { status, body } = await answer(ask({}), broken);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/orders-prod|ResourceNotFound|at /);
  });
  test('counts faults of the code, which end a canary, and not what a caller repeats', async () => {
    const counted = vi.spyOn(telemetry, 'count');
    const failing = (error: Error) =>
      answer(
        ask({}),
        endpoint({ roles: ['customer'] }, () => Promise.reject(error)),
      );
    await failing(new Problem('in-progress', 'wait', { retryAfterSeconds: 3 }));
    await failing(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
    expect(counted.mock.calls).toEqual([]);
    await failing(new TypeError('x is not a function'));
    expect(counted.mock.calls).toEqual([['RequestFaults']]);
    counted.mockRestore();
  });
  test('answers 404 for a deleted resource', async () => {
    const late = endpoint({ roles: ['customer'] }, async () => {
      throw new AggregateDeleted();
    });
    expect(await answer(ask({}), late)).toMatchObject({ status: 404, body: { type: 'urn:orderly:problem:not-found' } });
  });
  test('answers with a service’s own kind of problem', async () => {
    const { 'ticket-closed': closed } = defineProblems({ 'ticket-closed': { status: 409, title: 'Ticket closed' } });
    const refusing = endpoint({ roles: ['customer'] }, async () => {
      throw new Problem(closed, 'open another one');
    });
    const body = { type: 'urn:orderly:problem:ticket-closed', title: 'Ticket closed', detail: 'open another one' };
    expect(await answer(ask({}), refusing)).toMatchObject({ status: 409, body: { ...body, status: 409 } });
  });
  test('answers with Retry-After', async () => {
    const busy = endpoint({ roles: ['customer'] }, async () => {
      throw new Problem('in-progress', 'wait', { retryAfterSeconds: 3 });
    });
    expect(await answer(ask({}), busy)).toMatchObject({ status: 409, headers: { 'Retry-After': '3' } });
  });
  test('names the expected and the found version of a lost race', async () => {
    const versions = { expectedVersion: 3, foundVersion: 5 };
    const lost = endpoint({ roles: ['customer'] }, async () => {
      throw Object.assign(new WriteConflict(), { versions });
    });
    expect(await answer(ask({}), lost)).toMatchObject({ status: 409, body: versions });
  });
});

describe('an endpoint without an authorizer in front', () => {
  const withToken = (token: string) =>
    ask({ body: '{"n":1}', headers: { Authorization: `Bearer ${token}` }, authorizer: {} });
  const stranger = newKey();

  test('the function verifies the token itself', async () =>
    expect(await answer(withToken(makeToken(claims, issuerKey)))).toMatchObject({
      status: 200,
      body: { caller: 'alice' },
    }));
  test.each([
    ['no token', () => ask({ authorizer: {} })],
    ['garbage', () => withToken('a.b.c')],
    ["a stranger's key", () => withToken(makeToken(claims, stranger))],
    ["a stranger's key under our key's name", () => withToken(makeToken(claims, { ...stranger, kid: issuerKey.kid }))],
  ])('%s is 401', async (_, event) => expect(await answer(event())).toMatchObject({ status: 401 }));
  test('a bundle for a gateway with an authorizer refuses a request without a caller, even with a valid token', async () => {
    vi.stubEnv('KIT_AUTHORIZER', 'gateway');
    try {
      expect(await answer(withToken(makeToken(claims, issuerKey)))).toMatchObject({ status: 401 });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

test('the authorizer refuses two tokens', async () => {
  const Authorization = `Bearer ${makeToken(claims, issuerKey)}`;
  const asking = (values: string[]) =>
    authorizer({
      methodArn: 'arn:aws:execute-api:eu-west-1:1:api/v1/GET/orders',
      headers: { Authorization },
      multiValueHeaders: { Authorization: values },
    } as unknown as APIGatewayRequestAuthorizerEvent);
  const log = vi.spyOn(telemetry.logger, 'info').mockReturnValue();
  const effects = [await asking([Authorization]), await asking([Authorization, Authorization])].map(
    ({ policyDocument }) => policyDocument.Statement[0],
  );
  log.mockRestore();
  expect(effects).toMatchObject([{ Effect: 'Allow' }, { Effect: 'Deny' }]);
});

describe('the subject of a token', () => {
  const asking = async (sub: string) => {
    const headers = { Authorization: `Bearer ${makeToken({ ...claims, sub }, issuerKey)}` };
    const event = { methodArn: 'arn:aws:execute-api:eu-west-1:1:api/v1/GET/orders', headers };
    const log = vi.spyOn(telemetry.logger, 'info').mockReturnValue();
    const { policyDocument, context } = await authorizer(event as unknown as APIGatewayRequestAuthorizerEvent);
    const logged = [...log.mock.calls];
    log.mockRestore();
    return { ...policyDocument.Statement[0]!, sub: context?.sub, refusal: context?.refusal, logged };
  };

  test.each(['alice', 'auth0|5f7c8ec7c33c6c004bbafe82', 'k3xWq@clients', 'a.b@machine', '|@'])(
    'the subject may be %s',
    async (sub) => expect(await asking(sub)).toMatchObject({ Effect: 'Allow', sub, logged: [] }),
  );

  test.each(['ada@example.org', 'a@b.c', 'email|ada@mail.example.org', 'x@y@example.org'])(
    'the subject may not be %s: the log has the reason but not the subject',
    async (sub) => {
      const { Effect, logged, refusal, sub: known } = await asking(sub);
      expect({ Effect, known }).toEqual({ Effect: 'Deny', known: undefined });
      expect(logged).toEqual([['token refused', expect.objectContaining({ reason: 'sub is an e-mail address' })]]);
      expect(JSON.stringify(logged)).not.toContain(sub);
      expect(refusal).toBe('It has a fault: sub is an e-mail address.');
    },
  );
});

describe('one token', () => {
  const token = makeToken(claims, issuerKey);
  const effectOf = async (headers: object, multiValueHeaders?: object) => {
    const methodArn = 'arn:aws:execute-api:eu-west-1:1:api/v1/GET/orders';
    const event = { methodArn, headers, multiValueHeaders } as unknown as APIGatewayRequestAuthorizerEvent;
    const log = vi.spyOn(telemetry.logger, 'info').mockReturnValue();
    const { policyDocument } = await authorizer(event);
    log.mockRestore();
    return policyDocument.Statement[0]!.Effect;
  };
  const said = (authorization: string) =>
    effectOf({ Authorization: authorization }, { Authorization: [authorization] });

  test('a token has one spelling without spare bits, since the firewall would count each spelling separately', async () => {
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [1, 2, 3].map((bits) => `${token.slice(0, -1)}${last[last.indexOf(token.at(-1) ?? '') + bits]}`);
    const signature = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex');
    expect(new Set([token, ...others].map(signature)).size).toBe(1);
    expect(await said(`Bearer ${token}`)).toBe('Allow');
    expect(await said(`bearer ${token}`)).toBe('Allow');
    for (const other of others) expect(await said(`Bearer ${other}`)).toBe('Deny');
  });

  test('a token beside another Authorization header is refused, since the firewall might count the other one', async () => {
    const Authorization = `Bearer ${token}`;
    expect(await effectOf({ Authorization }, { Authorization: ['Bearer a.b.c', Authorization] })).toBe('Deny');
    expect(await effectOf({ authorization: Authorization }, { authorization: ['x', Authorization] })).toBe('Deny');
    expect(await effectOf({ Authorization })).toBe('Allow');
  });
});

test('an endpoint that is deprecated says since when, and when it goes, in every answer', async () => {
  const old = { deprecated: { since: '2026-11-29T00:00:00Z', sunset: '2027-05-31T00:00:00Z' } } as const;
  const expected = { Deprecation: '@1795910400', Sunset: 'Mon, 31 May 2027 00:00:00 GMT' };
  const answering = endpoint(old, async () => ({ status: 200, body: {} as unknown }));
  expect((await answering(ask({}))).headers).toMatchObject(expected);
  expect((await answering(ask({ query: { more: ['1'] } }))).headers).toMatchObject(expected);
  const kept = endpoint({ deprecated: { since: '2026-11-29T00:00:00Z' } }, async () => ({
    status: 204,
    body: undefined,
  }));
  expect((await kept(ask({}))).headers).not.toHaveProperty('Sunset');
  expect((await echo(ask({ body: '{"n":1}' }))).headers).not.toHaveProperty('Deprecation');
});

describe('a conditional endpoint', () => {
  const subject = { version: 3, name: 'tea' };
  const read = endpoint({ conditional: true }, async () => ({
    status: 200,
    body: subject as unknown,
    headers: { 'Retry-After': '2' },
  }));
  const reading = async (headers: Record<string, string> = {}, handler = read) => handler(ask({ headers }));
  const tag = async () => String((await reading()).headers?.ETag);

  test('answers with a tag of the version and the body', async () => {
    expect(await tag()).toMatch(/^"3-[0-9a-f]{8}"$/);
    const forgotten = endpoint({ conditional: true }, async () => ({ status: 200, body: { version: 3 } as unknown }));
    expect((await reading({}, forgotten)).headers?.ETag).not.toBe(await tag());
  });

  test('answers 304 without a body to a client that has it, with its other headers', async () => {
    const { statusCode, body, headers } = await reading({ 'if-none-match': `"2-00000000", W/${await tag()}` });
    expect({ statusCode, body }).toEqual({ statusCode: 304, body: '' });
    expect(headers).toMatchObject({ ETag: await tag(), 'Retry-After': '2', 'Cache-Control': 'no-store' });
    expect(headers).not.toHaveProperty('Content-Type');
  });

  test('reads If-None-Match over several lines', async () => {
    const lines = { 'If-None-Match': ['"2-00000000"', await tag()] };
    expect((await read(ask({ multiValueHeaders: lines }))).statusCode).toBe(304);
  });

  test('answers a refusal without a tag', async () => {
    const refusing = endpoint({ conditional: true }, async (): Promise<never> => {
      throw new Problem('not-found', 'no resource has this id');
    });
    const { statusCode, headers } = await reading({ 'If-None-Match': '*' }, refusing);
    expect(statusCode).toBe(404);
    expect(headers).not.toHaveProperty('ETag');
  });
});

test('an endpoint that is not conditional has no tag, and no 304', async () => {
  const { statusCode, headers } = await echo(ask({ body: '{"n":1}', headers: { 'If-None-Match': '*' } }));
  expect(statusCode).toBe(200);
  expect(headers).not.toHaveProperty('ETag');
});
