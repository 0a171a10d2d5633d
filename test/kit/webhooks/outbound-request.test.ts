import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createWebhookSender } from '../../../packages/kit/webhooks/delivery.js';
import { createOutboundSender, type OutboundOptions } from '../../../packages/kit/webhooks/outbound-request.js';
import { createWebhookSecret, verifyWebhook } from '../../../packages/kit/webhooks/signature.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
});

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly url: string | undefined;
  readonly body: string;
}

/** Starts a receiver on this machine. @returns its port, and what it has received */
async function receiver(answer: (response: ServerResponse) => unknown = (response) => response.end('ok')) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, url: request.url, body });
    await answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/** The receiver has a name that no resolver of the network knows. */
const HOST = 'shop.example.com';
const HERE = { address: '127.0.0.1', family: 4 };
/** Options under which a test's receiver can be called. */
const LOCAL: OutboundOptions = { allowsHttp: true, isAllowed: () => true, resolve: async () => [HERE] };
const to = (port: number) => ({ url: `http://${HOST}:${port}/hooks?a=1`, headers: { 'x-a': 'b' }, body: '{"é":1}' });

test('a request goes to the address that was checked, by the name of its host', async () => {
  const { port, received } = await receiver();
  const resolve = vi.fn(async () => [HERE]);
  expect(await createOutboundSender({ ...LOCAL, resolve })(to(port))).toEqual({ kind: 'answered', status: 200 });
  expect(resolve.mock.calls).toEqual([[HOST]]);
  const [one] = received;
  expect(one).toMatchObject({ url: '/hooks?a=1', body: '{"é":1}' });
  expect(one?.headers).toMatchObject({ host: `${HOST}:${port}`, 'x-a': 'b', 'content-length': '8' });
});

test('each request has a connection of its own, so none goes to an address of an earlier check', async () => {
  const { port, received } = await receiver();
  const send = createOutboundSender(LOCAL);
  for (const request of [to(port), to(port)]) await send(request);
  expect(received.map(({ headers }) => headers.connection)).toEqual(['close', 'close']);
});

test.each([
  ['a private address', [{ address: '10.0.0.7', family: 4 }]],
  ['a public address beside a private one', [{ address: '8.8.8.8', family: 4 }, HERE]],
  ['the address of metadata', [{ address: '169.254.169.254', family: 4 }]],
  ['an IPv4 address in IPv6', [{ address: '::ffff:127.0.0.1', family: 6 }]],
])('nothing is sent to a host with %s', async (_, addresses) => {
  const { port, received } = await receiver();
  const send = createOutboundSender({ allowsHttp: true, resolve: async () => addresses });
  expect(await send(to(port))).toEqual({ kind: 'failed', reason: 'private' });
  expect(received).toEqual([]);
});

test('an address in the place of a name is checked as well', async () => {
  const { port, received } = await receiver();
  const send = createOutboundSender({ allowsHttp: true });
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])
    expect(await send({ ...to(port), url: `http://${host}:${port}/` })).toEqual({ kind: 'failed', reason: 'private' });
  expect(received).toEqual([]);
});

test('a resolver that never answers ends the request at its timeout', async () => {
  const hangs = createOutboundSender({ ...LOCAL, timeout: 20, resolve: () => new Promise(() => undefined) });
  expect(await hangs(to(1))).toEqual({ kind: 'failed', reason: 'timeout' });
});

test('a host without an address, and one whose resolver fails, is unknown', async () => {
  const none = createOutboundSender({ ...LOCAL, resolve: async () => [] });
  const failing = createOutboundSender({ ...LOCAL, resolve: () => Promise.reject(new Error('SERVFAIL')) });
  for (const send of [none, failing]) expect(await send(to(1))).toEqual({ kind: 'failed', reason: 'unknown-host' });
});

test('http and a password are refused before anything is resolved', async () => {
  const resolve = vi.fn(async () => [HERE]);
  const send = createOutboundSender({ isAllowed: () => true, resolve });
  for (const url of ['http://shop.example.com/', 'https://a:b@shop.example.com/', 'https://localhost/'])
    expect(await send({ ...to(1), url })).toEqual({ kind: 'failed', reason: 'url' });
  expect(resolve).not.toHaveBeenCalled();
});

test('a redirect is an answer, and nobody follows it', async () => {
  const other = await receiver();
  const { port } = await receiver((response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end(),
  );
  expect(await createOutboundSender(LOCAL)(to(port))).toEqual({ kind: 'answered', status: 307 });
  expect(other.received).toEqual([]);
});

test('an endless answer is cut off, and its status counts', async () => {
  const { port } = await receiver((response) => {
    response.writeHead(200);
    const write = (): void => {
      if (!response.destroyed) response.write('a'.repeat(10_000), write);
    };
    write();
  });
  expect(await createOutboundSender(LOCAL)(to(port))).toEqual({ kind: 'answered', status: 200 });
});

test('a receiver that says nothing, or never ends its answer, is a timeout', async () => {
  const silent = await receiver(() => undefined);
  const endless = await receiver((response) => response.writeHead(200).write('a'));
  const send = createOutboundSender({ ...LOCAL, timeout: 50 });
  for (const { port } of [silent, endless]) expect(await send(to(port))).toEqual({ kind: 'failed', reason: 'timeout' });
});

test('a receiver that is down, and one that hangs up, is a broken connection', async () => {
  const { port } = await receiver((response) => response.destroy());
  for (const one of [port, 1])
    expect(await createOutboundSender(LOCAL)(to(one))).toEqual({ kind: 'failed', reason: 'connection' });
});

test.each([
  [429, '120', 120],
  [503, '999999', 86_400],
  [503, 'soon', undefined],
  [500, '120', undefined],
])('%s with Retry-After: %s asks for %s s', async (status, header, seconds) => {
  const { port } = await receiver((response) => response.writeHead(status, { 'retry-after': header }).end());
  const answer = { kind: 'answered', status, ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
  expect(await createOutboundSender(LOCAL)(to(port))).toEqual(answer);
});

test('Retry-After may be a date', async () => {
  const { port } = await receiver((response) =>
    response.writeHead(503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }).end(),
  );
  const { retryAfterSeconds } = (await createOutboundSender(LOCAL)(to(port))) as { retryAfterSeconds: number };
  expect(Math.abs(retryAfterSeconds - 3_600)).toBeLessThan(60);
});

test('a webhook arrives as its receiver verifies it', async () => {
  const { port, received } = await receiver();
  const secret = createWebhookSecret();
  const send = createWebhookSender('Test/1.0', LOCAL);
  await send({ id: 'message-1', url: to(port).url, body: '{"é":1}', secrets: [secret] });
  const [one] = received as [Received];
  expect(one.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Test/1.0' });
  expect(verifyWebhook(one, [secret], Math.floor(Date.now() / 1000)).id).toBe('message-1');
});
