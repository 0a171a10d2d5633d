import type { HotKeySettings } from './contract.js';

/** Milliseconds for which conflicts are counted together. */
const SECOND = 1_000;
/** Milliseconds for which a key stays hot after its last contention. */
const CALM_AFTER = 30_000;
/** Number of keys from which on calm keys are forgotten. */
const MAX_KEYS = 200;

interface Contention {
  /** Times of the newest conflicts, oldest first. */
  readonly conflicts: readonly number[];
  readonly hotUntil: number;
}

/**
 * Keys under contention, as one execution environment sees them. This is a hint only: any message may take the lane or a
 * plain transaction at any time, so nothing is lost with the environment's memory.
 */
export class HotKeys {
  private readonly always: ReadonlySet<string>;
  private readonly maxConflicts: number;
  private readonly seen = new Map<string, Contention>();

  constructor({ always, conflictsPerSecond }: HotKeySettings) {
    this.always = new Set(always);
    this.maxConflicts = conflictsPerSecond;
  }

  /** @param now milliseconds since 1970 */
  isHot(key: string, now: number): boolean {
    return this.always.has(key) || (this.seen.get(key)?.hotUntil ?? 0) > now;
  }

  /**
   * Counts lost races for a key, or races that the lane avoids: a hot key stays hot for as long as there would be as many
   * conflicts.
   * @param now milliseconds since 1970
   */
  recordConflict(key: string, now: number, times = 1): void {
    if (this.always.has(key) || times < 1) return;
    const before = this.seen.get(key);
    const recent = (before?.conflicts ?? []).filter((at) => at > now - SECOND);
    const conflicts = [...recent, ...new Array<number>(Math.min(times, this.maxConflicts)).fill(now)].slice(
      -this.maxConflicts,
    );
    const isContended = conflicts.length >= this.maxConflicts;
    this.seen.set(key, { conflicts, hotUntil: isContended ? now + CALM_AFTER : (before?.hotUntil ?? 0) });
    if (this.seen.size > MAX_KEYS) this.forgetCalm(now);
  }

  private forgetCalm(now: number): void {
    for (const [key, { conflicts, hotUntil }] of this.seen) {
      if (hotUntil <= now && (conflicts.at(-1) ?? 0) <= now - SECOND) this.seen.delete(key);
    }
  }
}
