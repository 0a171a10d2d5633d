import type { History } from '../../packages/simulator/search/scenario.js';
import type { ScenarioResult } from './record.js';

const total = ({ byKind }: ScenarioResult, what: 'histories' | 'broken'): number =>
  Object.values(byKind).reduce((sum, counts) => sum + counts[what], 0);

/** Returns the number of histories of a scenario, with the one without a fault. */
export const countHistories = (result: ScenarioResult): number => total(result, 'histories');

/** Returns the number of histories of a scenario that broke a promise. */
export const countBroken = (result: ScenarioResult): number => total(result, 'broken');

/** Counts histories by the kind of their fault. */
export class KindCounts {
  private readonly counts = new Map<string, { histories: number; broken: number }>();

  add({ faults, violations }: Pick<History, 'faults' | 'violations'>): void {
    const kind = faults[0]?.kind ?? 'none';
    const before = this.counts.get(kind) ?? { histories: 0, broken: 0 };
    const broken = before.broken + Number(violations.length > 0);
    this.counts.set(kind, { histories: before.histories + 1, broken });
  }

  /** Returns the counts, by the names of the kinds. */
  sorted(): ScenarioResult['byKind'] {
    return Object.fromEntries([...this.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}
