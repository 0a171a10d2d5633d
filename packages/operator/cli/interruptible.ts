import { setTimeout } from 'node:timers/promises';
import type { Sleep } from '../records/message-sender.js';

/** Questions that long work asks between two steps. */
export interface Interruption {
  /** Waits for this many seconds, or returns at once if `stopped`. */
  readonly wait: Sleep;
  /** Whether the operator pressed Ctrl-C. */
  readonly stopped: () => boolean;
}

/**
 * Stops work between two steps at the first Ctrl-C; a second one ends the tool as usual. The program's own listeners hear
 * only the second one, because one that ends the process would leave no time for the step.
 */
export async function runInterruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const others = process.listeners('SIGINT');
  const onSignal = (): void => {
    stop.abort();
    restore();
  };
  let isRestored = false;
  const restore = (): void => {
    if (isRestored) return;
    isRestored = true;
    for (const other of others) process.on('SIGINT', other);
    process.off('SIGINT', onSignal);
  };
  // First, since without any listener a signal ends the process.
  process.on('SIGINT', onSignal);
  for (const other of others) process.off('SIGINT', other);
  const wait: Sleep = (seconds) =>
    setTimeout(seconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await work({ wait, stopped: () => stop.signal.aborted });
  } finally {
    restore();
  }
}
