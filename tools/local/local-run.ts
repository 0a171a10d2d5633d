import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDERLY_FOLDER } from './dev-issuer.js';

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
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as LocalRun;
  } catch {
    return undefined;
  }
}

/** Writes it in one step, for its owner alone: it holds tokens. */
export function writeLocalRun(run: LocalRun): void {
  mkdirSync(ORDERLY_FOLDER, { recursive: true });
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
  mkdirSync(INSTANCES, { recursive: true });
  for (const name of readdirSync(INSTANCES)) {
    if (!isAlive(Number(name))) rmSync(join(INSTANCES, name), { recursive: true, force: true });
  }
  return join(INSTANCES, String(process.pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
