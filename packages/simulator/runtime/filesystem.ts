import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Random } from '../engine/random.js';
import { completed } from './node-members.js';

/** Folders of this machine in which the files of an environment are. */
export interface Folders {
  /** Where `/tmp` is; it is made when something is written there. */
  readonly scratch: () => Scratch;
  /** Where `/var/task` is: the function's asset. Nothing for code in the template. */
  readonly task: () => string | undefined;
  /** Where `/opt` is: the layers, a later one over an earlier one. */
  readonly layers: () => readonly string[];
}

/** Folder above those of all environments of this process; it goes with the process. */
let above: string | undefined;

/** The folder of one environment that is `/tmp` to its code. */
export class Scratch {
  private made: string | undefined;

  /** Whether code has asked for a file in it. */
  get isUsed(): boolean {
    return this.made !== undefined;
  }

  get folder(): string {
    if (this.made !== undefined) return this.made;
    if (above === undefined) {
      const made = fs.mkdtempSync(join(tmpdir(), 'orderly-environments-'));
      process.once('exit', () => fs.rmSync(made, { recursive: true, force: true }));
      above = made;
    }
    this.made = fs.mkdtempSync(join(above, 'tmp-'));
    return this.made;
  }

  remove(): void {
    if (this.made !== undefined) fs.rmSync(this.made, { recursive: true, force: true });
  }
}

interface FilesystemOptions {
  readonly folders: Folders;
  readonly log: (level: string, line: string) => void;
  readonly random: () => Random;
  /** Returns the environment's start time: that of all its files. */
  readonly begun: () => number;
}

type Call = (...args: unknown[]) => unknown;

/** Functions of one path, without `Sync`, that change nothing. */
const READS = ['access', 'lstat', 'opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'stat', 'statfs'] as const;
/** Functions whose first path is changed. */
const WRITES = [
  'appendFile',
  'chmod',
  'lutimes',
  'mkdir',
  'mkdtemp',
  'rm',
  'rmdir',
  'truncate',
  'unlink',
  'utimes',
  'writeFile',
] as const;
/** Functions of two paths, of which the second one is changed, and with `rename` the first one too. */
const COPIES = ['copyFile', 'cp', 'rename'] as const;
/** Functions of an open file. */
const OF_OPEN = [
  'close',
  'fchmod',
  'fdatasync',
  'fstat',
  'fsync',
  'ftruncate',
  'futimes',
  'read',
  'readv',
  'write',
  'writev',
] as const;
/** "Configure ephemeral storage for Lambda functions", and the folders of code and layers. */
const [TMP, TASK, OPT] = ['/tmp', '/var/task', '/opt'];
const OUTPUTS: Readonly<Record<number, string>> = { 1: 'log', 2: 'error' };

const real = fs as unknown as Readonly<Record<string, Call>>;

/**
 * Returns the file system of an environment: its code and layers, which it can only read, and `/tmp`. All else is missing, so the SDK finds no `~/.aws`.
 * Node's own functions do the work, in folders of this machine; those with a callback or a promise do it at once, so that a seed stays one history.
 * AWS Lambda, "Understanding the Lambda execution environment lifecycle", "Packaging your layer content".
 */
export function createFilesystem(
  options: FilesystemOptions,
): { readonly promises: object } & Readonly<Record<string, unknown>> {
  const sync = createSync(options);
  const promised = [...READS, ...WRITES, ...COPIES].map((name): [string, Call] => [
    name,
    async (...args: unknown[]) => sync[name]?.(...args),
  ]);
  const promises = completed('fs/promises', Object.fromEntries(promised));
  const called = Object.entries(sync).map(([name, act]): [string, Call] => [
    name,
    (...args: unknown[]) => callBack(act, args, /^(read|write)v?$/.test(name)),
  ]);
  const ofName = Object.entries(sync).map(([name, act]): [string, Call] => [`${name}Sync`, act]);
  const exists = (path: unknown): boolean => {
    try {
      sync.access?.(path);
      return true;
    } catch {
      return false;
    }
  };
  return completed('fs', {
    ...Object.fromEntries([...called, ...ofName]),
    exists: (path: unknown, callback: (is: boolean) => void) => process.nextTick(callback, exists(path)),
    existsSync: exists,
    createReadStream: (path: unknown, given?: unknown) => readStream(sync, path, given),
    createWriteStream: (path: unknown, given?: unknown) => writeStream(sync, path, given),
    ReadStream: Readable,
    WriteStream: Writable,
    Stats: fs.Stats,
    Dirent: fs.Dirent,
    promises,
  });
}

/** Returns the functions that act at once, by their names without `Sync`. */
function createSync(options: FilesystemOptions): Readonly<Record<string, Call>> {
  const { log, random, begun } = options;
  const place = new Places(options.folders);
  const shown = (result: unknown): unknown => (result instanceof fs.Stats ? atTime(result, begun()) : result);
  const act = (name: string, args: readonly unknown[]): unknown =>
    place.errors(() => shown((real[`${name}Sync`] as Call)(...args)));
  const reads = READS.map((name): [string, Call] => [
    name,
    (path, ...more) => {
      const found = act(name, [place.read(name, path), ...more]);
      return name === 'realpath' ? place.virtual(String(found)) : found;
    },
  ]);
  const writes = WRITES.map((name): [string, Call] => [
    name,
    (path, ...more) => {
      if (name !== 'mkdtemp') return act(name, [place.write(name, path), ...more]);
      // Its name comes from the seed.
      const made = `${String(path)}${random().id(6)}`;
      act('mkdir', [place.write(name, made)]);
      return made;
    },
  ]);
  const copies = COPIES.map((name): [string, Call] => [
    name,
    (from, to, ...more) =>
      act(name, [name === 'rename' ? place.write(name, from) : place.read(name, from), place.write(name, to), ...more]),
  ]);
  const open = (path: unknown, flags: unknown = 'r', ...more: unknown[]): unknown => {
    const writesTo = typeof flags === 'number' ? (flags & 3) !== 0 : /[aw+]/.test(String(flags));
    return act('open', [writesTo ? place.write('open', path) : place.read('open', path), flags, ...more]);
  };
  const ofOpen = OF_OPEN.map((name): [string, Call] => [
    name,
    (file, ...more) => {
      const level = OUTPUTS[Number(file)];
      if (level === undefined) return act(name, [file, ...more]);
      // Loggers write to the standard output by its number.
      return name.startsWith('write') ? writeLine(log, level, more) : undefined;
    },
  ]);
  return Object.fromEntries([...reads, ...writes, ...copies, ['open', open], ...ofOpen]);
}

/** Finds the place of a file of an environment on this machine. */
class Places {
  constructor(private readonly folders: Folders) {}

  /** @throws with Node's codes */
  read(call: string, path: unknown): string {
    const absolute = toAbsolute(path);
    const found = this.find(absolute);
    if (found === undefined) throw failure('ENOENT', 'no such file or directory', call, absolute);
    return found;
  }

  /** @throws with Node's codes */
  write(call: string, path: unknown): string {
    const absolute = toAbsolute(path);
    if (isIn(TMP, absolute)) return join(this.folders.scratch().folder, absolute.slice(TMP.length));
    throw failure('EROFS', 'read-only file system', call, absolute);
  }

  /** Lets errors name the file as its code does. */
  errors<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      const { path, dest } = error as { path?: string; dest?: string };
      if (error instanceof Error) {
        Object.defineProperty(error, 'message', { value: this.virtual(error.message), configurable: true });
        Object.assign(
          error,
          path !== undefined && { path: this.virtual(path) },
          dest !== undefined && { dest: this.virtual(dest) },
        );
      }
      throw error;
    }
  }

  /** Puts the folders of an environment in the place of those of this machine. */
  virtual(text: string): string {
    const { task, layers } = this.folders;
    const scratch = this.folders.scratch();
    const known = [
      ...(scratch.isUsed ? [[scratch.folder, TMP] as const] : []),
      ...[task() ?? []].flat().map((folder) => [folder, TASK] as const),
      ...layers().map((folder) => [folder, OPT] as const),
    ];
    return known.reduce((shown, [folder, name]) => shown.replaceAll(folder, name), text);
  }

  private find(absolute: string): string | undefined {
    const { task, layers } = this.folders;
    const scratch = this.folders.scratch();
    if (isIn(TMP, absolute))
      return scratch.isUsed || absolute === TMP ? join(scratch.folder, absolute.slice(TMP.length)) : undefined;
    const [root, folders] = isIn(TASK, absolute) ? [TASK, [task() ?? []].flat()] : [OPT, [...layers()].reverse()];
    if (!isIn(root, absolute)) return undefined;
    return folders.map((folder) => join(folder, absolute.slice(root.length))).find((one) => fs.existsSync(one));
  }
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

function toAbsolute(path: unknown): string {
  const text = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : path;
  if (typeof text !== 'string')
    throw Object.assign(new TypeError('The "path" argument must be of type string or an instance of Buffer or URL.'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  return posix.resolve(TASK, text);
}

const failure = (code: string, words: string, syscall: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${words}, ${syscall === 'readFile' ? 'open' : syscall} '${path}'`), {
    code,
    syscall,
    path,
  });

/** Files have the time at which their environment started: that of this machine would differ from play to play. */
const atTime = (stats: fs.Stats, at: number): fs.Stats =>
  Object.assign(
    stats,
    Object.fromEntries(
      ['atime', 'mtime', 'ctime', 'birthtime'].flatMap((name) => [
        [name, new Date(at)],
        [`${name}Ms`, at],
      ]),
    ),
  );

function writeLine(log: FilesystemOptions['log'], level: string, [what]: readonly unknown[]): number {
  const parts = Array.isArray(what) ? (what as readonly Uint8Array[]) : [what];
  const text = parts.map((one) => (typeof one === 'string' ? one : Buffer.from(one as Uint8Array).toString())).join('');
  log(level, text.trimEnd());
  return Buffer.byteLength(text);
}

/** Acts at once, and calls back later. @param tellsBuffer whether the callback gets what was read into or written, too */
function callBack(act: Call, args: readonly unknown[], tellsBuffer: boolean): void {
  const callback = args.at(-1);
  if (typeof callback !== 'function')
    throw Object.assign(new TypeError('The "cb" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
  const given = args.slice(0, -1);
  try {
    const result = act(...given);
    process.nextTick(callback as Call, null, result, ...(tellsBuffer ? [given[1]] : []));
  } catch (error) {
    process.nextTick(callback as Call, error);
  }
}

interface StreamOptions {
  readonly encoding?: BufferEncoding;
  readonly start?: number;
  /** The last byte. */
  readonly end?: number;
  readonly flags?: string;
}

const streamOptions = (given: unknown): StreamOptions =>
  typeof given === 'string' ? { encoding: given as BufferEncoding } : ((given ?? {}) as StreamOptions);

function readStream(sync: Readonly<Record<string, Call>>, path: unknown, given: unknown): Readable {
  const { encoding, start = 0, end } = streamOptions(given);
  const read = function (this: Readable): void {
    try {
      const bytes = sync.readFile?.(path) as Buffer;
      this.push(bytes.subarray(start, end === undefined ? undefined : end + 1));
      this.push(null);
    } catch (error) {
      this.destroy(error as Error);
    }
  };
  const stream = new Readable({ read });
  if (encoding !== undefined) stream.setEncoding(encoding);
  return Object.assign(stream, { path });
}

function writeStream(sync: Readonly<Record<string, Call>>, path: unknown, given: unknown): Writable {
  const { flags = 'w', encoding } = streamOptions(given);
  const attempt = (done: (error?: Error) => void, act: () => void): void => {
    try {
      act();
      done();
    } catch (error) {
      done(error as Error);
    }
  };
  const stream = new Writable({
    construct: (done) =>
      attempt(done, () => {
        const write = flags.startsWith('a') ? sync.appendFile : sync.writeFile;
        write?.(path, '');
      }),
    write: (chunk: Buffer, _encoding, done) => attempt(done, () => void sync.appendFile?.(path, chunk)),
  });
  if (encoding !== undefined) stream.setDefaultEncoding(encoding);
  return Object.assign(stream, { path });
}
