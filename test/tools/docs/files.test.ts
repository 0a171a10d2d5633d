import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { files } from '../../../tools/docs/files.js';
import { ROOT } from '../../../tools/docs/pictures.js';

test.each(files)('$path is as the code generates it', async ({ path, make }) => {
  expect(readFileSync(new URL(path, ROOT), 'utf8') === (await make()), 'the code has changed: npm run docs').toBe(true);
});
