import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { APPROVED_FORMATS, storedFormats } from '../support/stored-formats.js';

test('stored formats of the kit are the approved ones', async () => {
  const approved = JSON.parse(readFileSync(APPROVED_FORMATS, 'utf8'));
  const decision =
    'A stored format differs from test/golden/stored-formats.json. Deployed tables keep items of the old format: write a decision (docs/decisions) that says how they are read, and then run npm run docs.';
  expect(JSON.parse(await storedFormats()), decision).toEqual(approved);
});
