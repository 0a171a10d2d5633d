import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Stage } from '../../tools/local/demos/stage.js';
import { makeToken } from '../../tools/local/dev-issuer.js';
import { findEndpoint } from '../../tools/local/endpoint.js';
import { readApiUrl } from '../../tools/release/smoke.js';
import { playSmokeTest, type SmokeTest } from '../../tools/release/smoke-test.js';
import { tokenSource } from '../../tools/release/smoke-token.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open(await findEndpoint((world as LocalCloudWorld).url), () => undefined);
});

/** Plays the smoke test with a free product. @returns what it said */
async function played(more: Partial<SmokeTest> = {}, price = 0): Promise<readonly string[]> {
  const sku = await stage.article('smoke', { price, customers: ['smoke'] });
  const said: string[] = [];
  await playSmokeTest({
    baseUrl: stage.deployment.apiUrl,
    token: makeToken({ sub: 'smoke', role: 'customer' }),
    sku,
    currency: 'EUR',
    key: stage.named('smoke'),
    say: (line) => void said.push(line),
    // The local cloud has the real clock, and nobody knows how busy this machine is.
    looks: Number.POSITIVE_INFINITY,
    wait: () => setTimeout(50),
    ...more,
  });
  return said;
}

describe('the smoke test of a deployment', () => {
  test('places one order by two requests, follows it, and cancels it', async () => {
    const said = await played();
    expect(said[0]).toMatch(/^the API answers: version \d/);
    const [orderId] = said[1]?.match(/[0-9a-f]{32}/) ?? expect.fail(said.join('\n'));
    expect(said.slice(1)).toEqual([
      `order ${orderId} is placed once by two requests`,
      `order ${orderId} is APPROVED`,
      `order ${orderId} is CANCELLED`,
    ]);
  });

  test('fails with the status of the order and what to look at, if it is rejected', async () => {
    await expect(played({ key: stage.named('dear') }, 350)).rejects.toThrow(
      /is REJECTED, PRICE_CHANGED, and not APPROVED: expected SMOKE-\w+ on sale for 0 EUR with stock/,
    );
  });

  test('fails if the same key places a second order', async () => {
    let placed = 0;
    const twice = async (url: string, init: RequestInit): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (init.method === 'POST') headers.set('Idempotency-Key', stage.named(`broken-${++placed}`));
      return fetch(url, { ...init, headers });
    };
    await expect(played({ fetch: twice })).rejects.toThrow('the same key placed two orders');
  });
});

describe('the token of the smoke test', () => {
  const CLIENT = { SMOKE_TOKEN_URL: 'https://login.test/token', SMOKE_CLIENT_ID: 'me', SMOKE_CLIENT_SECRET: 's p&c' };
  const answers = (status: number, body: object) => async () => new Response(JSON.stringify(body), { status });

  test('is the one that is given, or one of the issuer by client credentials', async () => {
    expect(tokenSource({ SMOKE_TOKEN: 'given', ...CLIENT })).toBe('given');
    const sent: string[] = [];
    const source = tokenSource({ ...CLIENT, SMOKE_AUDIENCE: 'orderly' }, async (url, { body }) => {
      sent.push(`${url} ${body}`);
      return answers(200, { access_token: 'made' })();
    });
    expect(typeof source === 'function' && (await source())).toBe('made');
    expect(sent).toEqual([
      'https://login.test/token grant_type=client_credentials&client_id=me&client_secret=s+p%26c&audience=orderly',
    ]);
  });

  test('is missed with the names of variables, and refused without its secret', async () => {
    expect(() => tokenSource({ SMOKE_CLIENT_ID: 'me' })).toThrow('(missing: SMOKE_TOKEN_URL, SMOKE_CLIENT_SECRET)');
    for (const reply of [answers(401, { echo: 's p&c' }), answers(200, {})]) {
      const source = tokenSource(CLIENT, reply);
      const error = await (source as () => Promise<string>)().catch((thrown: Error) => thrown);
      expect(String(error)).toMatch(/The issuer gave no token: https:\/\/login\.test\/token answered/);
      expect(String(error)).not.toContain('s p&c');
    }
  });
});

test('the address of the API is the one output ApiUrl of a deployment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-outputs-'));
  const file = join(folder, 'outputs.json');
  const read = (outputs: object): string => {
    writeFileSync(file, JSON.stringify(outputs));
    return readApiUrl(file);
  };
  try {
    const api = { 'orderly-prod-Api': { ApiUrl: 'https://api.example.org/v1/', ApiId: 'x' } };
    expect(read({ ...api, 'orderly-prod-Orders': { TableName: 't' } })).toBe('https://api.example.org/v1/');
    expect(() => read({})).toThrow('has 0 outputs ApiUrl: expected one');
    expect(() => read({ ...api, other: { PublicApiUrl: 'https://b' } })).toThrow('has 2 outputs ApiUrl: expected one');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
