import type { Cell, HistoryHappening, OpenedHistory } from '@orderly/console';
import type { Deployment } from '../cloud/cloud.js';
import { type Fault, type FaultPoint, ownerOf } from '../engine/faults.js';
import type { Happened, Happenings } from '../engine/happenings.js';
import { type History, playWithFaults, type Scenario } from '../search/scenario.js';
import { shrink } from '../search/shrink.js';
import { playSingleFaults } from '../search/singles.js';

/** Seed of the histories of single faults. */
const SEED = 'singles';

/** Kinds of happenings from which the picture of a history is made. */
const SHOWN = ['delivery', 'fault', 'time'];

/** Receives what a search does. Each method may return a promise, for which the search waits. */
export interface SearchListener {
  /** @param cells of the wall, in its order */
  readonly onCells: (cells: readonly Cell[]) => void;
  /** @param at index of the cell @param broken promises that its history broke */
  readonly onPlayed: (at: number, broken: readonly string[]) => unknown;
  /** Called instead of the others if the history without a fault breaks a promise. */
  readonly onCalmBroken: (broken: readonly string[]) => void;
}

/** Plays every single fault of a scenario, in an order of chance. An exception of the listener ends it. */
export async function searchWall(
  deployment: Deployment,
  scenario: Scenario,
  { onCells, onPlayed, onCalmBroken }: SearchListener,
): Promise<void> {
  let indices: ReadonlyMap<string, number> = new Map();
  await playSingleFaults(deployment, scenario, {
    seed: SEED,
    onFaults: (faults, { points }) => {
      const cells = toCells(faults, points);
      indices = new Map(cells.map((cell, at) => [keyOf(cell), at]));
      onCells(cells);
    },
    onHistory: (history) => {
      const broken = brokenBy(history);
      const [fault] = history.faults;
      const at = fault && indices.get(keyOf(fault));
      if (at === undefined) return onCalmBroken(broken);
      return onPlayed(at, broken);
    },
  });
}

/** Returns the cells of faults: those of one construct together, in the order of the history. */
export function toCells(faults: readonly Fault[], points: readonly FaultPoint[]): readonly Cell[] {
  const owners = [...new Set(points.map(({ id }) => ownerOf(id)))];
  const order = new Map(
    points.flatMap(({ id, kinds }) => kinds.map((kind) => keyOf({ point: id, kind }))).map((key, at) => [key, at]),
  );
  const placeOf = (cell: Cell): number => order.get(keyOf(cell)) ?? 0;
  return faults
    .map(({ point, kind }): Cell => ({ owner: ownerOf(point), point, kind }))
    .toSorted((one, other) => owners.indexOf(one.owner) - owners.indexOf(other.owner) || placeOf(one) - placeOf(other));
}

const keyOf = ({ point, kind }: Fault | Cell): string => `${point}: ${kind}`;

/** Returns the promises that a history broke, each once. */
const brokenBy = ({ violations }: History): readonly string[] => [
  ...new Set(violations.map(({ invariant }) => invariant)),
];

/**
 * Plays one history and tells what happened in it.
 * @param faults all that happen; if the history breaks a promise, those that it needs for that are left
 */
export async function openHistory(
  deployment: Deployment,
  scenario: Scenario,
  faults: readonly Fault[],
): Promise<Omit<OpenedHistory, 'replay'>> {
  const replay = (only: readonly Fault[]): Promise<History> =>
    playWithFaults(deployment, scenario, SEED, only, { isWatched: true });
  const found = await replay(faults);
  const history = found.violations.length > 0 ? await shrink(found, replay) : found;
  return {
    faults: history.faults,
    violations: history.violations.map(({ invariant, detail, about }) => ({
      invariant,
      detail,
      ...(about !== undefined && { about }),
    })),
    happenings: listHappenings(history.cloud.happenings),
  };
}

/** Returns the happenings of a watched history from which its picture is made. */
export const listHappenings = (happenings: Happenings | undefined): readonly HistoryHappening[] =>
  (happenings?.after(0) ?? []).filter(({ kind }: Happened) => SHOWN.includes(kind));
