import { execFileSync } from 'node:child_process';
import { builtinModules } from 'node:module';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';
import type { HttpRequest, HttpResponse } from './http.js';

/** Runs the body of a handler. @param answer to each request; a text is the code of an error */
async function ran(body: string, answer: (request: HttpRequest) => Partial<HttpResponse> | string = () => ({})) {
  const sent: HttpRequest[] = [];
  const { invoke, made } = environment(`exports.handler = async () => { ${body} };`, '1', (request, reply) => {
    sent.push(request);
    const answered = answer(request);
    process.nextTick(() => {
      if (typeof answered === 'string') reply.fail(answered);
      else reply.answer({ status: 200, headers: {}, body: '', ...answered });
    });
  });
  return { result: value(await invoke()), sent, made };
}

describe('fetch', () => {
  test('sends what it is given, and returns what is answered, with classes of its own realm', async () => {
    const { result, sent } = await ran(
      `const response = await fetch('https://cards.example.com:8443/charges?a=b#c', {
        method: 'POST', headers: { 'Idempotency-Key': 'k' }, body: JSON.stringify({ amount: 1 }),
      });
      const copy = response.clone();
      const json = await response.json();
      return [response instanceof Response, response.ok, response.status, response.url, response.headers.get('X-A'),
        json, json.constructor === Object, (await copy.json()) instanceof Object];`,
      () => ({ status: 201, headers: { 'x-a': '1' }, body: '{"id":7}' }),
    );
    expect(result).toEqual([true, true, 201, 'https://cards.example.com:8443/charges?a=b', '1', { id: 7 }, true, true]);
    expect(sent).toEqual([
      {
        method: 'POST',
        host: 'cards.example.com:8443',
        path: '/charges?a=b',
        headers: expect.objectContaining({
          'idempotency-key': 'k',
          'content-type': 'text/plain;charset=UTF-8',
          'content-length': '12',
        }),
        body: '{"amount":1}',
      },
    ]);
  });

  test('an unknown host is an error as Node has it', async () => {
    const { result } = await ran(
      `try { await fetch('https://nowhere.example.com/'); } catch (error) {
        return [error instanceof TypeError, error instanceof Error, error.message, error.cause.code, error.cause.message];
      }`,
      () => 'ENOTFOUND',
    );
    const cause = ['ENOTFOUND', 'getaddrinfo ENOTFOUND nowhere.example.com'];
    expect(result).toEqual([true, true, 'fetch failed', ...cause]);
  });

  test('bytes go both ways unchanged, and compressed answers are read', async () => {
    const bytes = new Uint8Array([0, 255, 254, 128]);
    const { result, sent } = await ran(
      `const answered = await fetch('https://a/', { method: 'PUT', body: new Uint8Array([0, 255, 254, 128]) });
      return [...new Uint8Array(await answered.arrayBuffer())];`,
      () => ({ headers: { 'content-encoding': 'gzip' }, bytes: gzipSync(bytes) }),
    );
    expect(result).toEqual([...bytes]);
    expect([...(sent[0]?.bytes ?? [])]).toEqual([...bytes]);
  });

  test('redirects are followed as browsers and Node do', async () => {
    const answer = ({ path }: HttpRequest) =>
      path === '/old' ? { status: 302, headers: { location: 'https://other/new' } } : { body: 'there' };
    const { result, sent } = await ran(
      `const headers = { authorization: 'secret' };
      const response = await fetch('https://a/old', { method: 'POST', body: 'x', headers });
      const seen = await fetch('https://a/old', { redirect: 'manual' });
      return [response.redirected, response.url, await response.text(), seen.status];`,
      answer,
    );
    expect(result).toEqual([true, 'https://other/new', 'there', 302]);
    expect(sent[1]).toMatchObject({ method: 'GET', host: 'other', body: '' });
    expect(sent[1]?.headers).not.toHaveProperty('authorization');
  });

  test('a form has a boundary of the seed', async () => {
    const body = `const form = new FormData();
      form.set('a', 'é');
      form.set('file', new Blob(['x'], { type: 'text/plain' }), 'n.txt');
      const { headers } = new Request('https://a/', { method: 'POST', body: form });
      await fetch('https://a/', { method: 'POST', body: form });
      return headers.get('content-type');`;
    const [one, other] = [await ran(body), await ran(body)];
    expect(one.sent).toEqual(other.sent);
    expect(one.result).toBe(other.result);
    expect(one.sent[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=----formdata-/);
    expect(one.sent[0]?.body).toContain('Content-Disposition: form-data; name="file"; filename="n.txt"');
  });

  test('a fetch is aborted by the clock of the environment', async () => {
    const { invoke, world } = environment(
      `exports.handler = async () => {
        const begun = Date.now();
        try { await fetch('https://a/', { signal: AbortSignal.timeout(86400000) }); } catch (error) {
          return [error.name, Date.now() - begun, AbortSignal.abort() instanceof AbortSignal];
        }
      };`,
    );
    expect(value(await invoke())).toEqual(['TimeoutError', 86_400_000, true]);
    expect(world.now).toBeGreaterThan(86_400_000);
  });
});

test('http.get takes an address in words, options and both', async () => {
  const { result, sent } = await ran(
    `const { get, request } = require('node:http');
    const ask = (...args) => new Promise((resolve) => get(...args, (response) => resolve(response.statusCode)));
    await ask('http://a:8080/b?c');
    await ask(new URL('http://user:pass@a/b'), { headers: { X: ['1', '2'] } });
    await ask({ hostname: 'a', port: 80, path: '/d' });
    const heard = [];
    const sent = request('http://a/e', { method: 'post' });
    for (const name of ['socket', 'finish', 'response']) sent.on(name, () => heard.push(name));
    sent.setHeader('Y', 'z');
    await new Promise((resolve) => sent.on('response', (response) => {
      // The X-Ray SDK reads the request's host and path there.
      if (response.req !== sent || response.socket !== sent.socket) heard.push('another request');
      response.resume().on('end', resolve);
    }).end('body'));
    return heard;`,
  );
  expect(result).toEqual(['socket', 'finish', 'response']);
  expect(sent.map(({ method, host, path }) => `${method} ${host}${path}`)).toEqual([
    'GET a:8080/b?c',
    'GET a/b',
    'GET a/d',
    'POST a/e',
  ]);
  expect(sent[1]?.headers).toEqual({ x: '1, 2', authorization: `Basic ${btoa('user:pass')}` });
  expect(sent[3]).toMatchObject({ headers: { y: 'z' }, body: 'body' });
});

test('the result of another thread of Node comes before time passes', async () => {
  const { result } = await ran(`
    const zlib = require('node:zlib');
    const { promisify } = require('node:util');
    const { pipeline } = require('node:stream/promises');
    const { Readable } = require('node:stream');
    const begun = Date.now();
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))).toString('hex');
    const zipped = await promisify(zlib.gzip)('abc');
    const chunks = [];
    await pipeline(Readable.from([zipped]), zlib.createGunzip(), async (source) => { for await (const one of source) chunks.push(one); });
    const through = new Blob(['web']).stream().pipeThrough(new CompressionStream('gzip'));
    const web = Buffer.from(await new Response(through).arrayBuffer()).toString('base64');
    const broken = await promisify(zlib.gunzip)('no').catch((error) => error.code);
    return [digest.slice(0, 8), Buffer.concat(chunks).toString(), web, broken, Date.now() - begun];`);
  const [digest, text, web, ...rest] = result as [string, string, string];
  expect([digest, text, gunzipSync(Buffer.from(web, 'base64')).toString()]).toEqual(['ca978112', 'abc', 'web']);
  expect(rest).toEqual(['Z_DATA_ERROR', 0]);
});

test('a stream that fails holds up nothing', async () => {
  const { result } = await ran(`
    const stream = require('node:zlib').createGunzip();
    const failed = new Promise((resolve) => stream.on('error', (error) => resolve(error.code)));
    stream.end('no');
    return failed;`);
  expect(result).toBe('Z_DATA_ERROR');
});

test('random numbers that no seed decides are refused in a history', async () => {
  const { result } = await ran(`
    const nodeCrypto = require('node:crypto');
    const refusals = [];
    for (const draw of [() => nodeCrypto.generateKeyPairSync('ed25519'), () => crypto.subtle.generateKey('Ed25519', true, ['sign'])]) {
      try { await draw(); } catch (error) { refusals.push(error.message); }
    }
    const filled = await new Promise((resolve) => nodeCrypto.randomFill(new Uint8Array(4), (error, bytes) => resolve([...bytes])));
    return [refusals, filled, [...nodeCrypto.randomFillSync(new Uint8Array(2))], nodeCrypto.randomInt(5, 6)];`);
  const [refusals, ...drawn] = result as [string[], ...unknown[]];
  expect(refusals).toEqual([
    expect.stringContaining('crypto.generateKeyPairSync is not simulated'),
    expect.stringContaining('crypto.subtle.generateKey with Ed25519 is not simulated'),
  ]);
  const { result: again } = await ran(`
    const nodeCrypto = require('node:crypto');
    const filled = await new Promise((resolve) => nodeCrypto.randomFill(new Uint8Array(4), (error, bytes) => resolve([...bytes])));
    return [filled, [...nodeCrypto.randomFillSync(new Uint8Array(2))], nodeCrypto.randomInt(5, 6)];`);
  expect(drawn).toEqual(again);
});

test('connections that stay open are refused in words', async () => {
  const { result } = await ran(
    `try { new WebSocket('wss://a/'); } catch (error) { return [error.message, error instanceof Error]; }`,
  );
  expect(result).toEqual([expect.stringContaining('WebSocket to wss://a/: connections that stay open'), true]);
});

/** Globals of Node that functions don't get, each with the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  localStorage: 'nothing is stored beside a function',
  sessionStorage: 'as localStorage',
  Storage: 'as localStorage',
  WebAssembly: 'every realm has its own',
};

test('each global of this Node is there', async () => {
  const script = 'console.log(Object.getOwnPropertyNames(globalThis).join())';
  const listed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const names = listed
    .trim()
    .split(',')
    .filter((name) => !(name in WITHOUT) && !builtinModules.includes(name));
  const { result } = await ran(
    `return ${JSON.stringify(names)}.filter((name) => eval('typeof ' + name) === 'undefined');`,
  );
  expect(result).toEqual(['undefined']);
});

test.each([
  ['by a class', 'class Response extends http.ServerResponse {}'],
  [
    'by a call, as older code does',
    `function Response(request) { http.ServerResponse.call(this, request); }
     require('util').inherits(Response, http.ServerResponse);`,
  ],
])('an adapter of a web framework makes messages of events, %s', async (_, response) => {
  const { invoke } = environment(`
    const http = require('http');
    ${response}
    const server = http.createServer((request, answer) => {
      answer.setHeader('x-path', request.url);
      answer.statusCode = 201;
      answer.end(String(request instanceof http.IncomingMessage));
    });
    exports.handler = (event) => new Promise((resolve) => {
      const request = Object.assign(new http.IncomingMessage({ encrypted: true }), { method: 'GET', url: event.path });
      const answer = new Response(request);
      let text = '';
      answer.assignSocket({ _writableState: {}, writable: true, on() {}, removeListener() {}, destroy() {}, cork() {}, uncork() {},
        write(part, encoding, done) { text += part; (done ?? encoding)?.(); return true; } });
      answer.on('finish', () => resolve([answer.statusCode, answer.getHeaders(), text.split('\\r\\n').filter((line) => /^date/i.test(line)), text.endsWith('true')]));
      server.emit('request', request, answer);
    });`);
  const { result } = { result: value(await invoke({ path: '/orders' })) };
  expect(result).toEqual([201, { 'x-path': '/orders' }, [], expect.any(Boolean)]);
});

test('a server of a function listens to nobody', async () => {
  const { invoke } = environment("exports.handler = async () => require('http').createServer().listen(80);");
  expect(await invoke()).toMatchObject({
    kind: 'threw',
    message: expect.stringContaining('nobody could connect to it'),
  });
});

test('a request is known by what it can do, as got looks at it', async () => {
  const { invoke } = environment(`exports.handler = async () => {
    const request = require('https').request('https://there/');
    return request.writable && !request.readable;
  };`);
  expect(value(await invoke())).toBe(true);
});
