import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser } from '../../tools/local/browser.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { findEndpoint } from '../../tools/local/endpoint.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

const needsBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);
const { url, pageUrl } = world as LocalCloudWorld;
/** Milliseconds after which something hangs; no measure. */
const HANGS_AFTER = 600_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const NAME = 'Ada Alder';
const ADDRESS = { name: NAME, street: 'Lindenweg 4', city: 'Potsdam', postalCode: '14467', country: 'DE' };
const QUEUE = 'orderly-dev-Orders/queue:Orders/Saga/Queue';

let browser: Browser;
let page: Page;
let stage: Stage;
let sku: string;
let orderId: string;
const opens = (name: string, id = ''): Promise<unknown> =>
  page.goto(`${url}/#/${name}${id === '' ? '' : `/${encodeURIComponent(id)}`}`);
const link = (name: string | RegExp) => page.getByRole('link', { name });

needsBrowser('the map, the data and the reference in a browser', () => {
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(HANGS_AFTER);
    stage = await Stage.open(await findEndpoint(url), () => undefined);
    sku = await stage.article('mapped', { price: 1000, customers: ['alice'] });
    await page.goto(pageUrl);
    await page.locator('.connection.live').waitFor();
  });
  afterAll(() => browser?.close());

  test('an order that alice sends from the reference is placed once, however often it is sent', async () => {
    await opens('reference');
    await page.getByRole('searchbox', { name: 'Find', exact: true }).fill('place order');
    await link('POST /orders').first().click();
    await page.getByLabel('Body (JSON)').fill(
      JSON.stringify({
        lines: [{ sku, quantity: 1, unitPrice: { amount: 1000, currency: 'EUR' } }],
        deliverTo: ADDRESS,
      }),
    );
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await send.click();
    await page.getByRole('heading', { name: /^201, / }).waitFor();
    const followed = link('What followed from it');
    orderId = (await followed.getAttribute('href'))?.split('/').at(-1) ?? '';
    expect(orderId).toMatch(/^[0-9a-f]{32}$/);
    await send.click();
    await page.getByText(/"idempotency-replayed": "true"/i).waitFor({ state: 'attached' });
    expect(await followed.getAttribute('href')).toBe(`#/order/${orderId}`);
  });

  test('the last event of a type is that of the order, with its consumers', async () => {
    await opens('reference', 'event/orderly.orders OrderPlaced');
    await page.getByText('Orders/OnSaga').waitFor();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Show me the last one' }).click();
        return page.locator('.data-json').first().innerText();
      })
      .toContain(`Order/${orderId}`);
  });

  test('a service opens by the keyboard, and messages move along its lines', async () => {
    await opens('map');
    await link(/^Orders, /).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/#/map/orderly-dev-Orders`);
    await page.locator('.map-box.queue').first().waitFor();
    const [moved] = await Promise.all([
      page.locator('.map-dot').first().waitFor({ state: 'attached' }),
      stage.place('alice', { sku, price: 1000 }),
    ]);
    expect(moved).toBeUndefined();
  });

  test('nothing moves for who wants no motion, and the list says the same as the picture', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await opens('map', QUEUE);
    await page.getByRole('heading', { name: 'Orders/Saga/Queue' }).waitFor();
    await page.evaluate(`new MutationObserver((changes) => {
      document.body.dataset.moved = changes.some(({ addedNodes }) => addedNodes.length > 0);
    }).observe(document.querySelector('.map-dots'), { childList: true })`);
    await stage.place('alice', { sku, price: 1000 });
    await expect.poll(() => page.locator('.map-counts').count()).toBeGreaterThan(0);
    expect(await page.evaluate('document.body.dataset.moved')).toBeUndefined();
    const boxes = await page.locator('.map-box').count();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    expect(await page.locator('.map-list tbody tr').count()).toBe(boxes);
  });

  test('an item is found by its key, is as the table holds it, and leads to its order', async () => {
    await opens('map', 'orderly-dev-Orders/table:Orders/Outbox/Table');
    await link('What is in it').click();
    await page.getByLabel('A key has').fill(`Order#${orderId}`);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page
      .locator('summary', { hasText: `Order#${orderId}` })
      .first()
      .click();
    const item = page.locator('.data-json').first();
    expect(await item.innerText()).toContain('OrderPlaced');
    expect(await item.innerText()).not.toContain(NAME);
    expect(
      await link(/^its history/)
        .first()
        .getAttribute('href'),
    ).toContain('#/order/');
  });

  test.each([
    ['map', QUEUE, 'dark', 1440],
    ['map', 'Orders', 'light', 360],
    ['data', '', 'dark', 360],
    ['data', 'tables/orderly-dev-Orders-Table', 'light', 360],
    ['reference', '', 'dark', 1440],
    ['reference', 'operation/POST /orders', 'dark', 360],
    ['reference', 'event/orderly.orders OrderPlaced', 'light', 1440],
  ] as const)('axe finds nothing at %s %s (%s, %i px)', async (name, id, scheme, width) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await opens(name, id);
    await page.locator('main h1').waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain('Loading');
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<{ violations: readonly { id: string; nodes: { html: string }[] }[] }>(
      'axe.run()',
    );
    expect(violations.map((one) => `${one.id}: ${one.nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});
