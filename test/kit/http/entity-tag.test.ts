import { expect, test } from 'vitest';
import { computeEntityTag, matchesTag } from '../../../packages/kit/http/entity-tag.js';

const TAG = '"3-9f86d081"';

test('a tag has the version, and a hash that tells bodies of one version apart', () => {
  expect(computeEntityTag(3, 'test')).toBe(TAG);
  expect(computeEntityTag(3, 'forgotten')).toMatch(/^"3-[0-9a-f]{8}"$/);
  expect(computeEntityTag(3, 'forgotten')).not.toBe(TAG);
});

test.each([TAG, `W/${TAG}`, `"other", ${TAG}`, `"a,b", W/"c" ,${TAG}, "d"`, '*', ' * '])(
  'If-None-Match: %s names the tag',
  (header) => expect(matchesTag(header, TAG)).toBe(true),
);

test.each(['"3"', '"3-00000000"', '3-9f86d081', '', '"*"', `"x${TAG.slice(1)}`, '"*", "3"'])(
  'If-None-Match: %j does not name the tag',
  (header) => expect(matchesTag(header, TAG)).toBe(false),
);

test('a request without If-None-Match gets the body', () => expect(matchesTag(undefined, TAG)).toBe(false));
