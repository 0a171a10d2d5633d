import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { browserPath, NO_BROWSER, startBrowser } from '../../tools/local/browser.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { findEndpoint } from '../../tools/local/endpoint.js';

/** Milliseconds after which something hangs; no measure. */
export const HANGS_AFTER = 600_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where CI is set the browser must be there; anywhere else its absence skips what needs it. */
export const needsBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);
if (browserPath === undefined) console.log(`The console is not tested in a browser: ${NO_BROWSER}`);

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The console of a local cloud in a browser, and the shop behind it. */
export class ConsolePage {
  /** What the browser complained of: errors of scripts, and answers that are no success. */
  readonly complaints: string[] = [];

  private constructor(
    readonly url: string,
    readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
    readonly stage: Stage,
  ) {
    page.setDefaultTimeout(HANGS_AFTER);
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') this.complaints.push(line.text());
    });
  }

  /** Starts a browser; the page itself is opened by its address, with the token. @param url address of the cloud */
  static async open(url: string): Promise<ConsolePage> {
    const browser = await startBrowser();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const stage = await Stage.open(await findEndpoint(url), () => undefined);
    return new ConsolePage(url, browser, context, await context.newPage(), stage);
  }

  /** Opens a view. @param id of what it shows */
  async opens(name: string, id = ''): Promise<void> {
    await this.page.goto(`${this.url}/#/${name}${id === '' ? '' : `/${encodeURIComponent(id)}`}`);
  }

  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).first().click();
  }

  /** Returns marks of a picture whose names have all these parts. */
  marks(...parts: readonly string[]): Locator {
    return this.page.locator(`[data-mark]${parts.map((part) => `[aria-label*="${part}"]`).join('')}`);
  }

  /** Puts an article on sale, and lets alice order one. @param name of the article */
  async place(name: string): Promise<OrderView> {
    const sku = await this.stage.article(name, { price: 1000, customers: ['alice'] });
    return this.stage.place('alice', { sku, price: 1000 });
  }

  /** Waits until the view has its heading and all answers. */
  async settles(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    await expect.poll(() => this.page.getByText(/^Loading /).count(), { timeout: HANGS_AFTER }).toBe(0);
  }

  /** Looks at what is shown, in colours and a width. @returns what axe finds, and how much wider than the window it is */
  async check(colorScheme: 'light' | 'dark', width: number): Promise<readonly string[]> {
    const { page } = this;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await this.settles();
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<Found>('axe.run()');
    const wider = Number(await page.evaluate('document.documentElement.scrollWidth')) - width;
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      ...(wider > 0 ? [`${wider} pixels wider than the window`] : []),
    ];
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
