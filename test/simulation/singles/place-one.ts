import { test } from 'vitest';
import { effort } from '../../support/simulation/effort.js';
import { placeOne } from '../scenarios/place-one.js';
import { expectNoneBroken } from './playing.js';

/** Number of parts. Each file plays one part, so that all cores are used. */
export const PARTS = 2;

/**
 * Declares the test of one part of the single faults of placing and cancelling an order. It plays every 36th one, about 35.
 * `npm run simulate -- --singles --scenario place-one` plays all.
 */
export function playPart(part: number): void {
  const of = PARTS * effort({ whole: 36, quick: 60 });
  test(`a single fault while an order is placed and cancelled breaks no promise (part ${part + 1} of ${of})`, () =>
    expectNoneBroken(placeOne, { part, of }, 1_000 / of));
}
