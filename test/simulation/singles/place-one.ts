import { test } from 'vitest';
import { placeOne } from '../scenarios/place-one.js';
import { effort } from '../support/effort.js';
import { expectNoneBroken } from './playing.js';

/** A file plays one part, so that both cores have some. */
export const PARTS = 4;

/**
 * Declares the test of one part of the single faults of placing and cancelling an order. Every eighth one is played, about 150;
 * `npm run simulate -- --singles --scenario place-one` plays all.
 */
export function playPart(part: number): void {
  const of = PARTS * effort({ whole: 8, quick: 40 });
  test(`no single fault at a point of placing and cancelling an order breaks a promise (part ${part + 1} of ${of})`, () =>
    expectNoneBroken(placeOne, { part, of }, 1_000 / of));
}
