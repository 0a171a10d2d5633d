import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ORDERLY_FOLDER } from './dev-issuer.js';
import { type Endpoint, endpointAt, endpointFromEnvironment } from './endpoint.js';
import { answers } from './localstack/localstack.js';

/** Data of a running `npm start` for scripts and people (`.orderly/local.json`). */
export interface LocalRun {
  readonly endpoint: string;
  readonly region: string;
  /** URL of the API, without a trailing slash. */
  readonly apiUrl: string;
  readonly tokens: { readonly alice: string; readonly bob: string; readonly operator: string };
}

const FILE = join(ORDERLY_FOLDER, 'local.json');
const INSTANCES = join(ORDERLY_FOLDER, 'instances');

/** Reads what the last start wrote, whether it still runs or not. Returns `undefined` if there was none. */
export function readLocalRun(): LocalRun | undefined {
  const text = readIfThere(FILE);
  return text === undefined ? undefined : (JSON.parse(text) as LocalRun);
}

/** Finds where Orderly runs now: at `ORDERLY_ENDPOINT`, or at the last start if it still answers. */
export async function runningEndpoint(): Promise<Endpoint | undefined> {
  const named = await endpointFromEnvironment();
  if (named) return named;
  const run = readLocalRun();
  return run && (await answers(run.endpoint)) ? endpointAt(run.endpoint) : undefined;
}

/** Writes the file in one step and readable by its owner only, since it contains tokens. */
export function writeLocalRun(run: LocalRun): void {
  mkdirSync(ORDERLY_FOLDER, { recursive: true, mode: 0o700 });
  const draft = `${FILE}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, FILE);
}

/** Removes the file, unless a later start has written its own. */
export function forgetLocalRun(run: LocalRun): void {
  if (readLocalRun()?.endpoint === run.endpoint) rmSync(FILE, { force: true });
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
export function logOf(endpoint: string | undefined): (() => string) | undefined {
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
