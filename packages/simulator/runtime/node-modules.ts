import type { Timers } from './timers.js';

/** A part of Node that would reach outside of the simulator, or whose result no seed decides. */
export class NotSimulated extends Error {
  override readonly name = 'NotSimulated';

  constructor(what: string) {
    super(`${what} is not simulated`);
  }
}

/** Modules that depend on nothing outside: code gets Node's own. */
const REAL = ['constants', 'punycode', 'readline', 'readline/promises'];

/** Modules of which code gets the constants and types, while each function and class refuses by name. */
const REFUSING = [
  'child_process',
  'cluster',
  'dgram',
  'domain',
  'inspector',
  'inspector/promises',
  'repl',
  'sea',
  'sqlite',
  'test',
  'test/reporters',
  'tls',
  'trace_events',
  'v8',
  'vm',
  'wasi',
  'worker_threads',
];

/** Answers that these modules give about an environment all the same. */
const ANSWERS: Readonly<Record<string, object>> = {
  cluster: { isMaster: true, isPrimary: true, isWorker: false, workers: {} },
  // The AWS SDK v2 asks whether a domain is active.
  domain: { active: null },
  worker_threads: { isMainThread: true, parentPort: null, workerData: null, threadId: 0 },
};

interface NodeModulesOptions {
  readonly timers: Pick<Timers, 'setTimeout' | 'setInterval' | 'setImmediate' | 'clear'>;
  readonly performance: object;
  readonly require: (name: string) => unknown;
}

/** Returns the modules of Node besides those that have a model of their own, made when code requires them. */
export function createNodeModules({ timers, performance, require }: NodeModulesOptions): (name: string) => unknown {
  const { setTimeout, setInterval, setImmediate, clear } = timers;
  const made = new Map<string, unknown>();
  const own: Readonly<Record<string, () => object>> = {
    module: () => ({
      builtinModules: process.getBuiltinModule('node:module').builtinModules,
      isBuiltin: process.getBuiltinModule('node:module').isBuiltin,
      createRequire: () => require,
    }),
    perf_hooks: () => ({ ...refusing('perf_hooks'), performance }),
    'stream/consumers': () => process.getBuiltinModule('node:stream/consumers'),
    sys: () => process.getBuiltinModule('node:util'),
    'path/win32': () => process.getBuiltinModule('node:path').win32,
    timers: () => ({
      setTimeout,
      setInterval,
      setImmediate,
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
      promises: createTimersPromises(timers),
    }),
    'timers/promises': () => createTimersPromises(timers),
    tty: () => ({ ...refusing('tty'), isatty: () => false }),
    v8: () => {
      const { serialize, deserialize } = process.getBuiltinModule('node:v8');
      return { ...refusing('v8'), serialize, deserialize };
    },
  };
  const make = (name: string): unknown => {
    const create = Object.hasOwn(own, name) ? own[name] : undefined;
    if (create) return create();
    if (REAL.includes(name)) return process.getBuiltinModule(name);
    return REFUSING.includes(name) ? { ...refusing(name), ...ANSWERS[name] } : undefined;
  };
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
}

/** Returns a module with the constants of Node's, whose functions and classes refuse when they are used. */
function refusing(name: string): Record<string, unknown> {
  const real = (process.getBuiltinModule(`node:${name}`) ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(real).map(([member, value]) => {
      if (typeof value !== 'function') return [member, value];
      // A declaration, since packages extend classes of Node when they are loaded.
      function refuse(): never {
        throw new NotSimulated(`${name}.${member}`);
      }
      return [member, refuse];
    }),
  );
}

/** Node.js, "Timers Promises API". */
function createTimersPromises({ setTimeout, setImmediate, setInterval, clear }: NodeModulesOptions['timers']): object {
  const wait = (milliseconds?: number, value?: unknown): Promise<unknown> =>
    new Promise((resolve) => setTimeout(() => resolve(value), milliseconds));
  return {
    setTimeout: wait,
    setImmediate: (value?: unknown) => new Promise((resolve) => setImmediate(() => resolve(value))),
    async *setInterval(milliseconds?: number, value?: unknown) {
      let tell: () => void = () => undefined;
      let due = 0;
      const timer = setInterval(() => {
        due++;
        tell();
      }, milliseconds);
      try {
        for (;;) {
          if (due === 0) await new Promise<void>((resolve) => (tell = resolve));
          due--;
          yield value;
        }
      } finally {
        clear(timer);
      }
    },
    scheduler: { wait, yield: () => new Promise<void>((resolve) => setImmediate(() => resolve())) },
  };
}
