import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { APPROVED_STORED, findStoredFaults, type StoredShape, storedStates } from '../support/stored-states.js';

test('each stored state, and each copy of another service, has its approved shape', async () => {
  expect(findStoredFaults(JSON.parse(readFileSync(APPROVED_STORED, 'utf8')), await storedStates())).toEqual([]);
});

describe('a stored item', () => {
  const shape: StoredShape = { fields: { pk: 'string', status: 'string' } };
  const renamed: StoredShape = { fields: { pk: 'string', state: 'string' } };
  const faults = (before: StoredShape, now: StoredShape) => findStoredFaults({ copy: before }, { copy: now });

  test('an item that is as approved is accepted', () => expect(faults(shape, shape)).toEqual([]));
  test.each([
    ['with a renamed field', shape, renamed, /^copy: status, state changed\. Deployed tables keep/],
    ['under the same number', { ...shape, schema: 2 }, { ...renamed, schema: 2 }, /schema is 2 as before: raise it/],
    [
      'under a new number',
      { ...shape, schema: 2 },
      { ...renamed, schema: 3 },
      /schema is 3 instead of 2.*npm run docs/,
    ],
    ['of another number only', { ...shape, schema: 2 }, { ...shape, schema: 3 }, /no field changed, and schema is 3/],
  ])('%s is refused', (_, before, now, fault) => expect(faults(before, now)).toEqual([expect.stringMatching(fault)]));
});
