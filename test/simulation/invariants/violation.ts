import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts } from '../../support/simulation/facts.js';

/** A check of one or more promises against a history. */
export type Check = (facts: Facts) => readonly Violation[];

/** @param invariant the broken promise @param about text in the trace lines about it: an order's id */
export const violation = (invariant: string, detail: string, about?: string): Violation => ({
  invariant,
  detail,
  ...(about === undefined ? {} : { about }),
});
