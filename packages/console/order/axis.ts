import { formatElapsed } from './format-elapsed.js';

/** `spread`: the room between two moments grows with the logarithm of the time between them. `linear`: with the time itself. */
export const SCALES = ['spread', 'linear'] as const;
export type Scale = (typeof SCALES)[number];

export interface Tick {
  readonly x: number;
  readonly text: string;
}

/** A time in which nothing happens, and that is not drawn to scale. */
export interface Fold {
  readonly x: number;
  readonly width: number;
  readonly milliseconds: number;
}

/** Places of moments across the picture. */
export interface Axis {
  /** @returns the place of a moment. One before the first or behind the last has the place of that. */
  readonly xOf: (at: number) => number;
  readonly ticks: readonly Tick[];
  readonly folds: readonly Fold[];
  readonly from: number;
  readonly to: number;
}

interface Room {
  /** Place of the first moment, and of the last one. */
  readonly left: number;
  readonly right: number;
  readonly scale: Scale;
}

/** Pixels of a folded time, and between two texts of the axis. */
const FOLD_WIDTH = 30;
const TICK_ROOM = 74;
/** A longer time in which nothing happens is always folded. */
const HOUR = 3_600_000;
/** A shorter one never is. */
const FIVE_SECONDS = 5_000;
/** Milliseconds that are as wide as the next tenfold of time, with `spread`. */
const UNIT = 10;

/**
 * Places moments between two edges. Times in which nothing happens are folded: each longer one than an hour, and with `linear` each one
 * that would take more than half of the picture. It is a pure function.
 * @param moments in any order, at least one
 */
export function buildAxis(moments: readonly number[], { left, right, scale }: Room): Axis {
  const knots = [...new Set(moments)].toSorted((one, other) => one - other);
  const gaps = knots.slice(1).map((at, place) => at - (knots[place] ?? at));
  const folded = findFolds(gaps, scale);
  const weights = gaps.map((gap, place) => (folded.has(place) ? 0 : scale === 'linear' ? gap : Math.log1p(gap / UNIT)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const room = Math.max(0, right - left - folded.size * FOLD_WIDTH);
  const places = [left];
  for (const [place, weight] of weights.entries()) {
    const step = folded.has(place) ? FOLD_WIDTH : total === 0 ? 0 : (weight / total) * room;
    places.push((places[place] ?? left) + step);
  }
  const from = knots[0] ?? 0;
  return {
    xOf: (at) => interpolate(knots, places, at),
    ticks: chooseTicks(knots, places, folded),
    folds: [...folded].map((place) => ({
      x: places[place] ?? left,
      width: FOLD_WIDTH,
      milliseconds: gaps[place] ?? 0,
    })),
    from,
    to: knots.at(-1) ?? from,
  };
}

function findFolds(gaps: readonly number[], scale: Scale): ReadonlySet<number> {
  const folded = new Set<number>();
  let rest = gaps.reduce((sum, gap) => sum + gap, 0);
  const longest = gaps.map((gap, place) => ({ gap, place })).toSorted((one, other) => other.gap - one.gap);
  for (const { gap, place } of longest) {
    const isLong = gap > HOUR || (scale === 'linear' && gap > FIVE_SECONDS && gap > rest / 2);
    // The only time that there is, as that of a message that waits, is no gap between others.
    if (!isLong || rest === gap) break;
    folded.add(place);
    rest -= gap;
  }
  return folded;
}

function interpolate(knots: readonly number[], places: readonly number[], at: number): number {
  let [low, high] = [0, knots.length - 1];
  if (at <= (knots[0] ?? at)) return places[0] ?? 0;
  if (at >= (knots[high] ?? at)) return places[high] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((knots[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  const [begin = 0, end = 0] = [knots[low], knots[high]];
  const [one = 0, other = 0] = [places[low], places[high]];
  return one + ((at - begin) / (end - begin)) * (other - one);
}

/** Chooses moments whose texts have room: the first one, those behind a fold, and others from left to right, by the time since that fold. */
function chooseTicks(
  knots: readonly number[],
  places: readonly number[],
  folded: ReadonlySet<number>,
): readonly Tick[] {
  const ends = [0, ...[...folded].map((place) => place + 1)].toSorted((one, other) => one - other);
  const describe = (place: number): string => {
    const since = ends.findLast((one) => one <= place) ?? 0;
    const begun = since === 0 || since === place ? 0 : since;
    const text = formatElapsed((knots[place] ?? 0) - (knots[begun] ?? 0));
    return begun === 0 ? text : `… ${text}`;
  };
  const chosen: Tick[] = [];
  const free = (x: number, others: readonly number[]): boolean => others.every((one) => Math.abs(one - x) >= TICK_ROOM);
  const add = (place: number): void => {
    const x = places[place] ?? 0;
    if (
      free(
        x,
        chosen.map((tick) => tick.x),
      )
    )
      chosen.push({ x, text: describe(place) });
  };
  for (const place of ends) add(place);
  for (const place of knots.keys()) add(place);
  return chosen.toSorted((one, other) => one.x - other.x);
}
