import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allot } from '../../../../lambdas/inventory/domain/allotment.js';

test.each([
  ['all, if nobody knows of a limit', [3, 4], Number.POSITIVE_INFINITY, [true, true]],
  ['first come, first served', [2, 2, 2], 4, [true, true, false]],
  ['a smaller one behind one that is too large', [1, 5, 2], 3, [true, false, true]],
  ['nothing, if nothing is available', [1], 0, [false]],
])('gives pieces to %s', (_, quantities, available, granted) => {
  expect(allot(quantities, available)).toEqual(granted);
});

test('an allotment never gives more than is available, and refuses only what does not fit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 })), fc.nat(200), (quantities, available) => {
      let left = available;
      for (const [at, isGranted] of allot(quantities, available).entries()) {
        const quantity = quantities[at] ?? 0;
        expect(isGranted).toBe(quantity <= left);
        if (isGranted) left -= quantity;
      }
      expect(left).toBeGreaterThanOrEqual(0);
    }),
  );
});
