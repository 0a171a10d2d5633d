import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsolePage, needsBrowser } from '../../support/console-page.js';
import type { LocalCloudWorld } from '../../support/local-cloud-world.js';
import { world } from '../../support/world.js';

const { url, pageUrl } = world as LocalCloudWorld;
const NAME = 'Ada Alder';
const ADDRESS = { name: NAME, street: 'Lindenweg 4', city: 'Potsdam', postalCode: '14467', country: 'DE' };
const QUEUE = 'orderly-dev-Orders/queue:Orders/Saga/Queue';

let shown: ConsolePage;
let sku: string;
let orderId: string;
const link = (name: string | RegExp) => shown.page.getByRole('link', { name });

needsBrowser('the map, the data and the reference in a browser', () => {
  beforeAll(async () => {
    shown = await ConsolePage.open(url);
    sku = await shown.stage.article('mapped', { price: 1000, customers: ['alice'] });
    await shown.page.goto(pageUrl);
    await shown.page.locator('.connection.live').waitFor();
  });
  afterAll(() => shown?.close());

  test('an order that alice sends from the reference is placed once, however often it is sent', async () => {
    await shown.opens('reference');
    await shown.page.getByRole('searchbox', { name: 'Find', exact: true }).fill('place order');
    await link('POST /orders').first().click();
    await shown.page.getByLabel('Body (JSON)').fill(
      JSON.stringify({
        lines: [{ sku, quantity: 1, unitPrice: { amount: 1000, currency: 'EUR' } }],
        deliverTo: ADDRESS,
      }),
    );
    const send = shown.page.getByRole('button', { name: 'Send', exact: true });
    await send.click();
    await shown.page.getByRole('heading', { name: /^201, / }).waitFor();
    const followed = link('What followed from it');
    orderId = (await followed.getAttribute('href'))?.split('/').at(-1) ?? '';
    expect(orderId).toMatch(/^[0-9a-f]{32}$/);
    await send.click();
    await shown.page.getByText(/"idempotency-replayed": "true"/i).waitFor({ state: 'attached' });
    expect(await followed.getAttribute('href')).toBe(`#/order/${orderId}`);
  });

  test('the last event of a type is that of the order, with its consumers', async () => {
    await shown.opens('reference', 'event/orderly.orders OrderPlaced');
    await shown.page.getByText('Orders/OnSaga').waitFor();
    await expect
      .poll(async () => {
        await shown.page.getByRole('button', { name: 'Show me the last one' }).click();
        return shown.page.locator('.data-json').first().innerText();
      })
      .toContain(`Order/${orderId}`);
  });

  test('a service opens by the keyboard, and messages move along its lines', async () => {
    await shown.opens('map');
    await link(/^Orders, /).focus();
    await shown.page.keyboard.press('Enter');
    await shown.page.waitForURL(`${url}/#/map/orderly-dev-Orders`);
    await shown.page.locator('.map-box.queue').first().waitFor();
    const [moved] = await Promise.all([
      shown.page.locator('.map-dot').first().waitFor({ state: 'attached' }),
      shown.stage.place('alice', { sku, price: 1000 }),
    ]);
    expect(moved).toBeUndefined();
  });

  test('nothing moves for who wants no motion, and the list says the same as the picture', async () => {
    await shown.page.emulateMedia({ reducedMotion: 'reduce' });
    await shown.opens('map', QUEUE);
    await shown.page.getByRole('heading', { name: 'Orders/Saga/Queue' }).waitFor();
    await shown.page.evaluate(`new MutationObserver((changes) => {
      if (changes.some(({ addedNodes }) => addedNodes.length > 0)) document.body.dataset.moved = 'true';
    }).observe(document.querySelector('.map-dots'), { childList: true })`);
    await shown.stage.place('alice', { sku, price: 1000 });
    await expect.poll(() => shown.page.locator('.map-counts').count()).toBeGreaterThan(0);
    expect(await shown.page.evaluate('document.body.dataset.moved')).toBeUndefined();
    const boxes = await shown.page.locator('.map-box').count();
    await shown.page.getByRole('button', { name: 'List', exact: true }).click();
    expect(await shown.page.locator('.map-list tbody tr').count()).toBe(boxes);
  });

  test('an item is found by its key, is as the table holds it, and leads to its order', async () => {
    await shown.opens('map', 'orderly-dev-Orders/table:Orders/Outbox/Table');
    await link('What is in it').click();
    await shown.page.getByLabel('A key has').fill(`Order#${orderId}`);
    await shown.page.getByRole('button', { name: 'Filter' }).click();
    await shown.page
      .locator('summary', { hasText: `Order#${orderId}` })
      .first()
      .click();
    const item = shown.page.locator('.data-json').first();
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
    await shown.opens(name, id);
    expect(await shown.check(scheme, width)).toEqual([]);
  });
});
