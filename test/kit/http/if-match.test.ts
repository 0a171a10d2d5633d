import { expect, test } from 'vitest';
import { parseIfMatch } from '../../../packages/kit/http/if-match.js';

test.each([
  ['3', 3],
  ['"3"', 3],
  ['0', 0],
  ['"0"', 0],
  ['999999999', 999_999_999],
  ['"3-9f86d081"', 3],
])('If-Match: %s is version %d', (header, version) => expect(parseIfMatch(header)).toBe(version));

test.each([
  '"1',
  '1"',
  '01',
  '"01"',
  '00',
  '',
  '""',
  '*',
  'W/"1"',
  '-1',
  '1.0',
  '1, 2',
  ' 1',
  '1000000000',
  '"1" ',
  '1-9f86d081',
  '"1-9f86"',
  'W/"1-9f86d081"',
])('If-Match: %j is refused', (header) => expect(() => parseIfMatch(header)).toThrow('invalid-request'));

test('an absent If-Match has no version', () => expect(parseIfMatch(undefined)).toBeUndefined());
