import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser } from '../../tools/local/browser.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

const needsBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);
const { url, pageUrl } = world as LocalCloudWorld;
/** Milliseconds after which something hangs; no measure. */
const HANGS_AFTER = 600_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What axe finds. */
interface Axe {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

let browser: Browser;
let page: Page;
const complaints: string[] = [];
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const cells = (look: string): Locator => page.locator(`.cell.${look}`);
const focused = (): Promise<unknown> => page.evaluate('document.activeElement.dataset.cell');

/** Expects nothing of axe, and nothing that is wider than the window. */
async function expectSound(width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<Axe>('axe.run()');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

needsBrowser('the proof in a browser', () => {
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(HANGS_AFTER);
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') complaints.push(line.text());
    });
    await page.goto(pageUrl);
    await page.getByRole('link', { name: 'Proof' }).click();
  });
  afterAll(() => browser?.close());

  test.each([
    ['Deliver the same message five times', 'Charged 5 times: EUR 50.00', 'duplicate'],
    ['Crash after the effect', 'Charged 2 times: EUR 20.00', 'crashed'],
  ])('%s: a naive consumer charges again, and the idempotent one charges once', async (name, wrong, seen) => {
    await button(name).click();
    await page.getByText(wrong).waitFor();
    expect(await page.locator('.effect').allInnerTexts()).toEqual([wrong, 'Charged once: EUR 10.00']);
    expect(await page.locator(`.consumer:nth-child(2) .delivery.${seen}`).count()).toBeGreaterThan(0);
  });

  test('a wall fills with green cells until it is stopped', async () => {
    await button('Play histories').click();
    await cells('held').nth(4).waitFor();
    await button('Stop').click();
    await page.getByText('Stopped.').waitFor();
    expect(await cells('broken').count()).toBe(0);
    expect(await cells('open').count()).toBeGreaterThan(100);
  });

  test('arrows go from cell to cell, and each says what it is', async () => {
    const first = page.locator('[data-cell="0"]');
    await first.focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('1');
    await page.keyboard.press('ArrowDown');
    expect(Number(await focused())).toBeGreaterThan(2);
    await page.keyboard.press('End');
    expect(Number(await focused())).toBe((await page.locator('[data-cell]').count()) - 1);
    await page.keyboard.press('Home');
    expect(await focused()).toBe('0');
    expect(await first.innerText()).toMatch(/^Api\/Authorize invocation 1, crashed: /);
    expect(await page.locator('[data-cell][tabindex="0"]').count()).toBe(1);
  });

  test('without a guard a cell turns red, and opens its history: what was violated, and how to play it again', async () => {
    await page.getByRole('switch', { name: 'Without: Conditional put of the processed record' }).click();
    await cells('broken').first().waitFor();
    await button('Stop').click();
    await cells('broken').first().click();
    await page.getByText('Broken: a message is recorded as processed once.').waitFor();
    expect(await page.locator('.history [data-mark]').count()).toBeGreaterThan(3);
    expect(await page.locator('.violations dt').first().innerText()).toBe('a message is recorded as processed once');
    expect(await page.locator('.replay').innerText()).toMatch(/^npm run simulate -- --scenario pay-once --fault ".+"/);
    for (const width of [1440, 360]) await expectSound(width);
    await page.getByRole('link', { name: 'Back to the wall' }).click();
    await cells('broken').first().waitFor();
  });

  test('with the guard the same wall is green again', async () => {
    await page.getByRole('switch', { checked: true }).click();
    await cells('held').first().waitFor();
    await button('Stop').click();
    expect(await cells('broken').count()).toBe(0);
    expect(await page.getByRole('switch', { checked: true }).count()).toBe(0);
  });

  test.each([
    ['light', 1440],
    ['dark', 360],
  ] as const)('has nothing that axe finds, in %s colours and %i pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await page.evaluate("getComputedStyle(document.querySelector('.cell.held')).animationName")).toBe('none');
    await expectSound(width);
  });

  test('a history that does not exist says so', async () => {
    await page.goto(`${url}/#/proof/${encodeURIComponent('other//')}`);
    await page.getByText("'other' is not offered").waitFor();
    expect(complaints.filter((line) => !/status of 409/.test(line))).toEqual([]);
  });
});
