import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COUNT_NAMES, type Counts } from '../../packages/console/server/contract.js';
import { ConsolePage, HANGS_AFTER, needsBrowser } from '../support/console-page.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
let shown: ConsolePage;

// What takes longer is in nightly/, for npm run nightly.
needsBrowser('the console in a browser', () => {
  beforeAll(async () => {
    shown = await ConsolePage.open(url);
  });
  afterAll(() => shown?.close());

  test('opens by the address with its token, takes the token out of the address, and says what the app promises', async () => {
    const { page } = shown;
    await page.goto(pageUrl);
    await page.locator('.connection.live').waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.getByRole('heading', { level: 1, name: 'An order is placed once' }).waitFor();
    await page.reload();
    expect(await page.locator('header strong').innerText()).toBe('Orderly');
  });

  test('an order that is placed over HTTP appears, and the numbers count it', async () => {
    const { page } = shown;
    await shown.opens('now');
    await shown.place('seen');
    await page.locator('.happening', { hasText: 'OrderPlaced' }).first().waitFor();
    await expect
      .poll(() => page.locator('[data-count=applied]').innerText(), { timeout: HANGS_AFTER })
      .toMatch(/^[1-9]/);
    await page.locator('.held [data-count=lost]', { hasText: '0' }).waitFor();
    await page.locator('.held [data-count=twice]', { hasText: '0' }).waitFor();
  });

  test('an order is placed by the first button, and its messages are duplicates when they come again', async () => {
    const { page } = shown;
    await shown.opens('start');
    await shown.press('Place an order');
    await page.locator('.said', { hasText: 'alice has ordered one ORDER-' }).waitFor();
    await page.locator('.saga', { hasText: 'COMPLETED' }).waitFor();
    await shown.press('Send all its messages again');
    await page.locator('.said', { hasText: 'a second time' }).waitFor();
    await shown.marks('ReserveStock at inventory-commands', 'duplicate').first().waitFor();
    await page.locator('.counted', { hasText: 'done twice 0' }).waitFor();
  });

  test('a function that is killed crashes, and its message is applied when it comes again', async () => {
    const { page } = shown;
    await shown.press('Kill a function at work');
    await page.locator('.said', { hasText: 'dies while it works on' }).waitFor();
    await shown.marks('crashed', 'fault killed-before').first().waitFor();
    await shown.press('Let a minute pass');
    await shown.marks('delivery 2', ' applied').first().waitFor();
    await page.locator('.saga', { hasText: 'COMPLETED' }).waitFor();
    await page.locator('.counted', { hasText: 'crashed 1' }).waitFor();
    await page.locator('.counted', { hasText: 'done twice 0' }).waitFor();
  });

  test.each([
    ['start', 'light', 360],
    ['now', 'dark', 1440],
    ['break-it', 'dark', 360],
    ['health', 'light', 1440],
    ['failures', 'dark', 360],
    ['audit', 'light', 360],
    ['orders', 'dark', 1440],
    ['map', 'light', 360],
    ['data', 'dark', 1440],
    ['reference', 'light', 1440],
  ] as const)(
    'axe finds nothing at %s (%s, %i px), and nothing is wider than the window',
    async (name, scheme, width) => {
      await shown.opens(name);
      expect(await shown.check(scheme, width)).toEqual([]);
    },
  );

  test('the browser complains of nothing', () => expect(shown.complaints).toEqual([]));
});

describe('the console without a browser', () => {
  const token = new URL(pageUrl).search;
  const html = { accept: 'text/html' };
  const cookieOf = async (): Promise<string> =>
    (await fetch(pageUrl, { headers: html })).headers.get('set-cookie')?.split(';')[0] ?? '';

  test('gives the page for its token only, and JSON to whoever asks for JSON', async () => {
    expect((await fetch(`${url}/${token}`, { headers: html })).status).toBe(200);
    expect((await fetch(`${url}/`, { headers: html })).status).toBe(401);
    expect((await fetch(`${url}/?token=wrong`, { headers: html })).status).toBe(401);
    expect(await (await fetch(`${url}/`)).json()).toMatchObject({ simulator: true });
  });

  test('allows nothing inline and nothing from elsewhere', async () => {
    const { headers } = await fetch(pageUrl, { headers: html });
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test.each(['facts', 'counts', 'counted/lost', 'operations/status'])('gives %s to the token only', async (path) => {
    const cookie = await cookieOf();
    expect((await fetch(`${url}/_console/${path}`)).status).toBe(403);
    expect((await fetch(`${url}/_console/${path}`, { headers: { cookie } })).status).toBe(200);
  });

  test('numbers of the strip are known, or say why not', async () => {
    const cookie = await cookieOf();
    const { counts } = (await (await fetch(`${url}/_console/counts`, { headers: { cookie } })).json()) as Counts;
    expect(Object.keys(counts)).toEqual([...COUNT_NAMES]);
  });

  test.each([
    ['another origin', { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }],
  ])('refuses a page of %s, with the token too', async (_, headers) => {
    const cookie = await cookieOf();
    for (const path of ['/_console/counts', '/_local/events', '/_local'])
      expect((await fetch(`${url}${path}`, { headers: { ...headers, cookie } })).status).toBe(403);
  });

  test("refuses its own page's requests without the token", async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (const path of ['/_local/events', '/_local', '/_local/owners'])
      expect((await fetch(`${url}${path}`, { headers })).status).toBe(403);
  });
});
