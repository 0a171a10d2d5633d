import { type Fault, ownerOf } from '../engine/faults.js';
import { excerpt, explain } from './explain.js';
import type { History } from './scenario.js';

/** A history that broke a promise, as a report has it: it can be written as JSON, and played again. */
export interface BrokenHistory {
  /** Name of its scenario. */
  readonly scenario: string;
  readonly seed: string;
  /** Whether the seed decided over faults and conditions; otherwise the faults are all there is. */
  readonly bySeed: boolean;
  readonly faults: readonly Fault[];
  readonly violations: readonly { readonly promise: string; readonly detail: string }[];
  /** Why it broke the promise, in a few sentences. */
  readonly cause: string;
  /** Its lines on one screen. */
  readonly lines: readonly string[];
}

/** Broken histories with the same promise, kind of fault and construct. */
export interface Finding {
  readonly promise: string;
  /** Kind of fault; `none` if it is broken without a fault. */
  readonly kind: string;
  /** Construct at which the fault happened; empty without a fault. */
  readonly construct: string;
  readonly count: number;
  /** The one with the fewest faults. */
  readonly shortest: BrokenHistory;
}

const BY_CONDITIONS =
  'It is broken without any fault, under the conditions of a seed: clocks of functions differ by up to 2 s, environments are cold, expired items and indexes are late, pages are short.';

/** Describes a broken history. */
export function describeBroken({ scenario, seed, faults, violations, trace }: History, bySeed: boolean): BrokenHistory {
  const [fault] = faults;
  return {
    scenario: scenario.name,
    seed,
    bySeed,
    faults,
    violations: violations.map(({ invariant, detail }) => ({ promise: invariant, detail })),
    cause: fault ? explain(fault, trace) : bySeed ? BY_CONDITIONS : 'It is broken without any fault.',
    lines: fault ? excerpt(fault, trace) : trace.slice(0, 24),
  };
}

/** Groups broken histories to findings: those that most histories show come first. */
export function groupFindings(broken: readonly BrokenHistory[]): readonly Finding[] {
  const groups = new Map<string, Finding>();
  for (const history of broken)
    for (const { promise } of history.violations) {
      const [fault] = history.faults;
      const [kind, construct] = fault ? [fault.kind, ownerOf(fault.point)] : ['none', ''];
      const key = JSON.stringify([promise, kind, construct]);
      const known = groups.get(key);
      const isShorter = !known || history.faults.length < known.shortest.faults.length;
      groups.set(key, {
        promise,
        kind,
        construct,
        count: (known?.count ?? 0) + 1,
        shortest: isShorter ? history : known.shortest,
      });
    }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}
