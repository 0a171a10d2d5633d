import { buildSync } from 'esbuild';
import { Window } from 'happy-dom';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientOptions, orderlyClient } from '../../packages/client/index.js';
import { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { ADMIN, nextReleaseAssembly } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';

/** The bundle of `@orderly/client` as a page loads it, in a browser's window with its `fetch` and its rules of origins. */

const [bundle] = buildSync({
  entryPoints: ['packages/client/index.ts'],
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'orderly',
  platform: 'browser',
  write: false,
}).outputFiles;

let cloud: LocalCloud;
beforeAll(async () => {
  const folder = nextReleaseAssembly();
  cloud = await LocalCloud.start({ folder, log: () => undefined });
});
afterAll(() => cloud.stop());

type Client = ReturnType<typeof orderlyClient>;

/** Opens a page that loads the bundle, and makes its client. */
function pageOf(
  origin: string,
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly close: () => Promise<void> } {
  const window = new Window({
    url: `${origin}/basket.html`,
    settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  window.eval(`${bundle?.text}; window.orderly = orderly;`);
  const { orderly } = window as unknown as { readonly orderly: { readonly orderlyClient: typeof orderlyClient } };
  const client = orderly.orderlyClient({
    baseUrl: `${cloud.url}/v1`,
    token: () => token('alice', 'customer', cloud.live.now),
    fetch: (url, init) => window.fetch(url, init as never) as unknown as Promise<Response>,
    ...options,
  });
  return { client, close: () => window.happyDOM.close() };
}

describe('a page of an allowed origin', () => {
  test('places an order, and reads what only CORS lets it read', async () => {
    const { client, close } = pageOf(ADMIN);
    const lines = [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }];
    const first = await client.send('placeOrder', { body: { lines }, key: 'cart-17' });
    expect(first).toMatchObject({ status: 201, replayed: false, body: { customerId: 'alice', status: 'PENDING' } });
    const again = await client.send('placeOrder', { body: { lines }, key: 'cart-17' });
    expect(again).toMatchObject({ replayed: true, body: { orderId: first.body.orderId } });
    expect(again.headers.get('Location')).toBe(`orders/${first.body.orderId}`);
    expect(await client.getOrder({ orderId: first.body.orderId })).toMatchObject({ lines });
    await close();
  });

  test('gets a refusal as a problem, with its correlation id', async () => {
    const { client, close } = pageOf(ADMIN);
    await expect(client.getOrder({ orderId: 'none', correlationId: 'from-a-page' })).rejects.toMatchObject({
      name: 'OrderlyProblem',
      code: 'not-found',
      correlationId: 'from-a-page',
    });
    await close();
  });
});

test('a page of another origin gets no answer', async () => {
  const { client, close } = pageOf('https://elsewhere.example.org', { attempts: 1 });
  await expect(client.getBasket()).rejects.toMatchObject({ name: 'NoAnswer', operation: 'getBasket' });
  await close();
});
