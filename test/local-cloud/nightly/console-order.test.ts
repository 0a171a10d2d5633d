import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { ConsolePage, needsBrowser } from '../../support/console-page.js';
import type { LocalCloudWorld } from '../../support/local-cloud-world.js';
import { world } from '../../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
let shown: ConsolePage;
let order: OrderView;

const place = (): Promise<OrderView> => shown.place('picture');
/** Opens the picture of an order. */
async function open({ orderId }: OrderView): Promise<void> {
  await shown.opens('order', orderId);
  await shown.page.getByRole('heading', { level: 1, name: orderId }).waitFor();
}
const marks = (...parts: readonly string[]): Locator => shown.marks(...parts);
const press = (name: string): Promise<void> => shown.page.getByRole('button', { name, exact: true }).click();
needsBrowser('the picture of one order', () => {
  beforeAll(async () => {
    shown = await ConsolePage.open(url);
    await shown.page.goto(pageUrl);
    order = await place();
    await open(order);
  });
  afterAll(() => shown?.close());

  test('grows while the order that was placed over HTTP is worked on, to its last step', async () => {
    await marks('orders committed OrderPlaced').waitFor();
    await marks('ReserveStock at inventory-commands', 'applied').waitFor();
    await shown.page.getByRole('listitem').filter({ hasText: 'charge-payment done' }).waitFor();
    await shown.page.locator('.verdict.complete').waitFor();
  });

  test('shows the record behind a mark by the keyboard alone', async () => {
    await shown.page.locator('.tools select').focus();
    await shown.page.keyboard.press('Tab');
    await shown.page.keyboard.press('Tab');
    const focused = () => shown.page.evaluate<string>("document.activeElement.getAttribute('aria-label')");
    await expect.poll(focused).toContain('orders committed OrderPlaced');
    await shown.page.keyboard.press('ArrowRight');
    await expect.poll(focused).not.toContain('OrderPlaced,');
    await shown.page.keyboard.press('Home');
    await shown.page.keyboard.press('Enter');
    const panel = shown.page.getByRole('complementary');
    await panel.getByText('Order#').first().waitFor();
    await shown.page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await focused()).toContain('orders committed OrderPlaced');
  });

  test('shows a message that is sent again as a duplicate', async () => {
    const duplicates = marks('ReserveStock at inventory-commands', 'duplicate');
    const before = await duplicates.count();
    await marks('ReserveStock at inventory-commands', 'applied').first().click();
    await press('Send this message again');
    await duplicates.nth(before).waitFor();
    await shown.page.locator('.counted', { hasText: 'done twice 0' }).waitFor();
  });

  test('shows the crash of a consumer that was killed, and then its success', async () => {
    await press('Kill the next attempt of inventory-commands');
    await shown.page.locator('.said', { hasText: 'is killed in the middle of its next attempt' }).waitFor();
    const killed = await place();
    await open(killed);
    const crash = marks('ReserveStock at inventory-commands', 'crashed', 'fault killed-before');
    await crash.waitFor();
    await press('Let a minute pass');
    await marks('ReserveStock at inventory-commands, delivery 2', 'applied').first().waitFor();
    expect(await crash.count()).toBe(1);
  });

  test.each([
    ['light', 1440],
    ['dark', 360],
  ] as const)('has nothing that axe finds, in %s colours and %i pixels', async (colorScheme, width) => {
    await open(order);
    await marks('ReserveStock at inventory-commands').first().click();
    await shown.page.getByRole('heading', { name: 'Items that name it' }).waitFor();
    for (const as of ['picture', 'list']) {
      expect([as, ...(await shown.check(colorScheme, width))]).toEqual([as]);
      await press('As a list');
    }
  });

  test('shows that a message which comes 36 days later is too old, and quarantined', async () => {
    await open(order);
    await marks('ReserveStock at inventory-commands', 'applied').first().click();
    await press('36 days later, again');
    await marks('ReserveStock at inventory-commands', 'too old, quarantined').waitFor();
    await shown.page.locator('.said', { hasText: '36 days have passed' }).waitFor();
  });
});
