import type { Cell, HistoriesChoice, SearchLine } from '../server/histories-contract.js';

/** What became of the history of a cell: promises that it broke, none if it kept them all. `undefined`: it was not played. */
export type Outcome = readonly string[] | undefined;

/** A wall of histories, as far as they are played. */
export interface Wall {
  readonly choice: HistoriesChoice;
  readonly state: 'preparing' | 'playing' | 'stopped' | 'ended' | 'failed';
  readonly cells: readonly Cell[];
  /** By the index of the cell. */
  readonly outcomes: readonly Outcome[];
  /** Why it failed. */
  readonly message?: string;
  /** Promises that the history without a fault broke. */
  readonly calmBroken?: readonly string[];
}

export const beginWall = (choice: HistoriesChoice): Wall => ({ choice, state: 'preparing', cells: [], outcomes: [] });

/** Returns the wall after a line of the search. It is a pure function. */
export function afterLine(wall: Wall, line: SearchLine): Wall {
  switch (line.kind) {
    case 'preparing':
      return wall;
    case 'cells':
      return { ...wall, state: 'playing', cells: line.cells, outcomes: line.cells.map(() => undefined) };
    case 'played':
      return { ...wall, outcomes: wall.outcomes.with(line.at, line.broken) };
    case 'calm broken':
      return { ...wall, calmBroken: line.broken };
    case 'ended':
      return { ...wall, state: 'ended' };
    case 'failed':
      return { ...wall, state: 'failed', message: line.message };
  }
}

/** Counts the histories that were played, and those that broke a promise. */
export function countPlayed({ outcomes }: Pick<Wall, 'outcomes'>): {
  readonly played: number;
  readonly broken: number;
} {
  const played = outcomes.filter((one) => one !== undefined);
  return { played: played.length, broken: played.filter(({ length }) => length > 0).length };
}

/** A cell with its index. */
export interface PlacedCell {
  readonly at: number;
  readonly cell: Cell;
}

/** Returns the cells of each construct, in the order of the wall. */
export function groupCells(cells: readonly Cell[]): ReadonlyMap<string, readonly PlacedCell[]> {
  const groups = new Map<string, PlacedCell[]>();
  for (const [at, cell] of cells.entries()) {
    const group = groups.get(cell.owner) ?? [];
    group.push({ at, cell });
    groups.set(cell.owner, group);
  }
  return groups;
}

export const lookOf = (outcome: Outcome): 'held' | 'broken' | 'open' => {
  if (outcome === undefined) return 'open';
  return outcome.length === 0 ? 'held' : 'broken';
};

/** Says what a cell is: `Payments/OnProvider call 3, killed-after: every promise was kept`. */
export function nameCell({ point, kind }: Cell, outcome: Outcome): string {
  const [first] = outcome ?? [];
  const text =
    outcome === undefined ? 'not played yet' : first === undefined ? 'every promise was kept' : `broken: ${first}`;
  return `${point}, ${kind}: ${text}`;
}

/** Place of a cell in the page, in pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns the index of the cell to which a key leads: left and right go in the order of the wall, up and down to the nearest cell of
 * another row. It is a pure function.
 * @returns `undefined` for a key that leads nowhere
 */
export function moveInWall(places: readonly Place[], at: number, key: string): number | undefined {
  const from = places[at];
  if (!from) return undefined;
  switch (key) {
    case 'ArrowRight':
      return Math.min(places.length - 1, at + 1);
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return places.length - 1;
    case 'ArrowDown':
      return nearest(places, from, ({ y }) => y > from.y) ?? at;
    case 'ArrowUp':
      return nearest(places, from, ({ y }) => y < from.y) ?? at;
    default:
      return undefined;
  }
}

/** Returns the cell of the next row in a direction, as near across as possible. */
function nearest(places: readonly Place[], from: Place, isBeyond: (place: Place) => boolean): number | undefined {
  const beyond = [...places.entries()].filter(([, place]) => isBeyond(place));
  const row = Math.min(...beyond.map(([, { y }]) => Math.abs(y - from.y)));
  const ofRow = beyond.filter(([, { y }]) => Math.abs(y - from.y) === row);
  return ofRow.toSorted(([, one], [, other]) => Math.abs(one.x - from.x) - Math.abs(other.x - from.x))[0]?.[0];
}
