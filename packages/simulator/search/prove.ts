import { loadDeployment } from '../cloud/cloud.js';
import { renderReport } from './report.js';
import { type History, playSeed, playWithFaults, type Scenario } from './scenario.js';
import { shrink } from './shrink.js';
import { playSingleFaults } from './singles.js';

export interface CheckScenarioOptions {
  /** Histories with random faults. @default 50 */
  readonly seeds?: number;
  /** Command that plays it again, for the report. @default npm test */
  readonly command?: string;
  /** @default console.log */
  readonly say?: (text: string) => void;
}

/** Where scenarios are put while a command only wants to know them. One symbol, since a command and a file may have two copies of this package. */
const COLLECTED = Symbol.for('@orderly/simulator collected scenarios');
const shared = globalThis as { [COLLECTED]?: Scenario[] | undefined };

/** Returns the scenarios that `checkScenario` gets while something is done; they are not played. */
export async function collectScenarios(something: () => Promise<unknown>): Promise<readonly Scenario[]> {
  const collected: Scenario[] = [];
  shared[COLLECTED] = collected;
  try {
    await something();
    return collected;
  } finally {
    shared[COLLECTED] = undefined;
  }
}

/**
 * Plays a scenario without a fault, with every single fault, and with random faults. It prints the first history that
 * breaks a promise, with the fewest faults that still break it, and sets the exit code of the process to 1.
 * @param folder cloud assembly, as `cdk synth` writes it
 * @returns whether every promise was kept
 * @example
 * await checkScenario('cdk.out', scenario);
 */
export async function checkScenario(
  folder: string,
  scenario: Scenario,
  { seeds = 50, command = 'npm test', say = console.log }: CheckScenarioOptions = {},
): Promise<boolean> {
  if (shared[COLLECTED]) {
    shared[COLLECTED].push(scenario);
    return true;
  }
  const deployment = loadDeployment(folder);
  // Played twice, so that functions whose modules keep something get new environments in each history.
  for (let time = 0; time < 2; time++) await playWithFaults(deployment, scenario, 'singles');
  const single = await playSingleFaults(deployment, scenario, { stopAtFirst: true });
  let [broken]: readonly (History | undefined)[] = single.broken;
  let runs = single.runs + 2;
  for (let seed = 0; seed < seeds && !broken; seed++, runs++) {
    const play = (only?: History['faults']) => playSeed(deployment, scenario, String(seed), only ? { only } : {});
    const history = await play();
    if (history.violations.length > 0) broken = await shrink(history, play);
  }
  if (broken) say(renderReport(broken, command));
  if (!deployment.recycles)
    say(
      'Modules of some functions keep something between invocations: each history has new environments, and takes longer.',
    );
  say(`${scenario.name}: ${runs} histories, ${broken ? 'a promise is broken' : 'every promise is kept'}`);
  if (broken) process.exitCode = 1;
  return !broken;
}
