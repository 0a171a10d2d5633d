import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { atExit } from './at-exit.js';
import { ORDERLY_FOLDER } from './dev-issuer.js';
import { type Endpoint, endpointFromEnvironment, findEndpoint } from './endpoint.js';

/** Data of a running `npm start` for scripts and people (`.orderly/local.json`). */
export interface LocalRun {
  readonly endpoint: string;
  readonly region: string;
  /** URL of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** File in which it keeps its state, if it does. */
  readonly keeps?: string;
  readonly tokens: { readonly alice: string; readonly bob: string; readonly operator: string };
}

/** State of a start with `--keep`. */
export const STATE = join(ORDERLY_FOLDER, 'state', 'dev.json');

const FILE = join(ORDERLY_FOLDER, 'local.json');
/** File in a process's folder, from its beginning on. */
const BEGUN = 'start.json';
const INSTANCES = join(ORDERLY_FOLDER, 'instances');

/** Reads what the last start wrote, whether it still runs or not. Returns `undefined` if there was none. */
export function readLocalRun(): LocalRun | undefined {
  const text = readIfThere(FILE);
  return text === undefined ? undefined : (JSON.parse(text) as LocalRun);
}

/** Finds the starts of this clone that run now, in any process, the newest first. */
const runningLocally = (): readonly LocalRun[] =>
  instances()
    .filter((folder) => isAlive(Number(basename(folder))))
    .map((folder) => join(folder, 'local.json'))
    .filter((file) => existsSync(file))
    .toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as LocalRun);

/** A start of this clone in another process, that runs or isn't ready yet. */
export type OtherStart = Pick<LocalRun, 'endpoint' | 'keeps'> | (Pick<LocalRun, 'keeps'> & { readonly pid: number });

/** Finds the other starts of this clone: those that run, the newest first, then those that aren't ready. */
export function otherStarts(): readonly OtherStart[] {
  const beginning = instances()
    .map((folder) => ({ folder, pid: Number(basename(folder)) }))
    .filter(({ folder, pid }) => pid !== process.pid && isAlive(pid) && !existsSync(join(folder, 'local.json')))
    .flatMap(({ folder, pid }) => {
      const text = readIfThere(join(folder, BEGUN));
      return text === undefined ? [] : [{ ...(JSON.parse(text) as { keeps?: string }), pid }];
    });
  return [...runningLocally(), ...beginning];
}

/**
 * Lets other starts of this clone know of this one before it is ready. The file goes when this process ends.
 * @param keeps the file in which it will keep its state
 */
export function announceStart(keeps: string | undefined): void {
  const own = instanceFolder();
  mkdirSync(own, { recursive: true, mode: 0o700 });
  atExit(() => rmSync(join(own, BEGUN), { force: true }));
  write(join(own, BEGUN), { keeps });
}

/** Finds where Orderly runs now: at `ORDERLY_ENDPOINT`, or at the last start if it still answers. */
export async function runningEndpoint(): Promise<Endpoint | undefined> {
  const named = await endpointFromEnvironment();
  if (named) return named;
  const run = readLocalRun();
  return run && findEndpoint(run.endpoint).catch(() => undefined);
}

/** Writes the file, and this process's own copy, in one step each and readable by its owner only: they contain tokens. */
export function writeLocalRun(run: LocalRun): void {
  const own = instanceFolder();
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const file of [join(own, 'local.json'), FILE]) write(file, run);
}

/** Writes this process's file again, and the clone's where it names this process. The newest start stays the newest. */
export function renewLocalRun(run: LocalRun): void {
  const own = join(instanceFolder(), 'local.json');
  const { atime, mtime } = statSync(own);
  write(own, run);
  utimesSync(own, atime, mtime);
  if (readLocalRun()?.endpoint === run.endpoint) write(FILE, run);
}

/** Removes what this process has written. Where another start of this clone still runs, the file names that one again. */
export function forgetLocalRun(endpoint: string): void {
  rmSync(join(INSTANCES, String(process.pid)), { recursive: true, force: true });
  if (readLocalRun()?.endpoint !== endpoint) return;
  const [other] = runningLocally();
  if (other) write(FILE, other);
  else rmSync(FILE, { force: true });
}

function write(file: string, content: object): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Returns a folder for one emulator of this process. Removes the folders of dead processes. */
export function instanceFolder(): string {
  mkdirSync(INSTANCES, { recursive: true, mode: 0o700 });
  for (const folder of instances()) {
    if (!isAlive(Number(basename(folder)))) rmSync(folder, { recursive: true, force: true });
  }
  return join(INSTANCES, String(process.pid));
}

/**
 * Returns the log of the emulator that a living process of this clone runs at this endpoint, or `undefined` for any
 * other.
 */
export function findLog(endpoint: string | undefined): (() => string) | undefined {
  const folder = instances().find(
    (one) => isAlive(Number(basename(one))) && readIfThere(join(one, 'endpoint')) === endpoint,
  );
  return folder === undefined ? undefined : () => readFileSync(join(folder, 'localstack.log'), 'utf8');
}

const instances = (): readonly string[] =>
  existsSync(INSTANCES) ? readdirSync(INSTANCES).map((name) => join(INSTANCES, name)) : [];

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
