import type { Fault } from '../../../packages/simulator/aws/faults.js';
import { type History, playSeed, playWith } from '../../../packages/simulator/search/scenario.js';
import { singles } from '../../../packages/simulator/search/singles.js';
import type { Ground } from '../support/ground.js';
import type { PlantedBug } from './bugs.js';
import { planted } from './plant.js';

export interface Finding {
  /** The history that broke a promise; nothing where none did. */
  readonly history: History | undefined;
  /** Histories that it took. */
  readonly runs: number;
}

export interface FindOptions {
  /** Faults that found it before, tried first. */
  readonly hint?: readonly Fault[];
  /** Seeds that are played where no single fault finds it. @default 0 */
  readonly seeds?: number;
}

/** Looks for a planted bug as one looks for a real one: without a fault, by every single fault, by seeds. */
export async function find(ground: Ground, bug: PlantedBug, { hint, seeds = 0 }: FindOptions = {}): Promise<Finding> {
  const deployment = await planted(ground.folder, bug, ground.lambdas);
  const scenario = ground.scenarioCalled(bug.scenario);
  if (hint) {
    const history = await playWith(deployment, scenario, 'singles', hint);
    if (history.violations.length > 0) return { history, runs: 1 };
  }
  const { runs, broken } = await singles(deployment, scenario, { first: true });
  if (broken[0]) return { history: broken[0], runs };
  for (let seed = 0; seed < seeds; seed++) {
    const history = await playSeed(deployment, scenario, String(seed));
    if (history.violations.length > 0) return { history, runs: runs + seed + 1 };
  }
  return { history: undefined, runs: runs + seeds };
}
