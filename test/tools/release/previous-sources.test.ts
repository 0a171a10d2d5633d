import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchSources, hasSources, previousRelease, ReleaseMissing } from '../../../tools/release/previous-sources.js';

const previous = previousRelease();
const UNKNOWN = { version: '9.9.9', commit: '9'.repeat(40) };

test('a release whose commit is not in the clone is an error that says what to do', () => {
  expect(hasSources(UNKNOWN)).toBe(false);
  expect(() => fetchSources(UNKNOWN)).toThrow(ReleaseMissing);
  expect(() => fetchSources(UNKNOWN)).toThrow(/no commit 9{40}.*9\.9\.9.*git fetch --unshallow/);
});

// A shallow clone has no history; where CI is set, it has to have it.
test.skipIf(!hasSources(previous) && !process.env.CI)('the previous release has its sources, and its own kit', () => {
  const { folder, version } = fetchSources(previous);
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({ version });
  expect(existsSync(join(folder, 'lambdas/orders/place-order.lambda.ts'))).toBe(true);
  expect(realpathSync(join(folder, 'node_modules/@orderly/kit'))).toBe(realpathSync(join(folder, 'packages/kit')));
  // Biome takes a second configuration for that of the files below it.
  expect(existsSync(join(folder, 'biome.json'))).toBe(false);
});
