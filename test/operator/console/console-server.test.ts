import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleServer } from '../../../packages/operator/console/console-server.js';

const AUDIT = {
  audit: { commits: 3, messages: 4, deliveries: { processed: 5, missing: 1 }, twice: { found: [] } },
};
const ran: string[] = [];
let server: ConsoleServer;
let cookie = '';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { port: server.port, host: '127.0.0.1', path, method: body === undefined ? 'GET' : 'POST', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    asked.on('error', reject).end(body);
  });
const json = async (path: string, body?: string) => JSON.parse((await ask(path, { cookie }, body)).text);

beforeAll(async () => {
  server = await ConsoleServer.listen(
    {
      app: 'bookings',
      environment: 'prod',
      program: 'npx bookings',
      common: ['--environment', 'prod'],
      lists: [],
      now: () => '2026-11-29T12:00:00.000Z',
      run: async (words, { out }) => {
        ran.push(words.join(' '));
        out(JSON.stringify(words[0] === 'audit' ? AUDIT : { state: 'healthy' }));
        return 0;
      },
    },
    0,
  );
  const { search } = new URL(server.address);
  const page = await ask(`/${search}`);
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'self'");
  cookie = String(page.headers['set-cookie']).split(';')[0] ?? '';
});
afterAll(() => server.close());

test('the page is for its address with the token only', async () => {
  expect(await ask('/')).toMatchObject({ status: 401, text: expect.stringContaining('it has a token') });
  expect(await ask('/?token=wrong')).toMatchObject({ status: 401 });
  expect(await ask('/_console/facts')).toMatchObject({ status: 401 });
  expect(await ask('/_console/runs', {}, '{"command":"doctor"}')).toMatchObject({ status: 401 });
  expect(ran).toEqual([]);
});

test('another page, and another name of this machine, are refused even with the token', async () => {
  expect(await ask('/_console/facts', { cookie, origin: 'https://evil.example' })).toMatchObject({ status: 403 });
  expect(await ask('/_console/facts', { cookie, host: 'evil.example' })).toMatchObject({ status: 403 });
  expect(await ask('/_console/facts', { cookie, origin: `http://127.0.0.1:${server.port}` })).toMatchObject({
    status: 200,
  });
});

test('it reads by the command line, in its environment, under the paths of the operators’ API too', async () => {
  expect(await json('/_console/facts')).toMatchObject({ name: 'bookings', environment: 'prod', local: false });
  expect(await json('/_console/operations/status')).toEqual({ state: 'healthy' });
  expect(ran.at(-1)).toBe('status --json --environment prod');
  expect(await ask('/_local', { cookie })).toMatchObject({ status: 404 });
  expect(await ask('/_console/toys/one', { cookie }, '{}')).toMatchObject({ status: 404 });
});

test('its counts are those of the audit, read once for many that ask, and what nobody counts is unknown', async () => {
  const before = ran.length;
  const [counts] = await Promise.all([json('/_console/counts'), json('/_console/counts')]);
  expect(ran.slice(before)).toEqual(['audit --since 1h --json --environment prod']);
  expect(counts).toMatchObject({
    checkedUntil: '2026-11-29T12:00:00.000Z',
    counts: {
      committed: { value: 3 },
      delivered: { value: 6 },
      applied: { value: 5 },
      lost: { value: 1 },
      twice: { value: 0 },
      duplicates: { unknown: expect.stringContaining('local cloud only') },
    },
  });
});

test('a command runs with the rights of who has started the page', async () => {
  const run = await json('/_console/runs', JSON.stringify({ command: 'npx bookings failures list' }));
  expect(run).toMatchObject({ command: 'npx bookings failures list' });
  expect(ran.at(-1)).toBe('failures list --environment prod');
});
