import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { built, committed } from '../../../tools/docs/files.js';
import { ROOT } from '../../../tools/docs/pictures.js';

test.each(committed)('$path is as the code generates it', async ({ path, make }) => {
  expect(readFileSync(new URL(path, ROOT), 'utf8') === (await make()), 'the code has changed: npm run docs').toBe(true);
});

test.each(built)('$path is generated, and the same each time', async ({ make }) => {
  const [one, other] = [await make(), await make()];
  expect(one).toContain('/orders');
  expect(one === other).toBe(true);
});
