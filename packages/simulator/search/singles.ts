import type { Deployment } from '../cloud/cloud.js';
import type { Fault, FaultKind } from '../engine/faults.js';
import { Random } from '../engine/random.js';
import { Recording } from '../runtime/recording.js';
import { type History, playWithFaults, type Scenario } from './scenario.js';

/** Seed of the history into which single faults are put. */
export const SINGLES = 'singles';

/** Returns every fault that a history without faults has a point for, each alone. */
const listSingleFaults = ({ points }: Pick<History, 'points'>): readonly Fault[] =>
  points.flatMap(({ id, kinds }) => kinds.map((kind) => ({ point: id, kind })));

export interface SingleFaultOptions {
  readonly seed?: string;
  /** Kinds of faults to try. @default all */
  readonly kinds?: readonly FaultKind[];
  /** Beginning of the ids of the points to try: `Webhooks/`. @default all */
  readonly within?: string;
  /** Share of the faults to try: `{ part: 0, of: 2 }`. @default all */
  readonly share?: { readonly part: number; readonly of: number };
  /** Called before the first fault, with those that are played, in their order, and with the history without a fault. */
  readonly onFaults?: (faults: readonly Fault[], calm: History) => void;
  /** Called after each history. The search waits for a promise that it returns. */
  readonly onHistory?: (history: History, done: number, all: number) => unknown;
  /** Whether the search ends at the first violation. @default false */
  readonly stopAtFirst?: boolean;
  /** Most faults to try. @default no limit */
  readonly maxFaults?: number;
}

/**
 * Plays a scenario without a fault, and then once with every single fault at every point of it. Invocations that had
 * ended before the fault are replayed instead of run again.
 * @returns histories that broke a promise
 */
export async function playSingleFaults(
  deployment: Deployment,
  scenario: Scenario,
  {
    seed = SINGLES,
    kinds,
    within = '',
    share = { part: 0, of: 1 },
    onFaults,
    onHistory,
    stopAtFirst = false,
    maxFaults,
  }: SingleFaultOptions = {},
): Promise<{ readonly runs: number; readonly broken: readonly History[] }> {
  const recording = new Recording();
  const calm = await playWithFaults(deployment, scenario, seed, [], { recording });
  if (calm.violations.length > 0) {
    await onHistory?.(calm, 1, 1);
    return { runs: 1, broken: [calm] };
  }
  // The order is random: a broken promise is usually broken by many faults, so the first one is found soon.
  const faults = new Random('singles')
    .shuffle(
      listSingleFaults(calm).filter(({ point, kind }) => point.startsWith(within) && (kinds?.includes(kind) ?? true)),
    )
    .filter((_, at) => at % share.of === share.part)
    .slice(0, maxFaults);
  onFaults?.(faults, calm);
  const broken: History[] = [];
  for (const [at, fault] of faults.entries()) {
    const replays = recording.until(calm.points.findIndex(({ id }) => id === fault.point));
    const history = await playWithFaults(deployment, scenario, seed, [fault], { replays });
    await onHistory?.(history, at + 1, faults.length);
    if (history.violations.length === 0) continue;
    broken.push(history);
    if (stopAtFirst) return { runs: at + 2, broken };
  }
  return { runs: faults.length + 1, broken };
}
