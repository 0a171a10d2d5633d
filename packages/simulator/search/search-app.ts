import type { Deployment } from '../cloud/cloud.js';
import type { FaultKind } from '../engine/faults.js';
import { KINDS } from './explain.js';
import { type BrokenHistory, describeBroken } from './findings.js';
import { type History, playSeed, playWithFaults, type Scenario } from './scenario.js';
import { shrink } from './shrink.js';
import { playSingleFaults } from './singles.js';

export interface SearchOptions {
  /** Share of the histories that this process plays. */
  readonly share: { readonly part: number; readonly of: number };
  /** Histories with random faults. */
  readonly seeds: number;
  /** Time at which the search ends, milliseconds since 1970. @default when all is played */
  readonly until?: number | undefined;
  /** Kinds of faults that nobody wants to hear of. */
  readonly without: readonly FaultKind[];
  readonly onProgress: (done: number, all: number, broken: number) => void;
}

export interface SearchResult {
  readonly histories: number;
  readonly broken: readonly BrokenHistory[];
}

/** Thrown to end a search whose time is over. */
class TimeIsOver extends Error {}

/**
 * Plays a scenario with every single fault, and then with random faults. Unlike `checkScenario` it doesn't end at the first history that breaks
 * a promise: an app breaks in several ways.
 */
export async function searchApp(
  deployment: Deployment,
  scenario: Scenario,
  { share, seeds, until = Number.POSITIVE_INFINITY, without: unwanted, onProgress }: SearchOptions,
): Promise<SearchResult> {
  const without = [...unwanted, ...(scenario.impossible ?? [])];
  const broken: BrokenHistory[] = [];
  let histories = 0;
  const kinds = (Object.keys(KINDS) as FaultKind[]).filter((kind) => !without.includes(kind));
  try {
    await playSingleFaults(deployment, scenario, {
      kinds,
      share,
      onHistory: (history, done, all) => {
        histories++;
        if (history.violations.length > 0) broken.push(describeBroken(history, false));
        onProgress(done, all + seeds, broken.length);
        if (Date.now() > until) throw new TimeIsOver();
      },
    });
    // Broken without any fault: each other history would only say the same.
    if (broken.some(({ faults }) => faults.length === 0)) return { histories, broken };
    for (let seed = share.part; seed < seeds && Date.now() <= until; seed += share.of) {
      const history = await playSeed(deployment, scenario, String(seed));
      histories++;
      const wanted = history.faults.filter(({ kind }) => !without.includes(kind));
      if (history.violations.length > 0)
        broken.push(
          ...(await shrinkWanted(
            deployment,
            scenario,
            history,
            wanted.length < history.faults.length ? wanted : undefined,
          )),
        );
      onProgress(seed + 1, seeds, broken.length);
    }
  } catch (error) {
    if (!(error instanceof TimeIsOver)) throw error;
  }
  return { histories, broken };
}

/** Shrinks a history. @param only its faults without those that are unwanted; nothing comes back if these don't break a promise */
async function shrinkWanted(
  deployment: Deployment,
  scenario: Scenario,
  history: History,
  only: History['faults'] | undefined,
): Promise<readonly BrokenHistory[]> {
  const play = (faults: History['faults']): Promise<History> =>
    playSeed(deployment, scenario, history.seed, { only: faults });
  const found = only ? await play(only) : history;
  if (found.violations.length === 0) return [];
  return [describeBroken(await shrink(found, play), true)];
}

/** Plays a broken history again. */
export const playAgain = (
  deployment: Deployment,
  scenario: Scenario,
  { seed, bySeed, faults }: Pick<BrokenHistory, 'seed' | 'bySeed' | 'faults'>,
): Promise<History> =>
  bySeed ? playSeed(deployment, scenario, seed, { only: faults }) : playWithFaults(deployment, scenario, seed, faults);
