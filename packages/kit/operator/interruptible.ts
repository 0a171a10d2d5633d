import { setTimeout } from 'node:timers/promises';
import type { Wait } from './send.js';

/** What work that takes long asks between two steps. */
export interface Interruption {
  /** Waits for this many seconds, or returns at once if `stopped`. */
  readonly wait: Wait;
  /** Whether the operator pressed Ctrl-C. */
  readonly stopped: () => boolean;
}

/** Stops work between two steps at the first Ctrl-C; a second one ends the tool as usual. */
export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const wait: Wait = (seconds) => setTimeout(seconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await work({ wait, stopped: () => stop.signal.aborted });
  } finally {
    process.off('SIGINT', onSignal);
  }
}
