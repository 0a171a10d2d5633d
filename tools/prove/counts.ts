import type { ScenarioResult } from './record.js';

const total = ({ byKind }: ScenarioResult, what: 'histories' | 'broken'): number =>
  Object.values(byKind).reduce((sum, counts) => sum + counts[what], 0);

/** Returns the number of histories of a scenario, with the one without a fault. */
export const countHistories = (result: ScenarioResult): number => total(result, 'histories');

/** Returns the number of histories of a scenario that broke a promise. */
export const countBroken = (result: ScenarioResult): number => total(result, 'broken');
