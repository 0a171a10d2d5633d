import type { Scenario } from '../../../packages/simulator/search/scenario.js';

/** Behind the name of any scenario: the same while messages and events are lost. */
const LOSSES = ':losses';

/** Highest probability of a fault, at each chance. */
const MOST_FAULTS = 0.01;

/**
 * A scenario while messages and events are lost on their way. The delivery audit runs, and sends them again; the same promises
 * hold in the end.
 */
export const withLosses = (scenario: Scenario): Scenario => ({
  ...scenario,
  name: scenario.name + LOSSES,
  // A run of the audit has a hundred calls and more, and each of them may end it.
  faultProbability: Math.min(scenario.faultProbability ?? 1, MOST_FAULTS),
  conditions: { ...scenario.conditions, losses: true },
});

/** @returns the scenario without losses of a name with them; `undefined` for another name */
export const withoutLosses = (name: string): string | undefined =>
  name.endsWith(LOSSES) ? name.slice(0, -LOSSES.length) : undefined;
