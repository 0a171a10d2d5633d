import type { Deployment } from '../cloud/cloud.js';
import { Bookmarks } from './bookmarks.js';
import { type History, playSeed, type Scenario } from './scenario.js';
import { shrink } from './shrink.js';
import { playSingleFaults } from './singles.js';

/** The share of a search that one process does. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

export interface CampaignOptions {
  readonly share: Share;
  /** Called after each run. */
  readonly onProgress: (done: number, all: number, broken: number) => void;
  /** Called with a shrunk violation. */
  readonly onViolation: (history: History) => void;
}

/**
 * Plays this process's share of the seeds `from` to `to` of a scenario.
 * @param folder stores the progress, so that a stopped search can continue
 * @returns number of histories that broke a promise
 */
export async function playSeeds(
  deployment: Deployment,
  scenario: Scenario,
  [from, to]: readonly [number, number],
  { share, onProgress, onViolation }: CampaignOptions,
  folder: string,
): Promise<number> {
  const bookmarks = new Bookmarks(folder);
  const mine = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter(
    (seed) => seed % share.of === share.part,
  );
  let broken = 0;
  for (const [at, seed] of mine.entries()) {
    bookmarks.put(share.part, seed);
    const history = await playSeed(deployment, scenario, String(seed));
    if (history.violations.length > 0) {
      broken++;
      onViolation(await shrink(history, (faults) => playSeed(deployment, scenario, String(seed), { only: faults })));
    }
    onProgress(at + 1, mine.length, broken);
  }
  bookmarks.put(share.part, to);
  return broken;
}

/** Plays this process's share of all single faults of a scenario. @returns number of histories that broke a promise */
export async function playEverySingleFault(
  deployment: Deployment,
  scenario: Scenario,
  { share, onProgress, onViolation }: CampaignOptions,
): Promise<number> {
  let count = 0;
  await playSingleFaults(deployment, scenario, {
    share,
    onHistory: (history, done, all) => {
      if (history.violations.length > 0) {
        count++;
        onViolation(history);
      }
      onProgress(done, all, count);
    },
  });
  return count;
}
