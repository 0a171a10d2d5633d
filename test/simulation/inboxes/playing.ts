import { expect, test } from 'vitest';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import { Deployment } from '../../../packages/simulator/cloud.js';
import { report } from '../../../packages/simulator/search/report.js';
import { type History, playWith, type Scenario } from '../../../packages/simulator/search/scenario.js';
import { singles } from '../../../packages/simulator/search/singles.js';
import { INBOX_BUGS, type InboxBug } from '../planted/inbox-bugs.js';
import { planted } from '../planted/plant.js';
import { effort } from '../support/effort.js';
import { inboxes } from '../support/ground.js';

export const deployment = new Deployment(new Assembly(inboxes.folder));

/** One of so many faults is played; all of them by `npm run simulate -- --singles --scenario inbox-single`. */
const OF = effort({ whole: 24, quick: 120 });

/**
 * Declares tests of scenarios: a share of their single faults, and each planted bug.
 * @param faults minimum number of single faults of each scenario, so that an empty search fails
 */
export function keepPromises(scenarios: readonly Scenario[], faults: number): void {
  test.each(scenarios)('$name keeps its promises with any single fault', async (scenario) => {
    const { runs, broken } = await singles(deployment, scenario, { first: true, share: { part: 0, of: OF } });
    for (const history of broken) expect.fail(report(history, `singles of ${scenario.name}`));
    expect(runs).toBeGreaterThan(faults / OF);
  });

  const bugs = INBOX_BUGS.filter(({ scenario }) => scenarios.some(({ name }) => name === scenario));
  test.each(bugs.map((bug) => [bug.name, bug] as const))('it is found when %s', async (_, bug) => {
    const scenario = scenarios.find(({ name }) => name === bug.scenario) ?? expect.fail(bug.scenario);
    const broken = await planted(inboxes.folder, bug, inboxes.lambdas);
    expect(await firstBroken(broken, scenario, bug)).toBeDefined();
  });
}

/** Plays a scenario with a bug: without a fault, or with each fault of the bug's kind at a runner's call. */
async function firstBroken(broken: Deployment, scenario: Scenario, { by }: InboxBug): Promise<History | undefined> {
  const calm = await playWith(broken, scenario, 'singles');
  if (by === undefined || calm.violations.length > 0) return calm.violations.length > 0 ? calm : undefined;
  for (const { id, kinds } of calm.points) {
    if (!kinds.includes(by) || !/^(Run|Inboxes)/.test(id)) continue;
    const history = await playWith(broken, scenario, 'singles', [{ point: id, kind: by }]);
    if (history.violations.length > 0) return history;
  }
  return undefined;
}
