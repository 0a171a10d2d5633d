/** Receives the news of a step: one line, without its line end. */
export type Progress = (line: string) => void;

/** Prints a step when it begins, and its seconds when it has ended: `deploy ...`, `deploy: 21.4 s`. */
export async function runStep<T>(progress: Progress, title: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  progress(`${title} ...`);
  const result = await work();
  progress(`${title}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
  return result;
}

export interface WaitOptions {
  /** Says what is missing and what was seen last. */
  readonly missing: () => string;
  /**
   * Returns a value that changes while work is under way, such as a count of writes or the length of a log.
   * @default the text of `missing`
   */
  readonly moved?: () => unknown;
  /** Milliseconds without movement after which the wait fails. @default 60 s */
  readonly idleMs?: number;
  /** Milliseconds between two checks. @default 100 */
  readonly everyMs?: number;
}

/** Longest wait, as a multiple of the idle time. It ends work that moves but never finishes. */
const LONGEST_WAIT = 10;
/** Number of looks at `moved` per idle time. A look may cost a request. */
const LOOKS = 20;

/**
 * Waits until a check returns something other than `undefined`. It does not fail on a slow machine, only on one where
 * nothing moves.
 * @throws {Error} with the text of `missing`, when nothing has moved for `idleMs`, or after ten times as long in total
 */
export async function waitUntil<T>(
  check: () => Promise<T | undefined>,
  { missing, moved = missing, idleMs = 60_000, everyMs = 100 }: WaitOptions,
): Promise<T> {
  const began = performance.now();
  let last = { at: began, state: await moved(), looks: 0, lookedAt: began };
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    const now = performance.now();
    if (now - last.lookedAt >= idleMs / LOOKS) {
      const state = await moved();
      const looks = state === last.state ? last.looks + 1 : 0;
      last = { at: looks ? last.at : now, state, looks, lookedAt: now };
    }
    // A process that was suspended could not look. It must look again before it fails.
    if (now - last.at > idleMs && last.looks >= LOOKS / 2)
      throw new Error(`nothing has moved for ${idleMs / 1000} s: ${missing()}`);
    if (now - began > LONGEST_WAIT * idleMs)
      throw new Error(`not within ${(LONGEST_WAIT * idleMs) / 1000} s, although something moves: ${missing()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
