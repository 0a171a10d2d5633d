import type { Tier } from '../contract.js';

/** Points within a year with which a customer reaches a tier. */
export interface Tiers {
  readonly silver: number;
  readonly gold: number;
}

/** A customer's points and tiers after their entries so far. It doesn't grow with the entries. */
export interface Standing {
  readonly points: number;
  /** Points by UTC day, oldest first: the year up to the newest entry. Days whose points add up to 0 are kept, too. */
  readonly days: readonly (readonly [day: string, points: number])[];
  /** Day from which a tier no longer holds; absent if it was never reached. */
  readonly silverUntil?: string;
  readonly goldUntil?: string;
}

export const initialStanding: Standing = { points: 0, days: [] };

/** Days of a year. A year ends with its newest day, and a tier holds for as many days. */
const YEAR = 365;

/**
 * Adds an entry to a standing. An entry with which the points of a year reach a tier gives the tier for a year. A later
 * refund takes back points and no tier. So the result depends on the order of the entries:
 *
 *     600, 600, -600    1,200 points after the second one: SILVER for a year
 *     600, -600, 600    never more than 600 points: BASIC
 *
 * Times may be out of order, because functions' clocks differ. An entry never counts before the newest day.
 */
export function addEntry(
  standing: Standing,
  { at, points }: { readonly at: string; readonly points: number },
  { silver, gold }: Tiers,
): Standing {
  const [newest, newestPoints] = standing.days.at(-1) ?? ['', 0];
  const ofEntry = at.slice(0, DAY_LENGTH);
  const day = ofEntry > newest ? ofEntry : newest;
  const earlier = day === newest ? standing.days.slice(0, -1) : standing.days;
  const first = addDays(day, 1 - YEAR);
  const days = [
    ...earlier.filter(([one]) => one >= first),
    [day, points + (day === newest ? newestPoints : 0)] as const,
  ];
  const ofYear = days.reduce((sum, [, one]) => sum + one, 0);
  const until = addDays(day, YEAR);
  return {
    ...standing,
    points: standing.points + points,
    days,
    ...(ofYear >= silver ? { silverUntil: until } : {}),
    ...(ofYear >= gold ? { goldUntil: until } : {}),
  };
}

/** Returns the tier that a customer has at a time. @param at ISO 8601, UTC */
export function findTier({ silverUntil = '', goldUntil = '' }: Standing, at: string): Tier {
  const day = at.slice(0, DAY_LENGTH);
  if (day < goldUntil) return 'GOLD';
  return day < silverUntil ? 'SILVER' : 'BASIC';
}

/** Length of `2026-11-22`. */
const DAY_LENGTH = 10;

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, DAY_LENGTH);
