import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entryFiles } from '../../../packages/kit/base/bundles.js';
import { INBOX_LAMBDAS } from '../../support/inboxes/assembly.js';
import { LAMBDAS, PACKAGES } from '../../support/simulation/app-code.js';
import { FOUND } from '../../support/simulation/found.js';
import { BUGS } from './bugs.js';

/** Changes of the sources that the searches plant, most of which `npm test` doesn't play. */
const CHANGES = [
  ...BUGS.flatMap(({ name, source }) => (source ? [{ name, ...source }] : [])),
  ...FOUND.flatMap(({ name, back }) => (back ? [{ name, ...back }] : [])),
];

test.each(CHANGES)('there is something to change for: $name', ({ file, from }) => {
  const text = readFileSync(file, 'utf8');
  expect(typeof from === 'string' ? text.includes(from) : text.search(from) >= 0, `${file} has no: ${from}`).toBe(true);
});

test('the entry points that a bug is planted in exist', () => {
  const entries = [LAMBDAS, INBOX_LAMBDAS].flatMap((lambdas) => [...entryFiles(lambdas, PACKAGES).keys()]);
  const filters = BUGS.flatMap(({ name, source }) => (source?.only ? [{ name, only: source.only }] : []));
  expect(filters.filter(({ only }) => !entries.some((entry) => only.test(entry)))).toEqual([]);
});
