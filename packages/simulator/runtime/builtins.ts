import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import * as os from 'node:os';
import type { Random } from '../engine/random.js';
import { createConsole } from './console.js';
import { createCrypto } from './crypto.js';
import { createFilesystem, type Folders } from './filesystem.js';
import { createAsyncHooks, createDiagnosticsChannel, type Leftovers } from './leftovers.js';
import { type Compile, createModuleModule, resolveModule } from './module-module.js';
import { createDnsModules } from './names.js';
import { completed } from './node-members.js';
import { createNodeModules } from './node-modules.js';
import { createOwnModules } from './own-modules.js';
import { createProcess, type ProcessOptions } from './process.js';
import { createZlib, type RunInTurn } from './zlib.js';

/** Memory that a function sees, bytes. */
const MEMORY = 128 * 1024 * 1024;

/** A module that code requires, and that is neither in its bundle nor in Node. */
class NoSuchModule extends Error {
  override readonly name = 'NoSuchModule';
  readonly code = 'MODULE_NOT_FOUND';
}

export interface BuiltinsOptions extends ProcessOptions {
  /** Folders that its code can read, and where it can write. */
  readonly folders: Folders;
  readonly random: () => Random;
  /** Called with the random bytes that were asked for in one call: the memory of the code itself. */
  readonly drew: (bytes: Uint8Array) => void;
  /** @see Surroundings.isReal */
  readonly isReal: () => boolean;
  readonly timers: Parameters<typeof createNodeModules>[0]['timers'];
  readonly performance: object;
  readonly http: object;
  readonly https: object;
  readonly http2: () => object;
  readonly work: RunInTurn;
  /** Changes to Node itself, which end with the environment. */
  readonly leftovers: Leftovers;
  readonly compile: Compile;
}

export interface Builtins {
  readonly process: object;
  readonly console: object;
  readonly crypto: object;
  readonly require: (name: string) => unknown;
}

/** Returns the Node modules that a bundle sees: real if they depend on nothing outside, simulated otherwise. */
export function createBuiltins(options: BuiltinsOptions): Builtins {
  const { http, https, http2, work, leftovers } = options;
  const { module: crypto, webcrypto } = createCrypto(options);
  const console = createConsole(options);
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
  const { dns, promises: dnsPromises } = createDnsModules();
  let files: ReturnType<typeof createFilesystem> | undefined;
  const filesystem = () => {
    files ??= createFilesystem(options);
    return files;
  };
  // Each is made when code requires it first.
  const makers: Readonly<Record<string, () => unknown>> = {
    crypto: () => crypto,
    process: () => process,
    os: () => completed('os', machine),
    http: () => http,
    https: () => https,
    http2,
    console: () => console,
    fs: filesystem,
    'fs/promises': () => filesystem().promises,
    async_hooks: () => createAsyncHooks(leftovers),
    diagnostics_channel: () => createDiagnosticsChannel(leftovers),
    dns: () => completed('dns', { ...dns, promises: load('dns/promises') }),
    'dns/promises': () => completed('dns/promises', dnsPromises),
    // Connections are made by http and https only.
    net: () => completed('net', { BlockList, isIP, isIPv4, isIPv6 }),
    module: () => createModuleModule({ require, compile: options.compile }),
    zlib: () => createZlib(work),
  };
  const own = createOwnModules();
  const made = new Map<string, unknown>();
  const load = (name: string): unknown => {
    const called = name.replace(/^node:/, '');
    if (made.has(called)) return made.get(called);
    const found = Object.hasOwn(makers, called) ? makers[called]?.() : (own(called) ?? others(called));
    if (!found) throw new NoSuchModule(`Cannot find module '${name}'`);
    made.set(called, found);
    return found;
  };
  const require = Object.assign(load, {
    cache: {},
    resolve: (name: string) => resolveModule(name, options.folders),
  });
  const others = createNodeModules({ timers: options.timers, performance: options.performance, require });
  const process = createProcess(options, require);
  return { process, console, crypto: webcrypto, require };
}
