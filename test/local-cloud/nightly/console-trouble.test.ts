import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ConsolePage, HANGS_AFTER, needsBrowser } from '../../support/console-page.js';
import { CutLine } from '../../support/cut-line.js';
import type { LocalCloudWorld } from '../../support/local-cloud-world.js';
import { world } from '../../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
let shown: ConsolePage;

/** Reads a number of the proof strip; undefined while it is unknown. */
const numberOf = async (page: Page, name: string): Promise<number | undefined> => {
  const text = await page.locator(`[data-count=${name}]`).innerText();
  return /^[\d,]+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
};
const becomes = (name: string) => expect.poll(() => numberOf(shown.page, name), { timeout: HANGS_AFTER });
/** Asks for the next fault of a kind at a construct. */
async function breaks(owner: string, kind: string): Promise<void> {
  const { page } = shown;
  await page.getByLabel('Construct').selectOption(owner);
  await page.getByLabel('Fault').selectOption(kind);
  await shown.press('Make it happen');
  await page.locator('.said', { hasText: `at ${owner}: ${kind}` }).waitFor();
}
/** Waits until the faults that are to be made are as many. */
const faults = (count: number) =>
  expect.poll(() => shown.page.locator('.faults li').count(), { timeout: HANGS_AFTER }).toBe(count);

needsBrowser('the console in trouble', () => {
  beforeAll(async () => {
    shown = await ConsolePage.open(url);
    await shown.page.goto(pageUrl);
    await shown.page.locator('.connection.live').waitFor();
  });
  afterEach(() => shown.page.unrouteAll());
  afterAll(() => shown?.close());

  test('a slow server is waited for, and one that fails is named with what it says', async () => {
    const { page } = shown;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/_console/read/status', async (route) => {
      await held;
      await route.fulfill({ status: 500, json: { message: 'The table is gone.' } });
    });
    await shown.opens('health');
    await page.getByText('Loading the status').waitFor();
    release();
    await page.getByRole('alert').filter({ hasText: "The status can't be shown. The table is gone." }).waitFor();
    await shown.opens('break-it');
    await page.route('**/_local/duplicate', (route) => route.fulfill({ status: 503, body: 'no JSON' }));
    await shown.press('Send everything again');
    await page.locator('.said.failed', { hasText: 'The server answered with status 503.' }).waitFor();
  });

  test('a poisoned message becomes a failure with its cause', async () => {
    await shown.place('poisoned');
    await shown.opens('break-it');
    await shown.press('Poison a message');
    await shown.page.locator('.said', { hasText: 'no consumer can read it' }).waitFor();
    await shown.opens('failures');
    await expect
      .poll(
        async () => {
          await shown.page.reload();
          await shown.settles();
          return shown.page.locator('main .cause').count();
        },
        { timeout: HANGS_AFTER },
      )
      .toBeGreaterThan(0);
  });

  test('10,000 failures of 1,000 causes are shown, with each of their commands', async () => {
    const { page } = shown;
    await page.route('**/_console/read/failures', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { causes: readonly { id: string }[] };
      const [cause] = answer.causes;
      const causes = Array.from({ length: 1_000 }, (_, at) => ({
        ...cause,
        id: `${at}`,
        message: `number ${at}`,
        count: 10,
      }));
      await route.fulfill({ response, json: { ...answer, causes } });
    });
    await shown.opens('failures');
    await page.reload();
    await expect.poll(() => page.locator('.cause').count(), { timeout: HANGS_AFTER }).toBe(50);
    await shown.press('Show 50 more');
    await expect.poll(() => page.locator('.cause').count(), { timeout: HANGS_AFTER }).toBe(100);
    await page.getByRole('searchbox', { name: 'Search in 1,000 causes' }).fill('number 987');
    await expect.poll(() => page.locator('.cause').count(), { timeout: HANGS_AFTER }).toBe(1);
    await page.locator('.cause summary').last().click();
    await page.locator('.cause').last().getByText('Say what a redrive would do').waitFor();
    await page.route('**/_console/read/failures', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { causes: readonly object[] };
      await route.fulfill({
        response,
        json: { ...answer, causes: [{ ...answer.causes[0], count: 10_000, more: true }] },
      });
    });
    await page.reload();
    await page.getByRole('heading', { name: /^at least 10,000 × / }).waitFor();
  });

  test('faults wait where they can be withdrawn, each alone or all of them', async () => {
    await shown.opens('break-it');
    // Nobody calls these functions here, so their faults are not used up, however long the test takes.
    await breaks('Orders/CancelOrder', 'killed-before');
    await breaks('Orders/ListOrders', 'killed-after');
    await faults(2);
    await shown.page.getByRole('button', { name: 'Withdraw killed-before at Orders/CancelOrder' }).click();
    await faults(1);
    await shown.page.locator('.faults li', { hasText: 'killed-after at Orders/ListOrders' }).waitFor();
    await shown.press('Kill a random function');
    await shown.page.locator('.said', { hasText: 'dies in each call for 30 s' }).waitFor();
    await shown.press('Lose 20 answers');
    await shown.page.locator('.said', { hasText: 'their answers never arrive' }).waitFor();
    await shown.press('Refuse the bus');
    await shown.page.locator('.said', { hasText: 'relays is refused' }).waitFor();
    await shown.press('Calm');
    await shown.page.locator('.said', { hasText: 'No fault is left.' }).waitFor();
    await faults(0);
  });

  test.each(['Lose 20 answers', 'Refuse the bus', 'Kill a random function'])(
    'after "%s" an order is placed, nothing is lost and nothing is done twice',
    async (name) => {
      await shown.opens('break-it');
      await shown.press('Place an order');
      await shown.page.locator('.said', { hasText: 'alice has ordered' }).waitFor();
      await shown.press(name);
      await shown.press('Place an order');
      await shown.page.locator('.said', { hasText: /alice has ordered|status|answer/ }).waitFor();
      await shown.press('+1 h');
      await shown.page.getByText(/1 h have passed in/).waitFor();
      // The page offers that only while a fault is left.
      await shown.page.evaluate("fetch('/_local/calm', { method: 'POST', body: '{}' })");
      await becomes('lost').toBe(0);
      await becomes('twice').toBe(0);
    },
  );

  test('two operators see each other: a fault, and time that only one lets pass at once', async () => {
    const other = await shown.context.newPage();
    other.setDefaultTimeout(HANGS_AFTER);
    await other.goto(`${url}/#/break-it`);
    await shown.opens('break-it');
    await breaks('Orders/CancelOrder', 'killed-before');
    await other.locator('.faults li', { hasText: 'killed-before' }).waitFor();
    await other.getByRole('button', { name: /^Calm/ }).click();
    await faults(0);
    await shown.press('+36 d');
    await other.locator('progress').waitFor();
    expect(await other.getByRole('button', { name: '+1 min' }).isDisabled()).toBe(true);
    await shown.page.getByText(/36 d have passed in/).waitFor();
    await expect.poll(() => other.locator('.ahead').innerText(), { timeout: HANGS_AFTER }).toMatch(/3[67] d/);
    await other.close();
  });

  test('everything of the first minute is done by the keyboard alone', async () => {
    const { page } = shown;
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const reach = async (name: string): Promise<void> => {
      for (let at = 0; at < 100 && (await focused()) !== name; at++) await press('Tab');
      expect(await focused()).toBe(name);
    };
    await shown.opens('start');
    await page.reload();
    await page.locator('.steps').waitFor();
    await reach('Place an order');
    await press('Enter');
    await page.locator('.said', { hasText: 'alice has ordered' }).waitFor();
    await page.locator('.saga', { hasText: 'COMPLETED' }).waitFor();
    await reach('Send all its messages again');
    await press('Enter');
    await page.locator('.said', { hasText: 'a second time' }).waitFor();
    await shown.marks('duplicate').first().waitFor();
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await reach('Start');
    await press('ArrowRight');
    expect(await focused()).toBe('Now');
    await press('Enter');
    await page.locator('h1#now').waitFor();
    const first = page.locator('.happening a').first();
    await first.focus();
    await press('ArrowDown');
    expect(
      await page.evaluate('document.activeElement.closest("li") === document.querySelector(".happenings li")'),
    ).toBe(false);
  });

  test('the page says that a connection is lost, then that nothing answers, and recovers by itself', async () => {
    const line = await CutLine.to(url);
    const page = await shown.context.newPage();
    page.setDefaultTimeout(HANGS_AFTER);
    await page.clock.install();
    await page.goto(`${line.url}/${new URL(pageUrl).search}`);
    await page.locator('.connection.live').waitFor();
    line.cut();
    await page.locator('.banner', { hasText: 'The connection is lost.' }).waitFor();
    await page.clock.fastForward(10_000);
    await page.locator('.banner.failed', { hasText: 'Nothing answers at' }).waitFor();
    await line.mend();
    await page.locator('.connection.live').waitFor();
    await expect.poll(() => page.locator('.banner').count(), { timeout: HANGS_AFTER }).toBe(0);
    line.cut();
    await page.close();
  });
});
