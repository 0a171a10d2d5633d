import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { LOGO, RedocMissing, withoutLogo } from '../../../tools/docs/openapi/redoc.js';

const released = (text: string) => {
  const bundle = Buffer.from(text);
  const integrity = `sha384-${createHash('sha384').update(bundle).digest('base64')}`;
  return [bundle, { version: '1.0.0', integrity }] as const;
};

test('the bundle beside the page is the released one without the address of the logo', () => {
  expect(withoutLogo(...released(`show("${LOGO}")`))).toBe('show("data:,")');
});

test.each([
  ['is not the released one', () => withoutLogo(Buffer.from(`show("${LOGO}");`), released(`show("${LOGO}")`)[1])],
  ['names no logo', () => withoutLogo(...released('show()'))],
  ['names the logo twice', () => withoutLogo(...released(`show("${LOGO}", "${LOGO}")`))],
])('a bundle that %s is refused', (_, make) => expect(make).toThrow(RedocMissing));
