import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { withOrderlyEnd } from './orderly-end.js';

/** A client that keeps its connection after one answer, until a test ends it. */
async function connected(server: Server): Promise<Socket> {
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await new Promise((resolve) => client.once('data', resolve));
  client.resume();
  return client;
}

async function start(): Promise<{ server: Server; end: () => Promise<void> }> {
  const server = createServer((_, response) => response.end('answer'));
  const end = withOrderlyEnd(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, end };
}

test('a server ends once its clients have learned of it', async () => {
  const { server, end } = await start();
  const clients = [await connected(server), await connected(server)];
  const seen: string[] = [];
  const ended = end().then(() => seen.push('server'));
  await Promise.all(
    clients.map(async (client) => {
      await new Promise((resolve) => client.once('end', resolve));
      // Some turns of the event loop pass before a busy client looks.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      seen.push('client');
      client.end();
    }),
  );
  await ended;
  expect(seen).toEqual(['client', 'client', 'server']);
});

test('a client that never ends its side is cut off', async () => {
  const { server, end } = await start();
  const ofServer = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = await connected(server);
  await end();
  expect((await ofServer).destroyed).toBe(true);
  client.destroy();
});

test('a server without connections ends at once', async () => {
  const { server, end } = await start();
  await end();
  expect(server.listening).toBe(false);
});
