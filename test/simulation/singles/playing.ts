import { expect } from 'vitest';
import { renderReport } from '../../../packages/simulator/search/report.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { commandOf } from '../cli/replay.js';

/**
 * Plays a part of a scenario's single faults and fails for a broken promise.
 * @param atLeast minimum number of histories, so that an empty search fails
 */
export async function expectNoneBroken(
  scenario: Scenario,
  share: { readonly part: number; readonly of: number },
  atLeast: number,
): Promise<void> {
  const { runs, broken } = await playSingleFaults(loadSharedDeployment(prodAssembly()), scenario, { share });
  expect(
    broken
      .slice(0, 3)
      .map((history) => renderReport(history, commandOf(history, 'singles')))
      .join('\n\n'),
  ).toBe('');
  expect(runs).toBeGreaterThan(atLeast);
}
