import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalCloud, LocalCloudClient } from '@orderly/simulator';
import type { Browser, Page } from 'playwright-core';
import { type Frame, toAnimatedWebp } from './animated-webp.js';
import { localAssembly } from './assembly.js';
import { dueRecords } from './awaits.js';
import { browserPath, NO_BROWSER, startBrowser } from './browser.js';
import { runDemo } from './demo.js';
import { readDeployment } from './deploy.js';
import { devTokens } from './dev-issuer.js';
import { findEndpoint } from './endpoint.js';
import { LocalRunError } from './errors.js';
import { orderlyPage } from './page.js';

const IMAGES = fileURLToPath(new URL('../../docs/img/', import.meta.url));

/** Size of a picture, in pixels. */
const SIZE = { width: 1200, height: 720 };

/**
 * Views that are pictured, as they are after the demonstration. `{order}` is the id of one of its orders.
 * A view of the console that should be in the documents has a line here.
 */
const PICTURES: readonly {
  readonly file: string;
  readonly hash: string;
  readonly colours: 'light' | 'dark';
  /** Does what a person would do before the picture. @default nothing */
  readonly prepare?: (page: Page) => Promise<void>;
}[] = [
  { file: 'console-break-it.png', hash: 'break-it', colours: 'dark' },
  { file: 'console-order.png', hash: 'order/{order}', colours: 'light' },
  { file: 'console-proof.png', hash: 'proof', colours: 'light', prepare: playProof },
];

/** Recording of the first minute: an animated WebP, which every browser shows. */
const RECORDING = 'console-minute.webp';
/** Share of the pictures' details that is kept, in percent: letters stay sharp, and the file is small. */
const QUALITY = 55;
/** Window of the recording, and the share of its size that the pictures have. All lanes of an order are in it. */
const WINDOW = { width: 1_240, height: 1_120 };
const SHARE = 0.7;
/** Milliseconds for which a picture of the recording is shown: while something happens, and when it is to be read. */
const BRIEFLY = 450;
const TO_READ = 2_400;

/**
 * Runs `npm run screenshots`: plays the demonstration in a local cloud of its own, with the console open, and writes pictures of its
 * views to docs/img, and a recording of the first minute.
 * @throws {LocalRunError} if there is no browser
 */
export async function main(): Promise<number> {
  if (browserPath === undefined) throw new LocalRunError(`${NO_BROWSER}. Then run the same again.`);
  mkdirSync(IMAGES, { recursive: true });
  const folder = await localAssembly();
  const cloud = await LocalCloud.start({ folder, log: () => undefined, nextWorkAt: dueRecords, page: orderlyPage() });
  const browser = await startBrowser();
  try {
    writeFileSync(join(IMAGES, RECORDING), toAnimatedWebp(await record(cloud, browser)));
    console.log(join('docs/img', RECORDING));
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(cloud.pageUrl);
    await page.locator('.connection.live').waitFor();
    const order = await demonstrate(cloud);
    for (const { file, hash, colours, prepare = nothing } of PICTURES) {
      await page.emulateMedia({ colorScheme: colours, reducedMotion: 'reduce' });
      await page.goto(`${cloud.url}/#/${hash.replace('{order}', order)}`);
      await settled(page);
      await prepare(page);
      await page.screenshot({ path: join(IMAGES, file) });
      console.log(join('docs/img', file));
    }
    return 0;
  } finally {
    await browser.close();
    await cloud.stop();
  }
}

/** Presses the buttons of the first view one after the other, and takes pictures of what is seen then. */
async function record(cloud: LocalCloud, browser: Browser): Promise<readonly Frame[]> {
  const page = await browser.newPage({ viewport: WINDOW, deviceScaleFactor: SHARE, reducedMotion: 'reduce' });
  const frames: Frame[] = [];
  // Playwright itself makes no WebP.
  const chromium = await page.context().newCDPSession(page);
  const take = async (milliseconds: number): Promise<void> => {
    const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    frames.push({ webp: Buffer.from(data, 'base64'), milliseconds });
  };
  // Pressed by the keyboard, so that a ring shows which.
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).first().focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await take(BRIEFLY * 2);
    await page.keyboard.press('Enter');
  };
  const sees = async (selector: string, hasText: string | RegExp = '', milliseconds = BRIEFLY): Promise<void> => {
    await page.locator(selector, { hasText }).first().waitFor();
    await take(milliseconds);
  };
  await page.goto(cloud.pageUrl);
  await page.locator('.connection.live').waitFor();
  await take(TO_READ);
  await press('Place an order');
  await sees('.history .applied');
  await sees('.saga', 'reserve-stock');
  await sees('.saga', 'COMPLETED', TO_READ);
  await press('Send all its messages again');
  await sees('.history .duplicate');
  await sees('.counted', /duplicates [12]\d/, TO_READ);
  await press('Kill a function at work');
  await sees('.history .applied');
  await sees('.history .crashed', '', TO_READ);
  await press('Let a minute pass');
  await sees('.saga', 'COMPLETED', 2 * TO_READ);
  await page.close();
  return frames;
}

/** Plays the demonstration, with a function that dies in the middle. @returns the id of its first order */
async function demonstrate(cloud: LocalCloud): Promise<string> {
  const endpoint = await findEndpoint(cloud.url);
  const deployment = await readDeployment(endpoint);
  await new LocalCloudClient(cloud.url).injectFault('Orders/OnSaga', 'killed-after', { next: 2 });
  const orderly = { endpoint, deployment };
  const { orders } = await runDemo({ orderly, tokens: devTokens(), progress: () => undefined });
  return orders[0]?.orderId ?? '';
}

/** Waits until the view and the audit's numbers are there. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await page.locator('.strip .held [data-count=lost]').waitFor();
  await page.getByText(/^Loading /).waitFor({ state: 'detached' });
}

const nothing = async (): Promise<void> => undefined;

/** Plays histories without a guard until some have broken a promise, and shows their wall. */
async function playProof(page: Page): Promise<void> {
  page.setDefaultTimeout(PLAYS_AT_MOST);
  await page.getByRole('switch').first().click();
  await page.locator('.cell.broken').nth(BROKEN).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.evaluate("document.getElementById('guards').scrollIntoView()");
}

/** Histories that have broken a promise in the picture, without the first one. */
const BROKEN = 4;
/** Milliseconds after which something hangs. */
const PLAYS_AT_MOST = 300_000;
