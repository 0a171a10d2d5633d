import { EventEmitter } from 'node:events';
import { refuser } from './node-members.js';

export interface ProcessOptions {
  /** Returns its environment variables, which its code may change. */
  readonly env: () => object;
  /** Returns the time of this environment's clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the environment's start time, by the same clock. */
  readonly begun: () => number;
  readonly log: (level: string, line: string) => void;
  /** Called when the process exits by itself. It doesn't return. */
  readonly exit: (code: number) => never;
}

/** User and group of a function. */
const USER = 993;
const GROUP = 990;

const returns =
  <T>(value: T) =>
  (): T =>
    value;

/** Members that tell nothing about an environment, or that only a debugger uses. */
const createStill = () => ({
  argv: ['/var/lang/bin/node'],
  argv0: 'node',
  execArgv: [] as string[],
  execPath: '/var/lang/bin/node',
  title: 'node',
  pid: 8,
  ppid: 1,
  platform: 'linux',
  arch: 'arm64',
  release: { name: 'node' },
  features: {},
  config: {},
  moduleLoadList: [],
  debugPort: 9229,
  connected: false,
  channel: undefined,
  exitCode: undefined,
  sourceMapsEnabled: false,
  report: {},
  allowedNodeEnvironmentFlags: new Set<string>(),
  cwd: returns('/var/task'),
  umask: returns(0o022),
  getuid: returns(USER),
  geteuid: returns(USER),
  getgid: returns(GROUP),
  getegid: returns(GROUP),
  getgroups: returns([GROUP]),
  memoryUsage: Object.assign(returns({ rss: 1e8, heapTotal: 6e7, heapUsed: 4e7, external: 1e6, arrayBuffers: 1e5 }), {
    rss: returns(1e8),
  }),
  constrainedMemory: returns(1.28e8),
  availableMemory: returns(6.4e7),
  getActiveResourcesInfo: returns([]),
  setSourceMapsEnabled: () => undefined,
  setUncaughtExceptionCaptureCallback: () => undefined,
  hasUncaughtExceptionCaptureCallback: returns(false),
  emitWarning: () => undefined,
});

/** Members of Node's own process that aren't listed here. */
const REFUSED = Object.fromEntries(
  Object.entries(Object.getOwnPropertyDescriptors(globalThis.process))
    .filter(
      ([name, { value }]) => typeof value === 'function' && !(name in EventEmitter.prototype) && !name.startsWith('_'),
    )
    .map(([name]) => [name, refuser(`process.${name}`)]),
);

/** Returns the process of an environment. @param require of its code */
export function createProcess(
  { env, now, begun, exit, log }: ProcessOptions,
  require: (name: string) => unknown,
): object {
  const hrtime = Object.assign(
    (since: readonly [number, number] = [0, 0]): [number, number] => {
      const elapsed = now() - begun();
      return [Math.floor(elapsed / 1000) - since[0], (elapsed % 1000) * 1e6 - since[1]];
    },
    { bigint: () => BigInt(now() - begun()) * 1_000_000n },
  );
  const output = (level: string, fd: number) => ({
    fd,
    isTTY: false,
    writable: true,
    write: (text: unknown, ...more: readonly unknown[]): boolean => {
      log(level, String(text).trimEnd());
      const callback = more.at(-1);
      if (typeof callback === 'function') globalThis.process.nextTick(callback as () => void);
      return true;
    },
    on: () => undefined,
    once: () => undefined,
    end: () => undefined,
  });
  const process = Object.assign(new EventEmitter(), REFUSED, createStill(), {
    version: globalThis.process.version,
    versions: { ...globalThis.process.versions },
    stdin: { fd: 0, isTTY: false, on: () => undefined, once: () => undefined },
    stdout: output('log', 1),
    stderr: output('error', 2),
    uptime: () => (now() - begun()) / 1000,
    cpuUsage: () => ({ user: Math.round((now() - begun()) * 500), system: Math.round((now() - begun()) * 100) }),
    hrtime,
    nextTick: globalThis.process.nextTick,
    getBuiltinModule: (name: string) => {
      try {
        return require(name);
      } catch {
        return undefined;
      }
    },
    exit: (code = 0) => exit(Number(code)),
    reallyExit: (code = 0) => exit(Number(code)),
    abort: () => exit(134),
    kill: () => exit(137),
  });
  return Object.defineProperty(process, 'env', { get: env, enumerable: true });
}
