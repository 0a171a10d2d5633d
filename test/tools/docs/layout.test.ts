import { expect, test } from 'vitest';
import { asJson } from '../../../tools/docs/layout.js';

test.each([
  ['one that fits stands in one line', { a: [1, 'two'], b: {}, c: [] }, '{ "a": [1, "two"], "b": {}, "c": [] }'],
  [
    'one that does not fit has a line for each member, which may fit',
    { a: ['x'.repeat(100)], b: { c: null, d: true } },
    `{\n  "a": ["${'x'.repeat(100)}"],\n  "b": { "c": null, "d": true }\n}`,
  ],
  ['120 characters fit', ['x'.repeat(116)], `["${'x'.repeat(116)}"]`],
  ['121 characters do not fit', ['x'.repeat(117)], `[\n  "${'x'.repeat(117)}"\n]`],
  [
    'the comma behind a member counts',
    [['x'.repeat(113)], ['x'.repeat(114)], ['x'.repeat(114)]],
    `[\n  ["${'x'.repeat(113)}"],\n  [\n    "${'x'.repeat(114)}"\n  ],\n  ["${'x'.repeat(114)}"]\n]`,
  ],
  ['what JSON leaves out is left out', { a: undefined, b: 1 }, '{ "b": 1 }'],
])('%s', (_, value, text) => expect(asJson(value)).toBe(`${text}\n`));
