import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts } from '../support/facts.js';

/** One or more promises, held against a history. */
export type Check = (facts: Facts) => readonly Violation[];

/** @param invariant the promise that is broken @param about text that the lines about it hold: an order's id */
export const violation = (invariant: string, detail: string, about?: string): Violation => ({
  invariant,
  detail,
  ...(about === undefined ? {} : { about }),
});
