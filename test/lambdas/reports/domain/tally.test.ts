import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RejectionReason } from '../../../../lambdas/orders/contract.js';
import {
  type Counted,
  parseTally,
  readCounts,
  serializeTally,
  sumTallies,
  tallyEvents,
} from '../../../../lambdas/reports/domain/tally.js';
import { cancelled, charged, placed, refunded, rejected } from '../counted.js';

const currency = fc.constantFrom('EUR', 'USD');
const amount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const event: fc.Arbitrary<Counted['event']> = fc.oneof(
  fc.array(fc.constantFrom('TEA-1', 'CUP-1', 'a/b'), { minLength: 1, maxLength: 3 }).map((skus) => placed(...skus)),
  fc.constant({ type: 'OrderApproved', data: { orderId: 'o' } } as const),
  fc.constantFrom(...RejectionReason.options).map(rejected),
  fc.boolean().map(cancelled),
  fc
    .tuple(amount, currency, fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined }))
    .map((one) => charged(...one)),
  fc.tuple(amount, currency).map((one) => refunded(...one)),
);
const counted: fc.Arbitrary<Counted> = fc
  .tuple(event, fc.option(fc.constantFrom('2026-01-04', '2026-01-05'), { nil: undefined }))
  .map(([one, lateFrom]) => ({ event: one, ...(lateFrom === undefined ? {} : { lateFrom }) }));

describe('a tally', () => {
  test('a tally has the same bytes, in whatever order and in whatever pages its events are counted', () => {
    const pages = fc.array(fc.tuple(counted, fc.integer({ min: 0, max: 3 })), { maxLength: 20 });
    fc.assert(
      fc.property(pages, fc.boolean(), (events, reverse) => {
        const whole = tallyEvents(events.map(([one]) => one));
        const shuffled = reverse ? events.toReversed() : events;
        const parts = [3, 1, 0, 2].map((page) =>
          tallyEvents(shuffled.flatMap(([one, on]) => (on === page ? [one] : []))),
        );
        // As the pages are stored.
        const stored = parts.map((part) => parseTally(serializeTally(part)));
        expect(serializeTally(sumTallies(stored))).toBe(serializeTally(whole));
      }),
      { numRuns: 60 },
    );
  });

  test('a tally has exact sums, also above what a number holds', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const tally = tallyEvents([most, most, 1].map((one) => ({ event: charged(one, 'EUR') })));
    expect(readCounts(tally, 'gross')).toEqual([['EUR', 18014398509481983n]]);
  });
});
