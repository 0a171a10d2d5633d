import { expect, test } from 'vitest';
import { InvalidPattern } from './invalid.js';
import { matches } from './matches.js';

const event = { source: 'shop', 'detail-type': 'Placed', detail: { amount: 5, tags: ['a', 'b'], name: 'Tea' } };

test.each<[string, Record<string, unknown>, boolean]>([
  ['a value', { source: ['shop', 'other'] }, true],
  ['another value', { source: ['other'] }, false],
  ['all members must fit', { source: ['shop'], 'detail-type': ['Other'] }, false],
  ['one of a list', { detail: { tags: ['b'] } }, true],
  ['prefix', { 'detail-type': [{ prefix: 'Pl' }] }, true],
  ['suffix', { 'detail-type': [{ suffix: 'ed' }] }, true],
  ['exists', { detail: { missing: [{ exists: false }] } }, true],
  ['exists below what is missing', { other: { deep: [{ exists: false }] } }, true],
  ['anything but', { source: [{ 'anything-but': ['shop'] }] }, false],
  ['anything but, of what is missing', { missing: [{ 'anything-but': 'x' }] }, false],
  ['numeric', { detail: { amount: [{ numeric: ['>', 0, '<=', 5] }] } }, true],
  ['wildcard', { detail: { name: [{ wildcard: 'T*a' }] } }, true],
  ['$or', { $or: [{ source: ['x'] }, { detail: { amount: [5] } }] }, true],
])('%s', (_, pattern, fits) => {
  expect(matches(pattern, event)).toBe(fits);
});

test('fields are gone through by their paths, so a later one in the same array narrows no absence before it', () => {
  const things = { d: [{ b: 1 }, { c: 2 }] };
  const exists = (yes: boolean) => [{ exists: yes }];
  expect(matches({ d: { c: exists(true), b: exists(false) } }, things)).toBe(false);
  expect(matches({ d: { c: exists(false), b: exists(true) } }, things)).toBe(true);
});

test.each<[string, Record<string, unknown>, string]>([
  ['an unknown operator', { a: [{ regex: '.*' }] }, 'Unrecognized match type regex'],
  ['a value without a list', { a: 'b' }, '"a" must be an object or an array'],
  ['an empty list', { a: [] }, 'Empty arrays are not allowed'],
  ['an empty object', { a: {} }, 'Empty objects are not allowed'],
  ['two operators at once', { a: [{ prefix: 'b', suffix: 'c' }] }, 'Only one key allowed'],
  ['a prefix that is no text', { a: [{ prefix: 1 }] }, 'prefix match pattern must be a string'],
  ['exists with a text', { a: [{ exists: 'yes' }] }, 'exists match pattern must be either true or false'],
  ['values of two types', { a: [{ 'anything-but': ['b', 1] }] }, 'mixed type is not supported'],
  ['an empty prefix', { a: [{ 'anything-but': { prefix: '' } }] }, 'Null prefix/suffix not allowed'],
  ['anything but a range', { a: [{ 'anything-but': { numeric: ['<', 1] } }] }, 'Unsupported anything-but pattern'],
  ['two wildcards in a row', { a: [{ wildcard: 'b**' }] }, 'Consecutive wildcard'],
  ['an escape of nothing', { a: [{ wildcard: 'b\\c' }] }, 'Invalid escape'],
  ['a comparison without a number', { a: [{ numeric: ['<', '1'] }] }, 'Value of < must be numeric'],
  ['an unknown comparison', { a: [{ numeric: ['~', 1] }] }, 'Unrecognized numeric range operator'],
  ['bounds in the wrong order', { a: [{ numeric: ['>', 5, '<', 1] }] }, 'Bottom must be less than top'],
  ['a range of too many bits', { a: [{ cidr: '10.0.0.0/33' }] }, 'Malformed CIDR'],
  ['one choice alone', { $or: [{ a: ['b'] }] }, 'at least 2 Objects'],
])('a pattern that AWS refuses is an error: %s', (_, pattern, message) => {
  expect(() => matches(pattern, event)).toThrow(InvalidPattern);
  expect(() => matches(pattern, event)).toThrow(message);
});
