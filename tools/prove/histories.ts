import type { Scenario } from '../../packages/simulator/search/scenario.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../../test/support/simulation/app-code.js';
import { ALL_SCENARIOS, findGround } from '../../test/support/simulation/ground.js';
import { countBroken, countHistories, KindCounts } from './counts.js';
import { draw } from './draw.js';
import { beginRun, keepPart, type Run, readRecord, type ScenarioResult } from './record.js';

/** Single faults of a scenario that are played in any case. */
const AT_LEAST = 5;

/**
 * Plays single faults of the scenarios, and writes into the record how many of each kind.
 * @param seconds of processor time for each scenario
 * @param minutes budget of all. @default no limit
 * @param continues whether scenarios that the run before has played with the same budget are not played again, unless a promise
 *   was broken. @default false
 * @returns number of histories that broke a promise
 */
export async function proveHistories(
  seconds: number,
  minutes = Number.POSITIVE_INFINITY,
  continues = false,
): Promise<number> {
  const begun = performance.now();
  const earlier = continues ? readRecord().histories : undefined;
  const before = earlier?.budget === seconds ? earlier : undefined;
  const run = beginRun('', before?.run);
  const results = (before?.results ?? []).filter(isSound);
  const known = new Set(results.map(({ scenario }) => scenario));
  const scenarios = draw(ALL_SCENARIOS, ALL_SCENARIOS.length, 'histories').filter(({ name }) => !known.has(name));
  for (const scenario of scenarios) {
    if (performance.now() - begun > minutes * 60_000) break;
    const result = await playScenario(scenario, seconds);
    results.push(result);
    keep(run, results, seconds);
    console.log(`${results.length} of ${ALL_SCENARIOS.length}: ${scenario.name}, ${countHistories(result)} histories`);
  }
  return results.reduce((sum, result) => sum + countBroken(result), 0);
}

/** Whether a result is of a scenario that still exists, and no history of it broke a promise. */
const isSound = (result: ScenarioResult): boolean =>
  countBroken(result) === 0 && ALL_SCENARIOS.some(({ name }) => name === result.scenario);

function keep(run: Run, results: readonly ScenarioResult[], seconds: number): void {
  const without = ALL_SCENARIOS.length - results.length;
  const faults = `single faults beyond ${seconds} seconds of processor time for each scenario, in an order that is drawn by a seed`;
  const leftOut = `${faults}${without > 0 ? `; ${without} of ${ALL_SCENARIOS.length} scenarios` : ''}. \`npm run simulate -- --singles --scenario <name>\` plays all.`;
  const sorted = results.toSorted((one, other) => (one.scenario < other.scenario ? -1 : 1));
  keepPart('histories', { run: { ...run, leftOut }, budget: seconds, results: sorted });
}

async function playScenario(scenario: Scenario, budget: number): Promise<ScenarioResult> {
  const { folder, lambdas } = findGround(scenario.name);
  const deployment = loadSharedDeployment(folder, lambdas);
  const begun = process.cpuUsage();
  const seconds = (): number => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000_000;
  };
  const calm = await playWithFaults(deployment, scenario, 'singles');
  const possible = calm.points.reduce((sum, { kinds }) => sum + kinds.length, 0);
  const maxFaults = Math.max(AT_LEAST, Math.floor(budget / seconds()));
  const byKind = new KindCounts();
  byKind.add(calm);
  if (calm.violations.length === 0)
    await playSingleFaults(deployment, scenario, { maxFaults, onHistory: (history) => byKind.add(history) });
  return { scenario: scenario.name, possible, byKind: byKind.sorted(), seconds: Math.round(seconds() * 10) / 10 };
}
