import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Above this a search would take memory that others need, unless most of it is what recycled environments hold. */
const LEAST = 400e6;

let collect: (() => void) | undefined;
/** What was left when it was collected last, which collecting again would not free. */
let held = 0;

/**
 * Lets go of the contexts of histories that are over, where they have become many. V8 frees a context only in turns of
 * the real event loop and when it feels pressed, which on a machine with much memory is late: a search of a thousand
 * histories would grow to gigabytes. Between two histories, never inside one.
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
