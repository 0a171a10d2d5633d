import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ORDERLY_FOLDER } from './dev-issuer.js';
import { type Endpoint, endpointAt, endpointFromEnvironment } from './endpoint.js';
import { answers } from './localstack/localstack.js';

/** What a running `npm start` tells scripts and people (`.orderly/local.json`). */
export interface LocalRun {
  readonly endpoint: string;
  readonly region: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly tokens: { readonly alice: string; readonly bob: string; readonly operator: string };
}

const FILE = join(ORDERLY_FOLDER, 'local.json');
const INSTANCES = join(ORDERLY_FOLDER, 'instances');

/** What the last start wrote, whether it still runs or not; undefined where there is none. */
export function readLocalRun(): LocalRun | undefined {
  const text = readIfThere(FILE);
  return text === undefined ? undefined : (JSON.parse(text) as LocalRun);
}

/** Where Orderly runs now: what `ORDERLY_ENDPOINT` names, or the last start, where it still answers. */
export async function runningEndpoint(): Promise<Endpoint | undefined> {
  const named = await endpointFromEnvironment();
  if (named) return named;
  const run = readLocalRun();
  return run && (await answers(run.endpoint)) ? endpointAt(run.endpoint) : undefined;
}

/** Writes it in one step, for its owner alone: it holds tokens. */
export function writeLocalRun(run: LocalRun): void {
  mkdirSync(ORDERLY_FOLDER, { recursive: true, mode: 0o700 });
  const draft = `${FILE}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, FILE);
}

/** Takes it away again, unless a later start has written its own. */
export function forgetLocalRun(run: LocalRun): void {
  if (readLocalRun()?.endpoint === run.endpoint) rmSync(FILE, { force: true });
}

/** A folder for one emulator of this process; those of processes that are gone are removed. */
export function instanceFolder(): string {
  mkdirSync(INSTANCES, { recursive: true, mode: 0o700 });
  for (const folder of instances()) {
    if (!isAlive(Number(basename(folder)))) rmSync(folder, { recursive: true, force: true });
  }
  return join(INSTANCES, String(process.pid));
}

/** Log of the emulator that a living process of this clone runs at this endpoint; undefined where it is none of ours. */
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
