import { expect, test } from 'vitest';
import { describeShape, differencesBetween, documentedShape } from '../support/json-shape.js';

const PAGE = `# JSON

## list

    rows[].id        string    of a row
    rows[].note?     string|null
    more             boolean

## show

    row.id           string
`;
const compared = (...values: readonly unknown[]) =>
  differencesBetween(describeShape(values), documentedShape(PAGE, 'list'));

test('the documented shape is the printed one', () => {
  expect(compared({ rows: [{ id: 'a', note: null }, { id: 'b' }], more: false })).toEqual({ missing: [], wrong: [] });
});

test.each([
  ['a field more', { rows: [{ id: 'a', size: 1 }], more: true }, { missing: ['rows[].size  number'], wrong: [] }],
  ['a field less', { rows: [{ id: 'a' }] }, { missing: [], wrong: ['more  boolean'] }],
  ['another type', { rows: [{ id: 7 }], more: true }, { missing: ['rows[].id  number'], wrong: [] }],
  ['absent at times', { rows: [{ id: 'a' }, {}], more: true }, { missing: ['rows[].id?  string'], wrong: [] }],
])('%s is found', (_, value, differences) => expect(compared(value)).toEqual(differences));

test('a tree has the same fields at each depth', () => {
  const tree = { roots: [{ id: 'a', below: [{ id: 'b', below: [] }] }] };
  expect([...describeShape([tree], /\.below\[\]/g).keys()]).toEqual([
    'roots',
    'roots[]',
    'roots[].id',
    'roots[].below',
  ]);
});
