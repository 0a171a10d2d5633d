import type { History, Scenario } from '../../packages/simulator/search/scenario.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../../test/support/simulation/app-code.js';
import { ALL_SCENARIOS, findGround } from '../../test/support/simulation/ground.js';
import { countBroken, countHistories } from './counts.js';
import { beginRun, keepPart, type ScenarioResult } from './record.js';

/** Single faults of a scenario that are played in any case. */
const AT_LEAST = 5;

/**
 * Plays single faults of each scenario, and writes into the record how many of each kind.
 * @param budget seconds for each scenario
 * @returns number of histories that broke a promise
 */
export async function proveHistories(budget: number): Promise<number> {
  const run = beginRun(
    `Single faults beyond ${budget} seconds for each scenario, in an order that is drawn by a seed; \`npm run simulate -- --singles --scenario <name>\` plays all.`,
  );
  const results: ScenarioResult[] = [];
  for (const [at, scenario] of ALL_SCENARIOS.entries()) {
    const result = await playScenario(scenario, budget);
    results.push(result);
    console.log(
      `${at + 1} of ${ALL_SCENARIOS.length} scenarios: ${scenario.name}, ${countHistories(result)} histories`,
    );
  }
  keepPart('histories', { run, results });
  return results.reduce((sum, result) => sum + countBroken(result), 0);
}

async function playScenario(scenario: Scenario, budget: number): Promise<ScenarioResult> {
  const { folder, lambdas } = findGround(scenario.name);
  const deployment = loadSharedDeployment(folder, lambdas);
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const calm = await playWithFaults(deployment, scenario, 'singles');
  const possible = calm.points.reduce((sum, { kinds }) => sum + kinds.length, 0);
  const maxFaults = Math.max(AT_LEAST, Math.floor(budget / seconds()));
  const byKind = new KindCounts();
  byKind.add(calm);
  if (calm.violations.length === 0)
    await playSingleFaults(deployment, scenario, { maxFaults, onHistory: (history) => byKind.add(history) });
  return { scenario: scenario.name, possible, byKind: byKind.sorted(), seconds: Math.round(seconds() * 10) / 10 };
}

/** Counts histories by the kind of their fault. */
export class KindCounts {
  private readonly counts = new Map<string, { histories: number; broken: number }>();

  add({ faults, violations }: Pick<History, 'faults' | 'violations'>): void {
    const kind = faults[0]?.kind ?? 'none';
    const before = this.counts.get(kind) ?? { histories: 0, broken: 0 };
    const broken = before.broken + Number(violations.length > 0);
    this.counts.set(kind, { histories: before.histories + 1, broken });
  }

  /** Returns the counts, by the names of the kinds. */
  sorted(): ScenarioResult['byKind'] {
    return Object.fromEntries([...this.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}
