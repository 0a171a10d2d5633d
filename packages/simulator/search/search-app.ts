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
  /** Tells whether the search ends before all is played. @default it doesn't */
  readonly isOver?: () => boolean;
  /** Kinds of faults that nobody wants to hear of. */
  readonly without: readonly FaultKind[];
  readonly onProgress: (progress: Progress) => void;
}

/** How far the search of a scenario is. */
export interface Progress {
  /** Name of the scenario. */
  readonly scenario: string;
  readonly done: number;
  readonly all: number;
  readonly broken: number;
}

export interface SearchResult {
  /** Name of the scenario. */
  readonly scenario: string;
  readonly histories: number;
  /** Histories that a whole search has; at least those that were played. */
  readonly all: number;
  readonly broken: readonly BrokenHistory[];
}

/** Thrown to end a search before all is played. */
class SearchIsOver extends Error {}

/**
 * Plays a scenario with every single fault, and then with random faults. Unlike `checkScenario` it doesn't end at the first history that breaks
 * a promise: an app breaks in several ways.
 */
export async function searchApp(
  deployment: Deployment,
  scenario: Scenario,
  { share, seeds, isOver = () => false, without: unwanted, onProgress }: SearchOptions,
): Promise<SearchResult> {
  const without = [...unwanted, ...(scenario.impossible ?? [])];
  const broken: BrokenHistory[] = [];
  const seedsOfShare = Math.max(0, Math.ceil((seeds - share.part) / share.of));
  let histories = 0;
  let all = 0;
  const name = scenario.name;
  const result = (): SearchResult => ({ scenario: name, histories, all: Math.max(all, histories), broken });
  const onPlayed = (): void => onProgress({ scenario: name, done: histories, all, broken: broken.length });
  const kinds = (Object.keys(KINDS) as FaultKind[]).filter((kind) => !without.includes(kind));
  try {
    await playSingleFaults(deployment, scenario, {
      kinds,
      share,
      onFaults: (faults) => {
        all = faults.length + seedsOfShare;
      },
      onHistory: (history) => {
        histories++;
        if (history.violations.length > 0) broken.push(describeBroken(history, false));
        onPlayed();
        if (isOver()) throw new SearchIsOver();
      },
    });
    // Broken without any fault: each other history would only say the same.
    if (broken.some(({ faults }) => faults.length === 0)) return result();
    for (let seed = share.part; seed < seeds && !isOver(); seed += share.of) {
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
      onPlayed();
    }
  } catch (error) {
    if (!(error instanceof SearchIsOver)) throw error;
  }
  return result();
}

/** Which scenarios are searched, and for how long. */
export interface ScenariosOptions extends Omit<SearchOptions, 'isOver'> {
  /** Milliseconds for all scenarios. What one doesn't need is for those after it. @default until all is played */
  readonly time?: number | undefined;
  /** Ends the search of all scenarios. */
  readonly signal?: AbortSignal | undefined;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Searches one scenario after the other. Each has the same share of the time. */
export async function searchScenarios(
  deployment: Deployment,
  scenarios: readonly Scenario[],
  { time = Number.POSITIVE_INFINITY, signal, now = Date.now, ...options }: ScenariosOptions,
): Promise<readonly SearchResult[]> {
  const end = now() + time;
  const results: SearchResult[] = [];
  for (const [at, scenario] of scenarios.entries()) {
    if (signal?.aborted) break;
    const begin = now();
    const until = begin + (end - begin) / (scenarios.length - at);
    const isOver = (): boolean => (signal?.aborted ?? false) || now() > until;
    results.push(await searchApp(deployment, scenario, { ...options, isOver }));
  }
  return results;
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
