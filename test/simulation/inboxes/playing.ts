import { expect, test } from 'vitest';
import { renderReport } from '../../../packages/simulator/search/report.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { effort } from '../../support/simulation/effort.js';
import { inboxes } from '../../support/simulation/ground.js';
import { BUGS } from '../planted/bugs.js';
import { find } from '../planted/find.js';
import { HINTS } from '../planted/hints.js';

export const deployment = loadSharedDeployment(inboxes.folder, inboxes.lambdas);

/** One of so many faults is played; all of them by `npm run simulate -- --singles --scenario inbox-single`. */
const OF = effort({ whole: 200, quick: 300 });

/**
 * Declares tests of scenarios: a share of their single faults, and each planted bug.
 * @param faults minimum number of single faults of each scenario, so that an empty search fails
 */
export function keepPromises(scenarios: readonly Scenario[], faults: number): void {
  test.each(scenarios)('$name keeps its promises with any single fault', async (scenario) => {
    const { runs, broken } = await playSingleFaults(deployment, scenario, {
      stopAtFirst: true,
      share: { part: 0, of: OF },
    });
    for (const history of broken) expect.fail(renderReport(history, `singles of ${scenario.name}`));
    expect(runs).toBeGreaterThan(faults / OF);
  });

  const bugs = BUGS.filter(({ scenario }) => scenarios.some(({ name }) => name === scenario));
  test.each(bugs.map((bug) => [bug.name, bug] as const))('it is found when %s', async (name, bug) => {
    const { history } = await find(inboxes, bug, { hint: HINTS[name] ?? { faults: [] } });
    expect(history?.violations ?? []).not.toEqual([]);
  });
}
