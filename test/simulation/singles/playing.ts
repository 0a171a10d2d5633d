import { expect } from 'vitest';
import { deploymentOf } from '../../simulator/cloud.js';
import { report } from '../../simulator/search/report.js';
import type { Scenario } from '../../simulator/search/scenario.js';
import { singles } from '../../simulator/search/singles.js';
import { commandOf } from '../cli/replay.js';
import { prodAssembly } from '../support/assembly.js';

/**
 * Plays a part of a scenario's single faults and fails for a broken promise.
 * @param atLeast histories that there must have been: the search must have had something to search
 */
export async function expectNoneBroken(
  scenario: Scenario,
  share: { readonly part: number; readonly of: number },
  atLeast: number,
): Promise<void> {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), scenario, { share });
  expect(
    broken
      .slice(0, 3)
      .map((history) => report(history, commandOf(history, 'singles')))
      .join('\n\n'),
  ).toBe('');
  expect(runs).toBeGreaterThan(atLeast);
}
