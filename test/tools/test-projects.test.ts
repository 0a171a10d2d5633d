import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import config from '../../vitest.config.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ANY_BELOW = '**/*.test.ts';

/** Files and folders that end with `/`, of which the projects run the tests. */
const included = (
  (config.test?.projects ?? []) as readonly { readonly test: { readonly include: readonly string[] } }[]
)
  .flatMap(({ test: { include } }) => include)
  .map((pattern) => (pattern.endsWith(ANY_BELOW) ? pattern.slice(0, -ANY_BELOW.length) : pattern));

/** A folder that moves leaves the patterns of vitest.config.ts behind, and its tests run nowhere without a word. */
test.each(['test', 'packages'])('each test file below %s is in a project of vitest', (folder) => {
  const files = readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/'));
  expect(files.length).toBeGreaterThan(50);
  const isRun = (file: string) => included.some((one) => file === one || (one.endsWith('/') && file.startsWith(one)));
  expect(
    files.filter((file) => !isRun(file)),
    'add their folder to a project in vitest.config.ts',
  ).toEqual([]);
});
