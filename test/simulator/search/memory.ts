import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Above this a search would take memory that others need. */
const MOST = 400e6;

let collect: (() => void) | undefined;

/**
 * Lets go of the contexts of histories that are over, where they have become many. V8 frees a context only in turns of
 * the real event loop and when it feels pressed, which on a machine with much memory is late: a search of a thousand
 * histories would grow to gigabytes. Between two histories, never inside one.
 */
export async function letGo(): Promise<void> {
  await turn();
  if (process.memoryUsage().heapUsed < MOST) return;
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
  await turn();
  collect();
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
