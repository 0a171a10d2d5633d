import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Deployment } from '../cloud.js';
import { type History, playSeed, type Scenario } from './scenario.js';
import { shrink } from './shrink.js';
import { singles } from './singles.js';

/** Which part of a search one process does. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

export interface CampaignOptions {
  readonly share: Share;
  /** Called after each run. */
  readonly progress: (done: number, all: number, broken: number) => void;
  /** A violation, shrunk. */
  readonly found: (history: History) => void;
  /** Asked between two runs: whether to end early. */
  readonly stopped: () => boolean;
  /** Where the next seed is kept, so that a search goes on where it was stopped. */
  readonly bookmark?: string;
}

/** Plays seeds `from` to `to` of a scenario, this process's share of them. @returns how many broke a promise */
export async function seeds(
  deployment: Deployment,
  scenario: Scenario,
  [from, to]: readonly [number, number],
  { share, progress, found, stopped, bookmark }: CampaignOptions,
): Promise<number> {
  let broken = 0;
  const begin = Math.max(from, bookmark === undefined ? from : readBookmark(bookmark));
  for (let seed = begin; seed < to && !stopped(); seed++) {
    if (seed % share.of !== share.part) continue;
    const history = await playSeed(deployment, scenario, String(seed));
    if (history.violations.length > 0) {
      broken++;
      found(await shrink(history, (faults) => playSeed(deployment, scenario, String(seed), { only: faults })));
    }
    if (bookmark !== undefined) writeBookmark(bookmark, seed + 1);
    progress(seed - from + 1, to - from, broken);
  }
  return broken;
}

/** Every single fault of a scenario, this process's share of them. @returns how many broke a promise */
export async function everySingle(
  deployment: Deployment,
  scenario: Scenario,
  { share, progress, found, stopped }: CampaignOptions,
): Promise<number> {
  let count = 0;
  await singles(deployment, scenario, {
    share,
    stopped,
    each: (history, done, all) => {
      if (history.violations.length > 0) {
        count++;
        found(history);
      }
      progress(done, all, count);
    },
  });
  return count;
}

function readBookmark(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

function writeBookmark(file: string, seed: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, String(seed));
}
