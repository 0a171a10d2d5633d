import type { Fault } from '../engine/faults.js';
import type { History } from './scenario.js';

/** Returns the promises that a history broke. */
const invariantsOf = ({ violations }: Pick<History, 'violations'>): ReadonlySet<string> =>
  new Set(violations.map(({ invariant }) => invariant));

/**
 * Finds a minimal set of faults that still breaks one of the promises that a history broke: it tries halves first, then
 * single faults (Zeller's "delta debugging", simplified).
 * @param replay plays the same seed and conditions with other faults
 */
export async function shrink(found: History, replay: (faults: readonly Fault[]) => Promise<History>): Promise<History> {
  const wanted = invariantsOf(found);
  let best = found;
  for (let size = Math.ceil(found.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.faults.length; ) {
      const fewer = best.faults.filter((_, at) => at < from || at >= from + size);
      const tried = await replay(fewer);
      if ([...invariantsOf(tried)].some((invariant) => wanted.has(invariant))) best = tried;
      else from += size;
    }
  }
  return best;
}
