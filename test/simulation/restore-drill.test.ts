import { expect, test } from 'vitest';
import { playRestoreDrill } from './restore-drill.js';

test('a restore of orders brings every item of many orders back, and takes the later ones away', async () => {
  const { items, damaged, forgotten, ...drill } = await playRestoreDrill(200);
  expect(drill).toEqual({ orders: 200, wrong: 0, works: true });
  expect(items).toBeGreaterThan(200 * 4);
  expect(damaged).toBeGreaterThan(5);
  expect(forgotten).toBeGreaterThan(20);
});
