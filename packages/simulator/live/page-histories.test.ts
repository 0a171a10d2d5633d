import { fileURLToPath } from 'node:url';
import type { HistoriesOffer, SearchLine } from '@orderly/console';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TABLE, writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';

const FILE = fileURLToPath(new URL('../support/histories-of-shop.ts', import.meta.url));
/** Milliseconds after which something hangs; no measure. */
const HANGS_AFTER = 60_000;
const FOLDER = writeAssembly({ Table: TABLE });
const start = (file?: string): Promise<LocalCloud> =>
  LocalCloud.start({
    folder: FOLDER,
    log: () => undefined,
    page: { ...(file !== undefined && { histories: { file } }) },
  });

async function cookieOf({ pageUrl }: LocalCloud): Promise<string> {
  const { headers } = await fetch(pageUrl, { headers: { accept: 'text/html' } });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('histories of a page', () => {
  let cloud: LocalCloud;
  let cookie: string;
  beforeAll(async () => {
    cloud = await start(FILE);
    cookie = await cookieOf(cloud);
  });
  afterAll(() => cloud.stop());

  const post = (path: string, body: object | string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${cloud.url}/_console/histories/${path}`, {
      method: 'POST',
      headers: { cookie },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });

  test('are for the token of the page only', async () => {
    const path = `${cloud.url}/_console/histories`;
    expect((await fetch(path)).status).toBe(403);
    expect((await fetch(`${path}/play`, { method: 'POST', body: '{}' })).status).toBe(403);
    expect(await (await fetch(path, { headers: { cookie } })).json()).toMatchObject({
      scenarios: [{ id: 'sell-one' }, { id: 'sell-many' }],
      guards: [{ id: 'condition' }],
    });
  });

  test('come line by line, until all are played', async () => {
    const response = await post('play', { scenario: 'sell-one' });
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = (await response.text()).trim().split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as SearchLine).kind);
    expect(kinds.slice(0, 2)).toEqual(['preparing', 'cells']);
    expect(kinds.at(-1)).toBe('ended');
  });

  test('end when the page goes: another page may play', async () => {
    const gone = new AbortController();
    const response = await post('play', { scenario: 'sell-many' }, gone.signal);
    await response.body?.getReader().read();
    const refused = await post('play', { scenario: 'sell-one' });
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('Another page plays histories') });
    gone.abort();
    // The server learns of it a moment later.
    await vi.waitFor(async () => {
      const next = await post('play', { scenario: 'sell-one' });
      expect(await next.text()).toContain('"ended"');
    }, HANGS_AFTER);
  });

  test.each([
    ['play', 'no JSON', 400, 'a JSON object was expected'],
    ['play', {}, 400, 'scenario: a text was expected'],
    ['play', { scenario: 'other' }, 409, "'other' is not offered"],
    ['open', { scenario: 'sell-one', cell: {} }, 400, 'point: a text was expected'],
    ['compare', {}, 400, 'comparison: a text was expected'],
  ])('refuse at %s what is wrong: %j', async (path, body, status, message) => {
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { message: string }).message).toContain(message);
  });
});

test('an app that offers none says what to do, and a module that fails says why', async () => {
  const cloud = await start();
  const broken = await start(fileURLToPath(new URL('./path.ts', import.meta.url)));
  const asked = async (one: LocalCloud) =>
    fetch(`${one.url}/_console/histories`, { headers: { cookie: await cookieOf(one) } });
  expect(((await (await asked(cloud)).json()) as HistoriesOffer).nothing).toContain('orderly-local --histories <file>');
  const failed = await asked(broken);
  expect(failed.status).toBe(502);
  expect(await failed.json()).toMatchObject({ message: expect.stringContaining('exports no histories') });
  await Promise.all([cloud.stop(), broken.stop()]);
});

test('their process ends with the local cloud', async () => {
  const cloud = await start(FILE);
  const response = await fetch(`${cloud.url}/_console/histories`, { headers: { cookie: await cookieOf(cloud) } });
  const { recorded = '' } = (await response.json()) as HistoriesOffer;
  const pid = Number(/\d+/.exec(recorded)?.[0]);
  expect(process.kill(pid, 0)).toBe(true);
  await cloud.stop();
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), HANGS_AFTER);
});
