import { completed, refusing } from './node-members.js';
import type { Timers } from './timers.js';

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
  // http2-wrapper, which got has, takes a class from one when it is loaded.
  tls: {
    TLSSocket: class TLSSocket {
      readonly _handle = { _parentWrap: new (class JSStreamSocket {})() };
    },
  },
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
    perf_hooks: () => completed('perf_hooks', { performance }),
    timers: () =>
      completed('timers', {
        setTimeout,
        setInterval,
        setImmediate,
        clearTimeout: clear,
        clearInterval: clear,
        clearImmediate: clear,
        promises: require('node:timers/promises'),
      }),
    'timers/promises': () => createTimersPromises(timers),
    tty: () => completed('tty', { isatty: () => false }),
    v8: () => {
      const { serialize, deserialize } = process.getBuiltinModule('node:v8');
      return completed('v8', { serialize, deserialize });
    },
  };
  const make = (name: string): unknown => {
    const create = Object.hasOwn(own, name) ? own[name] : undefined;
    if (create) return create();
    return REFUSING.includes(name) ? { ...refusing(name), ...ANSWERS[name] } : undefined;
  };
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
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
