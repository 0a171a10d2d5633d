import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../../../packages/simulator/cloud.js';
import type { History } from '../../../packages/simulator/search/scenario.js';
import { replay, replayOf } from '../cli/replay.js';
import type { PlantedBug } from '../planted/bugs.js';

/** A violation that was found in Orderly once, kept as the history that shows it. */
export interface Found {
  readonly name: string;
  /** Arguments of the command that plays it: `--scenario counting --seed 2`. */
  readonly replay: readonly string[];
  readonly story: {
    /** Which promise was broken, as whom it would have hit. */
    readonly broken: string;
    readonly why: string;
    readonly mended: string;
    /** Subject of the commit that mended it. */
    readonly commit: string;
  };
  /** The promise that it broke: the invariant's name. */
  readonly promise: string;
  /**
   * The change that puts the fault back, to see that the history still finds it; absent where that would take minutes (a
   * message that circles until its queue ends it).
   */
  readonly back?: NonNullable<PlantedBug['source']>;
}

const FOLDER = fileURLToPath(new URL('../found/', import.meta.url));

/** Every violation that is kept, by the name of its file. */
export const FOUND: readonly Found[] = readdirSync(FOLDER)
  .sort()
  .map((file) => ({
    name: file.replace(/\.json$/, ''),
    ...(JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Omit<Found, 'name'>),
  }));

/** Plays its history in a deployment. */
export const playFound = (deployment: Deployment, found: Found): Promise<History> =>
  replay(deployment, replayOf(found.replay));
