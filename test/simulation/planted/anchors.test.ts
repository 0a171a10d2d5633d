import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FOUND } from '../support/found.js';
import { BUGS } from './bugs.js';
import { INBOX_BUGS } from './inbox-bugs.js';
import { RESTORE_BUGS } from './restore-bugs.js';
import { REVIEWED_BUGS } from './reviewed-bugs.js';

/** Changes of the sources that the searches plant, most of which `npm test` doesn't play. */
const CHANGES = [
  ...[...BUGS, ...REVIEWED_BUGS, ...INBOX_BUGS, ...RESTORE_BUGS].flatMap(({ name, source }) =>
    source ? [{ name, ...source }] : [],
  ),
  ...FOUND.flatMap(({ name, back }) => (back ? [{ name, ...back }] : [])),
];

test.each(CHANGES)('there is something to change for: $name', ({ file, from }) => {
  const text = readFileSync(file, 'utf8');
  expect(typeof from === 'string' ? text.includes(from) : text.search(from) >= 0, `${file} has no: ${from}`).toBe(true);
});
