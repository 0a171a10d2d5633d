import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arnOf, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { LocalCloudClient, LocalCloudRefused, parseDuration } from './client.js';
import { answerWithFile } from './docs.js';
import { LocalCloud } from './local-cloud.js';
import { PortInUse } from './server.js';

/** A REST API whose function answers with what it was asked, at `/things`. */
const api = (name: string, stage: string, echo: string) => ({
  [name]: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: name } },
  [`${name}Things`]: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { RestApiId: { Ref: name }, ParentId: { 'Fn::GetAtt': [name, 'RootResourceId'] }, PathPart: 'things' },
  },
  ...Object.fromEntries(
    ['GET', 'HEAD', 'POST'].map((HttpMethod) => [`${name}${HttpMethod}`, methodOf(name, HttpMethod, echo)] as const),
  ),
  [`${name}May`]: {
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf(echo), Principal: 'apigateway.amazonaws.com' },
  },
  [`${name}Stage`]: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: name }, StageName: stage } },
});
const methodOf = (name: string, HttpMethod: string, echo: string) => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    RestApiId: { Ref: name },
    ResourceId: { Ref: `${name}Things` },
    HttpMethod,
    AuthorizationType: 'NONE',
    Integration: {
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      Uri: {
        'Fn::Join': [
          '',
          ['arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/', arnOf(echo), '/invocations'],
        ],
      },
    },
  },
});
const ECHO = `exports.handler = async ({ httpMethod, path, body, multiValueHeaders, queryStringParameters }) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ by: process.env.AWS_LAMBDA_FUNCTION_NAME, httpMethod, path, length: body ? body.length : 0,
    many: multiValueHeaders['X-Many'], query: queryStringParameters }),
});`;

/** A folder of documents, beside a file that is none. */
function documents(): string {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  mkdirSync(join(folder, 'docs', 'lib'), { recursive: true });
  for (const [file, text] of Object.entries({
    'docs/page.html': '<p>',
    'docs/lib/code.js': '1;',
    secret: '',
    'docs/.hidden': '',
  }))
    writeFileSync(join(folder, file), text);
  return join(folder, 'docs');
}

let cloud: LocalCloud;
let client: LocalCloudClient;
const said: string[] = [];
const clockSet: number[] = [];

beforeAll(async () => {
  const resources = {
    Things: TABLE,
    ...functionResource('First'),
    ...functionResource('Second'),
    ...api('Shop', 'v1', 'First'),
    ...api('Admin', 'v1', 'Second'),
  };
  cloud = await LocalCloud.start({
    folder: writeAssembly(resources, { First: ECHO, Second: ECHO }),
    threads: 1,
    hosts: ['Devbox'],
    docs: documents(),
    log: (line) => said.push(line),
    onClockSet: (ahead) => clockSet.push(ahead),
  });
  client = new LocalCloudClient(cloud.url);
});
afterAll(() => cloud.stop());

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** Sends a request as it is: fetch refuses some headers. */
const send = (
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string | Buffer,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(`${cloud.url}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
const sendJson = async (...args: Parameters<typeof send>): Promise<unknown> => JSON.parse((await send(...args)).body);
const control = (command: string, input: string | object): Promise<unknown> =>
  sendJson('POST', `/_local/${command}`, {}, typeof input === 'string' ? input : JSON.stringify(input));

describe('the documents', () => {
  test.each([
    ['page.html', '<p>', 'text/html; charset=utf-8'],
    ['page.html?shown', '<p>', 'text/html; charset=utf-8'],
    ['lib/code.js', '1;', 'text/javascript; charset=utf-8'],
  ])('the documents are served: %s', async (path, text, type) => {
    const { status, body, headers } = await send('GET', `/_docs/${path}`);
    expect({ status, body, type: headers['content-type'] }).toEqual({ status: 200, body: text, type });
  });

  test.each(['missing.html', '', 'lib', '../secret', '..%2fsecret', 'lib/../../secret', '.hidden', '/etc/passwd'])(
    'other files are not served: %s',
    (path) => {
      const { status, body } = answerWithFile(documents(), 'GET', `/_docs/${path}`);
      expect({ status, body }).toEqual({ status: 404, body: expect.stringContaining('was expected') });
    },
  );

  test('the documents are for pages of the address itself, and can only be read', async () => {
    expect(await send('GET', '/_docs/page.html', { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    expect(await send('PUT', '/_docs/page.html')).toMatchObject({ status: 404 });
  });
});

describe('an API', () => {
  test('the first API of a stage is at /<stage>, and each API at /restapis/<id>/<stage>', async () => {
    const [shop, admin] = (await client.status()).apis;
    expect([shop?.path, admin?.path]).toEqual(['/v1', `/restapis/${admin?.id}/v1`]);
    expect(await sendJson('GET', '/v1/things')).toMatchObject({
      path: '/things',
      by: expect.stringContaining('First'),
    });
    expect(await sendJson('GET', `/restapis/${shop?.id}/v1/things`)).toMatchObject({
      by: expect.stringContaining('First'),
    });
    expect(await sendJson('GET', `/restapis/${admin?.id}/v1/things?a=b%20c`)).toMatchObject({
      path: '/things',
      query: { a: 'b c' },
      by: expect.stringContaining('Second'),
    });
  });

  test('answers HEAD with headers and without a body', async () => {
    const { status, headers, body } = await send('HEAD', '/v1/things');
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(headers['content-type']).toBe('application/json');
  });

  test('gets each value of a header that was sent more than once', async () => {
    expect(await sendJson('GET', '/v1/things', { 'X-Many': ['a', 'b'] })).toMatchObject({ many: ['a', 'b'] });
  });

  test('gets a packed body as it came, since the gateway unpacks none, and refuses one that is too large', async () => {
    const packed = gzipSync('x'.repeat(1_000_000));
    expect(await sendJson('POST', '/v1/things', { 'content-encoding': 'gzip' }, packed)).toMatchObject({
      length: packed.toString('utf8').length,
    });
    const { status } = await send('POST', '/v1/things', {}, 'x'.repeat(11_000_000));
    expect(status).toBe(413);
  });

  test('a body that is not packed as it says is an answer, and nothing ends', async () => {
    expect(await send('POST', '/', { 'content-encoding': 'gzip' }, 'plain')).toMatchObject({ status: 400 });
    expect(await send('GET', '/v1/things')).toMatchObject({ status: 200 });
  });
});

test('AWS protocols answer beside it, and an unknown path is named', async () => {
  const dynamodb = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' };
  expect(await sendJson('POST', '/', dynamodb, '{}')).toEqual({ TableNames: ['Shop-Things'] });
  expect(await send('GET', '/nothing/here')).toMatchObject({ status: 403 });
  expect(said.some((line) => line.startsWith('not served: GET') && line.includes('/nothing/here'))).toBe(true);
});

test('a port in use is refused, the next start gets another one', async () => {
  const options = { folder: writeAssembly({ Things: TABLE }), threads: 1, log: () => undefined };
  const port = Number(new URL(cloud.url).port);
  await expect(LocalCloud.start({ ...options, port })).rejects.toThrow(PortInUse);
  const other = await LocalCloud.start(options);
  expect(other.url).not.toBe(cloud.url);
  await other.stop();
});

describe('a page in a browser', () => {
  const dynamodb = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'text/plain' };
  /** Everything but an API's routes: what a page could read or do there. */
  const beside = [
    ['GET', '/', {}],
    ['GET', '/_local', {}],
    ['POST', '/_local/reset', {}],
    ['POST', '/', dynamodb],
    ['POST', '/2015-03-31/functions/Shop-First/invocations', { 'content-type': 'text/plain' }],
    ['GET', '/_aws/sqs/messages/eu-west-1/123456789012/queue', {}],
    ['PUT', '/bucket/key', {}],
  ] as const;
  const port = (): string => new URL(cloud.url).port;

  test.each<[string, OutgoingHttpHeaders, string]>([
    ['has its origin', { origin: 'https://evil.example' }, 'the request has an Origin (https://evil.example)'],
    ['hides its origin', { origin: 'null' }, 'the request has an Origin (null)'],
    ['is of this machine', { origin: 'http://localhost:5173' }, 'has an Origin (http://localhost:5173)'],
    ['is of another site', { 'sec-fetch-site': 'cross-site' }, 'has Sec-Fetch-Site: cross-site'],
    ['is of another port', { 'sec-fetch-site': 'same-site' }, 'has Sec-Fetch-Site: same-site'],
    ['resolves its name to 127.0.0.1', { host: 'evil.example:4566' }, 'or start with --host evil.example'],
    ['has a name that ends alike', { host: 'evil-localhost' }, "the host 'evil-localhost' is no name of this machine"],
    ['has a name like an address', { host: '127.0.0.1.evil.example' }, 'is no name of this machine'],
  ])('reaches nothing beside an API if it %s', async (_what, headers, words) => {
    for (const [method, path, own] of beside) {
      const { status, body } = await send(method, path, { ...own, ...headers });
      expect({ path, status, ...JSON.parse(body) }).toEqual({
        path,
        status: 403,
        message: expect.stringContaining(words),
      });
    }
  });

  test.each<[string, () => OutgoingHttpHeaders]>([
    ['localhost', () => ({ host: `localhost:${port()}` })],
    ['LOCALHOST', () => ({ host: 'LOCALHOST' })],
    ['127.0.0.1', () => ({ host: `127.0.0.1:${port()}` })],
    ['[::1]', () => ({ host: `[::1]:${port()}` })],
    ['the host of a bucket', () => ({ host: `bucket.localhost:${port()}` })],
    ['the name of an option', () => ({ host: `devbox:${port()}` })],
    ['a name below it', () => ({ host: 'bucket.devbox' })],
    ['an address that somebody typed', () => ({ 'sec-fetch-site': 'none' })],
  ])('a request by %s is not from a page: SDKs and tools are answered', async (_what, headers) => {
    expect(await sendJson('POST', '/', { ...dynamodb, ...headers() }, '{}')).toEqual({ TableNames: ['Shop-Things'] });
    expect(await sendJson('GET', '/_local', headers())).toMatchObject({ simulator: true });
  });

  test('calls an API as its answers allow', async () => {
    const origin = 'https://evil.example';
    const { status, headers } = await send('GET', '/v1/things', {
      origin,
      'sec-fetch-site': 'cross-site',
      host: 'tunnel.example',
    });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:3000', 'https://localhost'])(
    'a page of %s may call an API',
    async (origin) => {
      const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
      expect(await send('OPTIONS', '/v1/things', { origin, ...asks })).toMatchObject({
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'authorization',
        },
      });
      const { status, headers } = await send('GET', '/v1/things', { origin });
      expect({ status, ...headers }).toMatchObject({
        status: 200,
        'access-control-allow-origin': origin,
        vary: 'Origin',
        'access-control-expose-headers': '*',
      });
    },
  );
});

describe('the control of a live cloud', () => {
  test('says what runs', async () => {
    const status = await client.status();
    expect(status).toMatchObject({ simulator: true, pid: process.pid, stacks: ['Shop'], faults: [] });
    expect(status.apis.map(({ stage }) => stage)).toEqual(['v1', 'v1']);
    expect(await sendJson('GET', '/')).toMatchObject({ simulator: true });
  });

  test.each([
    ['forward', '{', 'the body is no JSON'],
    ['forward', 'null', 'the body: a JSON object was expected'],
    ['forward', '[1]', 'the body: a JSON object was expected'],
    ['forward', {}, 'milliseconds: a number above 0'],
    ['forward', { milliseconds: -1 }, 'milliseconds: a number above 0'],
    ['forward', { milliseconds: 1e15 }, 'milliseconds: a number above 0'],
    ['fault', { owner: 'Shop/First', kind: 'nonsense' }, "kind: 'nonsense' is unknown; there are refused, "],
    [
      'fault',
      { owner: 'Shop/None', kind: 'killed-after' },
      "owner: 'Shop/None' is none for killed-after; there are Shop/First",
    ],
    [
      'fault',
      { owner: 'shop/first', kind: 'killed-after' },
      "owner: 'shop/first' is none for killed-after; there are Shop/First, Shop/Second, or * for any. Did you mean 'Shop/First'?",
    ],
    [
      'fault',
      { owner: 'Shop/First', kind: 'kiled-after' },
      "kind: 'kiled-after' is unknown, did you mean 'killed-after'; ",
    ],
    [
      'fault',
      { owner: 'Shop/First', kind: 'duplicate' },
      "kind: duplicate can't happen to the function 'Shop/First'; there are refused, ",
    ],
    ['fault', { owner: 'Shop/First', kind: 'killed-after', next: 0 }, 'next: a whole number of at least 1'],
    ['fault', { owner: 'Shop/First', kind: 'killed-after', every: 1.5 }, 'every: a whole number of at least 1'],
    ['duplicate', {}, 'id: the id of an event or a command is missing'],
    ['duplicate', { id: 'none' }, 'no bus has taken an event or command none'],
    ['nonsense', {}, "there is no command 'nonsense': forward, fault, calm, duplicate, poison, reset"],
  ])('refuses %s with %j in words', async (command, input, words) => {
    expect(await control(command, input)).toEqual({ message: expect.stringContaining(words) });
  });

  test('lists the constructs to which faults can happen, and the kinds for each', async () => {
    const { owners, kinds } = await client.owners();
    expect(owners).toContainEqual({ owner: 'Shop/First', type: 'function' });
    expect(kinds.function).toContain('killed-after');
    expect(kinds.queue).toContain('duplicate');
  });

  test('refuses another method in words', async () => {
    expect(await sendJson('DELETE', '/_local')).toEqual({ message: expect.stringContaining('GET /_local, or POST') });
  });

  test('orders faults and withdraws them', async () => {
    const { faults } = await client.injectFault('*', 'killed-after', { next: 2, every: 3 });
    expect(faults).toEqual([{ owner: '*', kind: 'killed-after', left: 2 }]);
    expect(await client.clearFaults()).toMatchObject({ faults: [] });
  });

  test('forwards time, and resets it; all subscribers hear of both', async () => {
    const { now } = await client.status();
    const then = await client.forward(parseDuration('1d12h'));
    expect(Date.parse(then.now) - Date.parse(now)).toBeGreaterThanOrEqual(36 * 3_600_000);
    // The real time that it took is part of it.
    expect(then.ahead).toBeGreaterThan(35 * 3_600_000);
    expect(clockSet.at(-1)).toBeGreaterThan(35 * 3_600_000);
    expect(await client.reset()).toMatchObject({ faults: [] });
    expect(clockSet.at(-1)).toBe(0);
    expect((await client.status()).ahead).toBeLessThan(35 * 3_600_000);
  });

  test('refuses a second forward while one is under way', async () => {
    const both = await Promise.allSettled([client.forward(86_400_000), client.forward(1)]);
    for (const one of both)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ message: 'time is being forwarded already' });
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

test('a function that answers clients shares no thread with those that work in the background', async () => {
  const works = ['One', 'Other'].map((name) => functionResource(name, [], { Timeout: 600 }));
  const loop = 'exports.handler = async () => { for (;;); };';
  const busy = await LocalCloud.start({
    folder: writeAssembly(Object.assign({ ...functionResource('First'), ...api('Shop', 'v1', 'First') }, ...works), {
      First: ECHO,
      One: loop,
      Other: loop,
    }),
    threads: 2,
    log: () => undefined,
  });
  for (const name of ['Shop/One', 'Shop/Other'])
    busy.live.runInside((account) => account.fn(name).invoke({}, () => undefined));
  expect((await fetch(`${busy.url}/v1/things`)).status).toBe(200);
  await busy.stop();
});

describe('the client of a live cloud', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['36d', 36 * 86_400_000],
    ['1d12h', 36 * 3_600_000],
  ])('reads %s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  test.each(['', '36', 'd', '1w', '1.5h', '-1d', '1d 2h'])("refuses '%s' as a duration", (text) =>
    expect(() => parseDuration(text)).toThrow(LocalCloudRefused),
  );

  test('says if nothing answers, and if something else does', async () => {
    await expect(new LocalCloudClient('http://127.0.0.1:1').status()).rejects.toThrow(
      'no local cloud answers at http://127.0.0.1:1',
    );
    await expect(new LocalCloudClient(`${cloud.url}/v1`).clearFaults()).rejects.toThrow(LocalCloudRefused);
  });
});
