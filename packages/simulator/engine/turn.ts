/** Code under test whose faults nothing in it may have caught. */
export interface CodeUnderTest {
  /** @param error what was thrown, or why a promise was rejected */
  fails(error: unknown, origin: 'exception' | 'rejection'): void;
}

/** The code that the present turn of the event loop runs, with all that it leaves behind: promises, `nextTick`, streams. */
let running: CodeUnderTest | undefined;

/**
 * Must be called whenever code of an execution environment is entered. Until the end of the turn, what nobody catches is a
 * fault of this code, and not of the process: as on Lambda, it ends the environment.
 * @returns the code that was entered before in this turn
 */
export function enterCode(code: CodeUnderTest | undefined): CodeUnderTest | undefined {
  if (!isIntercepted) intercept();
  const before = running;
  running = code;
  return before;
}

/** Waits for the end of a turn: until no promise moves, and no other thread works for the code. */
export async function turnEnds(): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve));
  while (working);
  running = undefined;
}

let working = false;
const waiting: (() => void)[] = [];

/**
 * Lets other threads of Node work for the code under test (`crypto.subtle`, streams of zlib). Of several such works one runs
 * after the other, so that they end in the order in which they began, on any machine.
 * @param begin gets a function to call when the work is done
 */
export function runWork(begin: (done: () => void) => void): void {
  const next = (): void => {
    working = waiting.length > 0;
    waiting.shift()?.();
  };
  const run = (): void => begin(next);
  if (working) {
    waiting.push(run);
    return;
  }
  working = true;
  run();
}

let isIntercepted = false;

/**
 * Gets what nothing caught, before any other listener of the process. A listener would not do: a test runner that listens
 * too would count the fault as one of its tests.
 */
function intercept(): void {
  isIntercepted = true;
  const emit = process.emit;
  const heard = function (this: unknown, event: string, ...args: unknown[]): boolean {
    const isRejection = event === 'unhandledRejection';
    if (!running || (!isRejection && event !== 'uncaughtException')) return Reflect.apply(emit, this, [event, ...args]);
    running.fails(args[0], isRejection ? 'rejection' : 'exception');
    return true;
  };
  process.emit = heard as typeof process.emit;
}
