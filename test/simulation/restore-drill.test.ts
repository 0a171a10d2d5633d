import { expect, test } from 'vitest';
import { playRestoreDrill } from './restore-drill.js';

test('a restore of orders brings every item of many orders back, and takes the later ones away', async () => {
  const { items, damaged, forgotten, calls, deaths, itemsRead, ...drill } = await playRestoreDrill(200);
  expect(drill).toEqual({ orders: 200, lostOrders: 5, wrong: 0, works: true });
  expect(items).toBeGreaterThan(200 * 4);
  expect(damaged).toBeGreaterThan(5);
  expect(forgotten).toBeGreaterThan(20);
  expect(deaths).toBeGreaterThan(0);
  expect(calls).toBeGreaterThan(deaths);
  // Copying reads both tables, each item with its counterpart, and so does the comparison at the end: eight items read for one. The
  // feed of commits, which is read twice, is less than three more. Another comparison of everything would be four more.
  expect(itemsRead).toBeLessThan(11 * (items + forgotten));
});
