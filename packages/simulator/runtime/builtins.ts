import assert from 'node:assert';
import * as asyncHooks from 'node:async_hooks';
import * as buffer from 'node:buffer';
import * as diagnosticsChannel from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { isBuiltin } from 'node:module';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import * as querystring from 'node:querystring';
import * as stream from 'node:stream';
import * as streamPromises from 'node:stream/promises';
import * as streamWeb from 'node:stream/web';
import * as stringDecoder from 'node:string_decoder';
import * as url from 'node:url';
import * as util from 'node:util';
import type { Random } from '../engine/random.js';
import { createCrypto } from './crypto.js';
import { createDnsModules } from './names.js';
import { createNodeModules, NotSimulated } from './node-modules.js';
import { createZlib, type RunInTurn } from './zlib.js';

/** Memory that a function sees, bytes. */
const MEMORY = 128 * 1024 * 1024;

/** A module that code requires, and that is neither in its bundle nor in Node. */
class NoSuchModule extends Error {
  override readonly name = 'NoSuchModule';
  readonly code = 'MODULE_NOT_FOUND';
}

export interface BuiltinsOptions {
  /** Returns its environment variables, which its code may change. */
  readonly env: () => object;
  readonly random: () => Random;
  /** Called with the random bytes that were asked for in one call: the memory of the code itself. */
  readonly drew: (bytes: Uint8Array) => void;
  /** @see Surroundings.isReal */
  readonly isReal: () => boolean;
  /** Returns the time of this environment's clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the environment's start time, by the same clock. */
  readonly begun: () => number;
  readonly timers: Parameters<typeof createNodeModules>[0]['timers'];
  readonly performance: object;
  readonly http: object;
  readonly https: object;
  readonly http2: object;
  readonly log: (level: string, line: string) => void;
  /** Called when the process exits by itself. It doesn't return. */
  readonly exit: (code: number) => never;
  readonly work: RunInTurn;
}

export interface Builtins {
  readonly process: object;
  readonly console: object;
  readonly crypto: object;
  readonly require: (name: string) => unknown;
}

/** Returns the Node modules that a bundle sees: real if they depend on nothing outside, simulated otherwise. */
export function createBuiltins(options: BuiltinsOptions): Builtins {
  const { log, http, https, http2, work } = options;
  const process = createProcess(options);
  const { module: crypto, webcrypto } = createCrypto(options);
  const console = createConsole(log);
  const machine = {
    homedir: () => '/home/sbx_user1051',
    hostname: () => 'simulated',
    platform: () => 'linux',
    type: () => 'Linux',
    release: () => '5.10.0',
    arch: () => 'arm64',
    tmpdir: () => '/tmp',
    machine: () => 'aarch64',
    version: () => '#1 SMP',
    endianness: () => 'LE',
    uptime: () => (options.now() - options.begun()) / 1000,
    totalmem: () => MEMORY,
    freemem: () => MEMORY,
    loadavg: () => [0, 0, 0],
    cpus: () => [],
    availableParallelism: () => 2,
    networkInterfaces: () => ({}),
    userInfo: () => ({ uid: 993, gid: 990, username: 'sbx_user1051', homedir: '/home/sbx_user1051', shell: null }),
    constants: os.constants,
    devNull: '/dev/null',
    EOL: '\n',
  };
  const fs = filesystem();
  const { dns, promises: dnsPromises } = createDnsModules();
  const modules: Record<string, unknown> = {
    crypto,
    process,
    os: machine,
    http,
    https,
    http2,
    console: { Console: class { constructor() { Object.assign(this, console); } } }, // biome-ignore format: one line
    fs,
    'fs/promises': fs.promises,
    assert,
    'assert/strict': assert.strict,
    async_hooks: asyncHooks,
    buffer,
    diagnostics_channel: diagnosticsChannel,
    dns,
    'dns/promises': dnsPromises,
    events: EventEmitter,
    // Connections are made by http and https only.
    net: { BlockList, isIP, isIPv4, isIPv6 },
    path,
    'path/posix': path.posix,
    querystring,
    stream,
    'stream/promises': streamPromises,
    'stream/web': streamWeb,
    string_decoder: stringDecoder,
    url,
    util,
    'util/types': util.types,
    zlib: createZlib(work),
  };
  const load = (name: string): unknown => {
    const called = name.replace(/^node:/, '');
    const found = (Object.hasOwn(modules, called) ? modules[called] : undefined) ?? others(called);
    if (!found) throw new NoSuchModule(`Cannot find module '${name}'`);
    return found;
  };
  const require = Object.assign(load, { cache: {}, resolve: resolveModule });
  const others = createNodeModules({ timers: options.timers, performance: options.performance, require });
  return { process, console, crypto: webcrypto, require };
}

/**
 * Returns the name of a module of Node. A bundle is one file, so nothing else is found by a path.
 * @throws {NotSimulated} with Node's code, for packages that do without
 */
function resolveModule(name: string): string {
  if (isBuiltin(name)) return name;
  throw Object.assign(new NotSimulated(`require.resolve of ${name}`), { code: 'MODULE_NOT_FOUND' });
}

function createProcess({ env, now, begun, exit, log }: BuiltinsOptions): object {
  const hrtime = Object.assign(
    (since: readonly [number, number] = [0, 0]): [number, number] => {
      const elapsed = now() - begun();
      return [Math.floor(elapsed / 1000) - since[0], (elapsed % 1000) * 1e6 - since[1]];
    },
    { bigint: () => BigInt(now() - begun()) * 1_000_000n },
  );
  const output = (level: string) => ({
    write: (text: string): boolean => {
      log(level, String(text).trimEnd());
      return true;
    },
  });
  const process = Object.assign(new EventEmitter(), {
    argv: ['/var/lang/bin/node'],
    execArgv: [],
    pid: 8,
    platform: 'linux',
    arch: 'arm64',
    version: globalThis.process.version,
    versions: { ...globalThis.process.versions },
    release: { name: 'node' },
    stdout: output('log'),
    stderr: output('error'),
    cwd: () => '/var/task',
    uptime: () => (now() - begun()) / 1000,
    memoryUsage: () => ({ rss: 1e8, heapTotal: 6e7, heapUsed: 4e7, external: 1e6, arrayBuffers: 1e5 }),
    hrtime,
    nextTick: globalThis.process.nextTick,
    emitWarning: () => undefined,
    exit: (code = 0) => exit(Number(code)),
    abort: () => exit(134),
    kill: () => exit(137),
  });
  return Object.defineProperty(process, 'env', { get: env, enumerable: true });
}

function createConsole(log: BuiltinsOptions['log']): object {
  const at =
    (level: string) =>
    (...args: unknown[]): void =>
      log(level, util.format(...args));
  const levels = ['log', 'debug', 'info', 'warn', 'error', 'trace'] as const;
  return Object.fromEntries(levels.map((level) => [level, at(level)]));
}

/** An empty disk: the SDK looks for `~/.aws` at its first call. */
function filesystem() {
  const missing = (file: unknown): Error =>
    Object.assign(new Error(`ENOENT: no such file or directory, open '${String(file)}'`), { code: 'ENOENT' });
  const refuse = (file: unknown): never => {
    throw missing(file);
  };
  const promises = {
    readFile: (file: unknown) => Promise.reject(missing(file)),
    stat: (file: unknown) => Promise.reject(missing(file)),
    access: (file: unknown) => Promise.reject(missing(file)),
  };
  return {
    promises,
    existsSync: () => false,
    readFileSync: refuse,
    statSync: refuse,
    lstatSync: refuse,
    fstatSync: refuse,
    createReadStream: refuse,
    ReadStream: class ReadStream {},
  };
}
