import { Console } from 'node:console';
import { Writable } from 'node:stream';
import * as util from 'node:util';

const LEVELS = ['log', 'debug', 'info', 'warn', 'error', 'trace'] as const;
/** Functions that Node's own console carries out, on the standard output. */
const PRINTED = [
  'dir',
  'dirxml',
  'table',
  'count',
  'countReset',
  'group',
  'groupCollapsed',
  'groupEnd',
  'assert',
] as const;
/** Parts of the inspector: without one they do nothing. */
const OF_INSPECTOR = ['clear', 'profile', 'profileEnd', 'timeStamp', 'context', 'createTask'] as const;

interface ConsoleOptions {
  readonly log: (level: string, line: string) => void;
  /** Returns the time, milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns the console of an environment, whose lines go to the log, and whose times are virtual. */
export function createConsole({ log, now }: ConsoleOptions): object {
  const timers = new Map<string, number>();
  let indent = 0;
  const write = (level: string, args: readonly unknown[]): void => {
    const text = util.format(...args);
    log(level, indent === 0 ? text : text.replace(/^/gm, ' '.repeat(indent)));
  };
  let printing: Console | undefined;
  const print = (name: (typeof PRINTED)[number], args: readonly unknown[]): void => {
    const to = (level: string): Writable =>
      new Writable({
        decodeStrings: false,
        write: (text: string, _encoding, done) => {
          log(level, String(text).replace(/\n$/, ''));
          done();
        },
      });
    printing ??= new Console({ stdout: to('log'), stderr: to('error') });
    if (name.startsWith('group')) indent = Math.max(0, indent + (name === 'groupEnd' ? -2 : 2));
    Reflect.apply(printing[name] as (...all: unknown[]) => void, printing, args);
  };
  const tellTime = (label: string, more: readonly unknown[]): void => {
    const since = timers.get(label);
    if (since === undefined) write('warn', [`Warning: No such label '${label}' for console.timeEnd()`]);
    else write('log', [`${label}: ${now() - since}ms`, ...more]);
  };
  const own = {
    ...Object.fromEntries(LEVELS.map((level) => [level, (...args: unknown[]) => write(level, args)])),
    ...Object.fromEntries(PRINTED.map((name) => [name, (...args: unknown[]) => print(name, args)])),
    ...Object.fromEntries(OF_INSPECTOR.map((name) => [name, () => undefined])),
    time: (label = 'default') => void timers.set(label, now()),
    timeLog: (label = 'default', ...more: unknown[]) => tellTime(label, more),
    timeEnd: (label = 'default') => {
      tellTime(label, []);
      timers.delete(label);
    },
  };
  return Object.assign(own, {
    /** A console of somebody's own writes to the same log, whatever its streams are. */
    Console: class {
      constructor() {
        Object.assign(this, own);
      }
    },
  });
}
