import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { browserPath, startBrowser } from '../../tools/local/browser.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { findEndpoint } from '../../tools/local/endpoint.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let page: Page;
let stage: Stage;
let sku: string;
let order: OrderView;

const place = (): Promise<OrderView> => stage.place('alice', { sku, price: 1000 });
/** Opens the picture of an order. */
async function open({ orderId }: OrderView): Promise<void> {
  await page.goto(`${url}/#/order/${orderId}`);
  await page.getByRole('heading', { level: 1, name: orderId }).waitFor();
}
/** Marks whose names have all these parts. */
const marks = (...parts: readonly string[]): Locator =>
  page.locator(`[data-mark]${parts.map((part) => `[aria-label*="${part}"]`).join('')}`);
const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
/** Lets minutes of the cloud pass until something is there: a message that failed comes again after one. */
async function passUntil(what: Locator): Promise<void> {
  while ((await what.count()) === 0) {
    await press('1 minute later');
    await page.locator('.said', { hasText: 'A minute has passed.' }).waitFor({ timeout: 0 });
    await Promise.race([what.first().waitFor({ timeout: 2_000 }), Promise.reject(new Error())]).catch(() => undefined);
  }
}

describe.skipIf(browserPath === undefined && !process.env.CI)('the picture of one order', () => {
  beforeAll(async () => {
    browser = await startBrowser();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(0);
    stage = await Stage.open(await findEndpoint(url), () => undefined);
    sku = await stage.article('picture', { price: 1000, customers: ['alice'] });
    await page.goto(pageUrl);
    order = await place();
    await open(order);
  });
  afterAll(() => browser?.close());

  test('grows while the order that was placed over HTTP is worked on, to its last step', async () => {
    await marks('orders committed OrderPlaced').waitFor();
    await marks('ReserveStock at inventory-commands', 'applied').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'charge-payment done' }).waitFor();
    await page.locator('.verdict.complete').waitFor();
  });

  test('shows the record behind a mark by the keyboard alone', async () => {
    await page.locator('.tools select').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')");
    await expect.poll(focused).toContain('orders committed OrderPlaced');
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).not.toContain('OrderPlaced,');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByText('Order#').first().waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await focused()).toContain('orders committed OrderPlaced');
  });

  test('shows a message that is sent again as a duplicate', async () => {
    const duplicates = marks('ReserveStock at inventory-commands', 'duplicate');
    const before = await duplicates.count();
    await marks('ReserveStock at inventory-commands', 'applied').first().click();
    await press('Send this message again');
    await duplicates.nth(before).waitFor();
    await page.locator('.counted', { hasText: 'done twice 0' }).waitFor();
  });

  test('shows the crash of a consumer that was killed, and then its success', async () => {
    await press('Kill the next attempt of inventory-commands');
    await page.locator('.said', { hasText: 'is killed in the middle of its next attempt' }).waitFor();
    const killed = await place();
    await open(killed);
    const crash = marks('ReserveStock at inventory-commands', 'crashed', 'fault killed-before');
    await crash.waitFor();
    await passUntil(marks('ReserveStock at inventory-commands, delivery 2', 'applied'));
    expect(await crash.count()).toBe(1);
  });

  test.each([
    ['light', 1440],
    ['dark', 360],
  ] as const)('has nothing that axe finds, in %s colours and %i pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await open(order);
    await marks('ReserveStock at inventory-commands').first().click();
    await page.getByRole('heading', { name: 'Items that name it' }).waitFor();
    await page.evaluate(AXE);
    for (const shown of ['picture', 'list']) {
      const { violations } = await page.evaluate(() =>
        (
          globalThis as unknown as {
            axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          }
        ).axe.run(),
      );
      expect(violations.map(({ id, nodes }) => `${shown} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
        [],
      );
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await press('As a list');
    }
  });

  test('shows that a message which comes 36 days later is too old, and quarantined', async () => {
    await open(order);
    await marks('ReserveStock at inventory-commands', 'applied').first().click();
    await press('36 days later, again');
    await marks('ReserveStock at inventory-commands', 'too old, quarantined').waitFor();
    await page.locator('.said', { hasText: '36 days have passed' }).waitFor();
  });
});
