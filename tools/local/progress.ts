/** Where a step's news goes: a line, without its end. */
export type Progress = (line: string) => void;

/** Prints a step when it begins and its seconds when it has ended: `  deploy ... 21.4 s`. */
export async function step<T>(progress: Progress, title: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  progress(`${title} ...`);
  const result = await work();
  progress(`${title}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * Waits until a check answers something other than `undefined`.
 * @throws {Error} after the limit, with what was missing as `missing` tells it
 */
export async function waitUntil<T>(
  check: () => Promise<T | undefined>,
  { limitMs, everyMs = 100, missing }: { limitMs: number; everyMs?: number; missing: () => string },
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    if (performance.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${missing()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
