import { expect, test } from 'vitest';
import { matches, PatternNotModelled } from './event-pattern.js';

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

test('an operator that is not modelled is an error, not a guess', () => {
  expect(() => matches({ source: [{ cidr: '10.0.0.0/8' }] }, event)).toThrow(PatternNotModelled);
});
