import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COUNT_NAMES, type CountName, type Counts } from '../../packages/console/server/contract.js';
import { browserPath, NO_BROWSER, startBrowser } from '../../tools/local/browser.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { findEndpoint } from '../../tools/local/endpoint.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

// Where CI is set the browser must be there; anywhere else its absence skips what needs it.
const needsBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);
if (browserPath === undefined) console.log(`The console is not tested: ${NO_BROWSER}`);

const { url, pageUrl } = world as LocalCloudWorld;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let stage: Stage;
const complaints: string[] = [];
/** Milliseconds after which something hangs; no measure. */
const HANGS_AFTER = 600_000;

/** What axe finds. */
interface Axe {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Reads a number of the proof strip; undefined while it is unknown. */
const shown = async (name: CountName): Promise<number | undefined> => {
  const text = await page.locator(`[data-count=${name}]`).innerText();
  return /^[\d,]+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
};
/** Waits for a number of the strip: each look is at the page, which asks by itself. */
const becomes = (name: CountName) => expect.poll(() => shown(name), { timeout: HANGS_AFTER });
const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click();
const opens = (hash: string): Promise<unknown> => page.goto(`${url}/#/${hash}`);
const place = async (name: string) => {
  const sku = await stage.article(name, { price: 1000, customers: ['alice'] });
  return stage.place('alice', { sku, price: 1000 });
};

needsBrowser('the console in a browser', () => {
  beforeAll(async () => {
    browser = await startBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(HANGS_AFTER);
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') complaints.push(line.text());
    });
    stage = await Stage.open(await findEndpoint(url), () => undefined);
  });
  afterAll(() => browser?.close());

  test('opens by the address with its token, takes the token out of the address, and is live', async () => {
    await page.goto(pageUrl);
    await page.locator('.connection.live').waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.reload();
    expect(await page.locator('header strong').innerText()).toBe('Orderly');
  });

  test('an order that is placed over HTTP appears, and the numbers count it', async () => {
    await place('seen');
    await page.locator('.happening', { hasText: 'OrderPlaced' }).first().waitFor();
    await becomes('applied').toBeGreaterThan(5);
    expect(await shown('committed')).toBeGreaterThan(0);
    expect(await shown('published')).toBeGreaterThan(0);
  });

  test('lost and done twice are what the delivery audit says', async () => {
    await becomes('lost').toBe(0);
    await becomes('twice').toBe(0);
    expect(await page.locator('.checked').innerText()).toContain('checked at');
  });

  test('everything that is sent again is recognised as a duplicate', async () => {
    await opens('break-it');
    await press('Send everything again');
    await page.getByText(/messages are on the bus again/).waitFor();
    await becomes('duplicates').toBeGreaterThan(5);
  });

  test('each number opens what it counts', async () => {
    for (const name of COUNT_NAMES) {
      await page.locator(`.strip [data-count=${name}]`).click();
      await page.locator('h1#counted').waitFor();
      const first = page.locator('main .happening, main .state').first();
      await first.waitFor();
    }
  });

  test('a function that is killed crashes, and its message is applied later', async () => {
    await opens('break-it');
    const crashes = (await shown('crashes')) ?? 0;
    await page.locator('select[name=owner]').selectOption('Orders/OnSaga');
    await page.locator('select[name=kind]').selectOption('crashed');
    await press('Make it happen');
    await page.getByRole('listitem').filter({ hasText: 'crashed at Orders/OnSaga: 1 left' }).waitFor();
    await place('killed');
    await page.getByText('crashes are not made up for yet').waitFor();
    await press('+1 h');
    await becomes('crashes').toBeGreaterThan(crashes);
    await page.getByText('None is open.').waitFor();
  });

  test('36 days pass with their progress, and the clock says so', async () => {
    await press('+36 d');
    await page.locator('progress').waitFor();
    await page.getByText(/36 d have passed in/).waitFor();
    expect(await page.locator('.ahead').innerText()).toMatch(/3[56] d/);
  });

  test('the app offers orders with other cards', async () => {
    await press('Declined card');
    await page.getByText(/alice has ordered one DECLINED-/).waitFor();
    await page.getByRole('link', { name: 'Look at it' }).click();
    await page.locator('main h1').waitFor();
    expect(page.url()).toMatch(/#\/order\/[0-9a-f]{32}$/);
  });

  test('a search opens what has the id, by the keyboard alone', async () => {
    await opens('now');
    await page.locator('h1#now').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('some-request');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/#/order/some-request`);
    await page.locator('.failed').waitFor();
  });

  test('every control is reached by the keyboard, the skip link first', async () => {
    await opens('break-it');
    await page.locator('h1#break-it').waitFor();
    await page.reload();
    await page.locator('select[name=owner]').waitFor();
    const all = "[...document.querySelectorAll('a[href], button:enabled, input, select')]";
    const controls = Number(await page.evaluate(`${all}.length`));
    const reached = new Set<string>();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    for (let at = 0; at < controls + 5; at++) {
      reached.add(String(await page.evaluate(`${all}.indexOf(document.activeElement)`)));
      await page.keyboard.press('Tab');
    }
    reached.delete('-1');
    expect(reached.size).toBe(controls);
  });

  test('health, failures, audit and orders say what the command line says', async () => {
    await opens('orders');
    await page.getByRole('cell', { name: 'REJECTED' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('approved');
    await press('Show');
    await page.getByRole('cell', { name: 'REJECTED' }).first().waitFor({ state: 'detached' });
    await opens('audit');
    await page.getByText(/^Nothing is missing/).waitFor();
    await opens('failures');
    await page.locator('main .state, main .cause').first().waitFor();
    await opens('health');
    await page.locator('main .verdict').waitFor();
  });

  test('a command runs from the page, and one with a placeholder says what to write', async () => {
    await page.locator('summary', { hasText: 'Pause a consumer' }).click();
    const command = page.getByRole('textbox', { name: /^Command: It gets no messages/ });
    const form = page.getByRole('form', { name: /^It gets no messages/ });
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByText('Write what belongs in the place of <consumer>.').waitFor();
    await command.fill("consumers pause reservations --reason 'it is looked at'");
    await command.press('Enter');
    await page.getByText('paused since').waitFor();
    await page
      .getByRole('form', { name: /^Give messages to reservations/ })
      .getByRole('button', { name: 'Run' })
      .click();
    await page.getByText('paused since').waitFor({ state: 'detached' });
  });

  test.each([
    ['now', 'light', 1440],
    ['now', 'dark', 360],
    ['break-it', 'light', 360],
    ['break-it', 'dark', 1440],
    ['counted/duplicates', 'light', 360],
    ['counted/lost', 'dark', 1440],
    ['order/nothing', 'light', 1440],
    ['health', 'light', 360],
    ['health', 'dark', 1440],
    ['failures', 'dark', 360],
    ['audit', 'light', 360],
    ['orders', 'dark', 360],
    ['orders', 'light', 1440],
    ['elsewhere', 'dark', 360],
  ] as const)(
    'axe finds nothing at %s (%s, %i px), and nothing is wider than the window',
    async (hash, scheme, width) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await opens(hash);
      await page.locator('main h1, main .state').first().waitFor();
      await page.evaluate(AXE);
      const { violations } = await page.evaluate<Axe>('axe.run()');
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    },
  );

  test('the browser complains of nothing but answers that tests ask for', () =>
    expect(complaints.filter((line) => !/status of 40[04]/.test(line))).toEqual([]));
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
