import type { Fault } from '../../../packages/simulator/engine/faults.js';
import { type History, playSeed, playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../../packages/simulator/search/singles.js';
import type { Ground } from '../../support/simulation/ground.js';
import type { PlantedBug } from './bug.js';
import { entryPoints, NothingPlanted, planted } from './plant.js';

export interface Finding {
  /** The history that broke a promise; nothing where none did. */
  readonly history: History | undefined;
  /** Histories that it took. */
  readonly runs: number;
}

/** A short cut to a bug: where it is enough to plant it, and the faults that find it there. */
export interface Hint {
  readonly faults: readonly Fault[];
  /** Entry point of the one function that gets the bug. @default every function with its file */
  readonly entry?: string;
  /** Seed of what the scenario does by seed. @default that of the single faults */
  readonly seed?: string;
}

export interface FindOptions {
  /** Tried first. */
  readonly hint?: Hint;
  /** Most single faults to try. @default all */
  readonly singlesAtMost?: number;
  /** Seeds that are played where no single fault finds it. @default 0 */
  readonly seeds?: number;
}

/** Seed of a history that is played with single faults, or without any. */
const SINGLES = 'singles';

/** Looks for a planted bug as one looks for a real one: without a fault, by every single fault, by seeds. */
export async function find(
  ground: Ground,
  bug: PlantedBug,
  { hint, singlesAtMost, seeds = 0 }: FindOptions = {},
): Promise<Finding> {
  const scenario = ground.scenarioCalled(bug.scenario);
  if (hint) {
    const history = await follow(ground, bug, hint);
    if (history.violations.length > 0) return { history, runs: 1 };
  }
  const deployment = await planted(ground.folder, bug, ground.lambdas);
  const { runs, broken } = await playSingleFaults(deployment, scenario, {
    stopAtFirst: true,
    ...(singlesAtMost !== undefined && { maxFaults: singlesAtMost }),
  });
  if (broken[0]) return { history: broken[0], runs };
  for (let seed = 0; seed < seeds; seed++) {
    const history = await playSeed(deployment, scenario, String(seed));
    if (history.violations.length > 0) return { history, runs: runs + seed + 1 };
  }
  return { history: undefined, runs: runs + seeds };
}

/**
 * Looks for the shortest way to a bug that was found: its faults, and one function in which it is enough to plant it.
 * @returns nothing where its faults alone do not find it
 */
export async function shortCut(
  ground: Ground,
  bug: PlantedBug,
  { faults, points, seed: found }: History,
): Promise<Hint | undefined> {
  const functionOf = (point: string): string => point.replace(/ call \d+$/, '');
  const labels = [...faults.map(({ point }) => point), ...points.map(({ id }) => id)].map(functionOf);
  const entries = bug.source ? entryPoints(ground.folder, labels) : [];
  const seed = found === SINGLES ? {} : { seed: found };
  for (const hint of [...entries.map((entry) => ({ faults, entry, ...seed })), { faults, ...seed }]) {
    const found = await follow(ground, bug, hint).catch((error: unknown) => {
      if (error instanceof NothingPlanted) return undefined;
      throw error;
    });
    if (found && found.violations.length > 0) return hint;
  }
  return undefined;
}

/** Plays the one history of a hint. */
async function follow(ground: Ground, bug: PlantedBug, { faults, entry, seed = SINGLES }: Hint): Promise<History> {
  const { source } = bug;
  // A bug whose own filter leaves the entry point out changes nothing there.
  if (entry && source?.only && !source.only.test(entry)) throw new NothingPlanted(entry);
  const inOne = source && entry ? { ...bug, source: { ...source, only: new RegExp(`^${entry}$`) } } : bug;
  const deployment = await planted(ground.folder, inOne, ground.lambdas);
  return playWithFaults(deployment, ground.scenarioCalled(bug.scenario), seed, faults);
}
