import { afterAll, beforeAll, expect, test } from 'vitest';
import { COUNT_NAMES, type CountName } from '../../../packages/console/server/contract.js';
import { ConsolePage, HANGS_AFTER, needsBrowser } from '../../support/console-page.js';
import type { LocalCloudWorld } from '../../support/local-cloud-world.js';
import { world } from '../../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
let opened: ConsolePage;

/** Reads a number of the proof strip; undefined while it is unknown. */
const shown = async (name: CountName): Promise<number | undefined> => {
  const text = await opened.page.locator(`[data-count=${name}]`).innerText();
  return /^[\d,]+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
};
/** Waits for a number of the strip: each look is at the page, which asks by itself. */
const becomes = (name: CountName) => expect.poll(() => shown(name), { timeout: HANGS_AFTER });

needsBrowser('the console in a browser', () => {
  beforeAll(async () => {
    opened = await ConsolePage.open(url);
    await opened.page.goto(pageUrl);
    await opened.page.locator('.connection.live').waitFor();
  });
  afterAll(() => opened?.close());

  test('an order that is placed over HTTP appears, and the numbers count it', async () => {
    await opened.opens('now');
    await opened.place('seen');
    await opened.page.locator('.happening', { hasText: 'OrderPlaced' }).first().waitFor();
    await becomes('applied').toBeGreaterThan(5);
    expect(await shown('committed')).toBeGreaterThan(0);
    expect(await shown('published')).toBeGreaterThan(0);
  });

  test('lost and done twice are what the delivery audit says', async () => {
    await becomes('lost').toBe(0);
    await becomes('twice').toBe(0);
    await opened.page.locator('.checked', { hasText: 'checked at' }).waitFor();
  });

  test('everything that is sent again is recognised as a duplicate', async () => {
    await opened.opens('break-it');
    await opened.press('Send everything again');
    await opened.page.getByText(/messages are on the bus again/).waitFor();
    await becomes('duplicates').toBeGreaterThan(5);
  });

  test('each number opens what it counts', async () => {
    for (const name of COUNT_NAMES) {
      await opened.page.locator(`.strip [data-count=${name}]`).click();
      await opened.page.locator('h1#counted').waitFor();
      const first = opened.page.locator('main .happening, main .state').first();
      await first.waitFor();
    }
  });

  test('a function that is killed crashes, and its message is applied later', async () => {
    await opened.opens('break-it');
    const crashes = (await shown('crashes')) ?? 0;
    await opened.page.locator('select[name=owner]').selectOption('Orders/OnSaga');
    await opened.page.locator('select[name=kind]').selectOption('crashed');
    await opened.press('Make it happen');
    await opened.page.getByRole('listitem').filter({ hasText: 'crashed at Orders/OnSaga: 1 left' }).waitFor();
    await opened.place('killed');
    await opened.page.getByText('1 crash waits until the message comes again').waitFor();
    await opened.press('+1 h');
    await becomes('crashes').toBeGreaterThan(crashes);
    await opened.page.getByText('None: nothing is broken on purpose.').waitFor();
  });

  test('36 days pass with their progress, and the clock says so', async () => {
    await opened.press('+36 d');
    await opened.page.locator('progress').waitFor();
    await opened.page.getByText(/36 d have passed in/).waitFor();
    expect(await opened.page.locator('.ahead').innerText()).toMatch(/3[56] d/);
  });

  test('the app offers orders with other cards', async () => {
    await opened.press('Declined card');
    await opened.page.getByText(/alice has ordered one DECLINED-/).waitFor();
    await opened.page.getByRole('link', { name: 'Look at it' }).click();
    await opened.page.locator('main h1').waitFor();
    expect(opened.page.url()).toMatch(/#\/order\/[0-9a-f]{32}$/);
  });

  test('a search opens what has the id, by the keyboard alone', async () => {
    await opened.opens('now');
    await opened.page.locator('h1#now').waitFor();
    await opened.page.keyboard.press('/');
    await opened.page.keyboard.type('some-request');
    await opened.page.keyboard.press('Enter');
    await opened.page.waitForURL(`${url}/#/order/some-request`);
    await opened.page.locator('.failed').waitFor();
  });

  test('every control is reached by the keyboard, the skip link first', async () => {
    await opened.opens('break-it');
    await opened.page.locator('h1#break-it').waitFor();
    await opened.page.reload();
    await opened.page.locator('select[name=owner]').waitFor();
    const all = "[...document.querySelectorAll('a[href], button:enabled, input, select')]";
    const controls = Number(await opened.page.evaluate(`${all}.length`));
    const reached = new Set<string>();
    await opened.page.keyboard.press('Tab');
    expect(await opened.page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    for (let at = 0; at < controls + 5; at++) {
      reached.add(String(await opened.page.evaluate(`${all}.indexOf(document.activeElement)`)));
      await opened.page.keyboard.press('Tab');
    }
    reached.delete('-1');
    expect(reached.size).toBe(controls);
  });

  test('health, failures, audit and orders say what the command line says', async () => {
    await opened.opens('orders');
    await opened.page.getByRole('cell', { name: 'REJECTED' }).first().waitFor();
    await opened.page.getByRole('combobox', { name: 'Status' }).selectOption('approved');
    await opened.press('Show');
    await opened.page.getByRole('cell', { name: 'REJECTED' }).first().waitFor({ state: 'detached' });
    await opened.opens('audit');
    await opened.page.getByText(/^Nothing is missing/).waitFor();
    await opened.opens('failures');
    await opened.page.locator('main .state, main .cause').first().waitFor();
    await opened.opens('health');
    await opened.page.locator('main .verdict').waitFor();
  });

  test('a command runs from the page, and one with a placeholder says what to write', async () => {
    await opened.page.locator('summary', { hasText: 'Pause a consumer' }).click();
    const command = opened.page.getByRole('textbox', { name: /^Command: It gets no messages/ });
    const form = opened.page.getByRole('form', { name: /^It gets no messages/ });
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByText('Write what belongs in the place of <consumer>.').waitFor();
    await command.fill("consumers pause reservations --reason 'it is looked at'");
    await command.press('Enter');
    await opened.page.getByText('paused since').waitFor();
    await opened.page
      .getByRole('form', { name: /^Give messages to reservations/ })
      .getByRole('button', { name: 'Run' })
      .click();
    await opened.page.getByText('paused since').waitFor({ state: 'detached' });
  });

  test.each([
    ['start', '', 'dark', 1440],
    ['now', '', 'light', 1440],
    ['now', '', 'dark', 360],
    ['break-it', '', 'light', 360],
    ['break-it', '', 'dark', 1440],
    ['counted', 'duplicates', 'light', 360],
    ['counted', 'lost', 'dark', 1440],
    ['order', 'nothing', 'light', 1440],
    ['health', '', 'light', 360],
    ['health', '', 'dark', 1440],
    ['failures', '', 'dark', 360],
    ['audit', '', 'light', 360],
    ['orders', '', 'dark', 360],
    ['orders', '', 'light', 1440],
    ['elsewhere', '', 'dark', 360],
  ] as const)(
    'axe finds nothing at %s %s (%s, %i px), and nothing is wider than the window',
    async (name, id, scheme, width) => {
      await opened.opens(name, id);
      expect(await opened.check(scheme, width)).toEqual([]);
    },
  );

  test('the browser complains of nothing but answers that tests ask for', () =>
    expect(opened.complaints.filter((line) => !/status of 40[04]/.test(line))).toEqual([]));
});
