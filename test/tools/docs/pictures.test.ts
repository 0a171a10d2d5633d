import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pictures, ROOT, withPicture } from '../../../tools/docs/pictures.js';

test.each(pictures)('$page shows $name as the code generates it', (picture) => {
  const text = readFileSync(new URL(picture.page, ROOT), 'utf8');
  expect(text, 'the code has changed: npm run docs').toBe(withPicture(text, picture));
});

test('a page without the marks of its picture is an error', () => {
  for (const picture of pictures) {
    expect(() => withPicture('# orders\n', picture)).toThrow(`${picture.page} has no '<!-- ${picture.name}: made by`);
  }
});
