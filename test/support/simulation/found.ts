import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { History } from '../../../packages/simulator/search/scenario.js';
import { replay, replayOf } from '../../simulation/cli/replay.js';
import type { PlantedBug } from '../../simulation/planted/bug.js';
import { planted } from '../../simulation/planted/plant.js';
import { findGround } from './ground.js';

/** Violation that was found in Orderly, stored as the history that shows it. */
export interface Found {
  readonly name: string;
  /** Arguments of the command that replays it: `--scenario counting --seed 2`. */
  readonly replay: readonly string[];
  readonly story: {
    /** Broken promise, and who would have been affected. */
    readonly broken: string;
    readonly why: string;
    readonly mended: string;
    /** Subject of the commit that fixed it. */
    readonly commit: string;
  };
  /** Name of the broken invariant. */
  readonly promise: string;
  /**
   * Change that reintroduces the fault, so that a test shows that the history still finds it. It is absent if the test would
   * take minutes (a message that is redelivered until its queue drops it).
   */
  readonly back?: NonNullable<PlantedBug['source']>;
}

const FOLDER = fileURLToPath(new URL('../../simulation/found/', import.meta.url));

/** Returns every stored violation, by its file name. */
export const FOUND: readonly Found[] = readdirSync(FOLDER)
  .sort()
  .map((file) => ({
    name: file.replace(/\.json$/, ''),
    ...(JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Omit<Found, 'name'>),
  }));

/** Plays the history of a violation. */
export const playFound = ({ replay: args }: Found): Promise<History> => replay(replayOf(args));

/** Plays it with the fault put back. */
export async function playFoundWith(back: NonNullable<Found['back']>, { name, replay: args }: Found): Promise<History> {
  const { scenario = '' } = replayOf(args);
  const { folder, lambdas } = findGround(scenario);
  return replay(replayOf(args), await planted(folder, { name, scenario, source: back }, lambdas));
}
