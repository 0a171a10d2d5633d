import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Heap size above which a search would take memory that others need, unless recycled environments hold most of it. */
const LEAST = 400e6;

let collect: (() => void) | undefined;
/** Heap size after the last collection, which another collection would not reduce. */
let held = 0;

/**
 * Frees the contexts of finished histories if there are many. V8 frees a context only in turns of the real event loop
 * and under memory pressure, which on a machine with much memory comes late: a search of a thousand histories would
 * grow to gigabytes. Call it between two histories, never inside one.
 */
export async function letGo(): Promise<void> {
  await turn();
  if (process.memoryUsage().heapUsed < Math.max(LEAST, 2 * held)) return;
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
  await turn();
  collect();
  held = process.memoryUsage().heapUsed;
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
