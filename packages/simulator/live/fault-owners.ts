import {
  CALL_FAULTS,
  DELIVERY_FAULTS,
  type FaultKind,
  FOLLOWING_FAULTS,
  INVOCATION_FAULTS,
  MESSAGE_FAULTS,
  READ_FAULTS,
} from '../engine/faults.js';

/** Kind of a construct to which faults can happen. */
export type OwnerType = 'function' | 'queue' | 'rule';

/** Kinds of faults that can happen to each type of construct. */
export const KINDS_OF: Readonly<Record<OwnerType, readonly FaultKind[]>> = {
  function: [...CALL_FAULTS, ...READ_FAULTS, ...INVOCATION_FAULTS],
  queue: [...MESSAGE_FAULTS, ...FOLLOWING_FAULTS],
  rule: [...DELIVERY_FAULTS],
};

/** A construct to which faults can happen. */
export interface FaultOwner {
  /** Path of the construct: `Orders/PlaceOrder`. */
  readonly owner: string;
  readonly type: OwnerType;
}

/** Names that an error lists at most. */
const LISTED = 10;

/**
 * Says which names there are: all of them if they are few, and the most similar ones.
 * @param all where all of them are listed
 * @param others what else is right: `, or * for any`
 */
export function describeNames(name: string, known: readonly string[], all: string, others: string): string {
  const similar = findSimilarNames(name, known).map((one) => `'${one}'`);
  const meant = similar.length === 0 ? '' : `. Did you mean ${similar.join(' or ')}?`;
  const listed = known.length <= LISTED ? known.join(', ') : `${known.length}, as ${all} lists them`;
  return `; there are ${listed}${others}${meant}`;
}

/** Returns up to three names that somebody may have meant: without regard to case, a part of the name, or a few letters off. */
export function findSimilarNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase();
  const same = known.filter((one) => one.toLowerCase() === wanted);
  if (same.length > 0) return same;
  const last = wanted.split('/').at(-1) ?? wanted;
  const scored = known.flatMap((one) => {
    const lower = one.toLowerCase();
    const edits = Math.min(countEdits(wanted, lower), countEdits(last, lower.split('/').at(-1) ?? lower) + 1);
    if (edits <= Math.max(2, Math.floor(last.length / 4))) return [{ one, score: edits }];
    return wanted.length > 2 && lower.includes(wanted) ? [{ one, score: one.length }] : [];
  });
  return scored
    .toSorted((one, other) => one.score - other.score || one.one.localeCompare(other.one))
    .slice(0, 3)
    .map(({ one }) => one);
}

/** Levenshtein distance. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [place, another] of [...other].entries())
      next.push(
        Math.min((row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1, (row[place] ?? 0) + Number(letter !== another)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
