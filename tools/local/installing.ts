import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LocalRunError } from './errors.js';
import { type Progress, waitUntil } from './progress.js';

/** Installation below the cache of this machine, for all clones. */
export interface Place {
  /** Folder of the installation. Its name holds the hash of its locks, so other locks are another installation. */
  readonly folder: string;
  /** Python of its environment. */
  readonly python: string;
  /** File that exists once everything is installed. */
  readonly done: string;
}

/** @param locks absolute paths of the files that say what is installed */
export function installationPlace(name: string, locks: readonly string[]): Place {
  const hash = createHash('sha256');
  for (const lock of locks) hash.update(readFileSync(lock));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orderly');
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`);
  return { folder, python: join(folder, 'venv', 'bin', 'python'), done: join(folder, 'done') };
}

/**
 * Installs into a place, unless it is installed. If several processes install at the same time, one installs and the others
 * wait.
 * @param name for people: `LocalStack`
 */
export async function installOnce(
  { folder, done }: Place,
  name: string,
  progress: Progress,
  install: () => Promise<void>,
): Promise<void> {
  if (existsSync(done)) return;
  mkdirSync(join(folder, '..'), { recursive: true });
  await runExclusively(
    `${folder}.lock`,
    `another process is installing ${name}: waiting for it`,
    progress,
    async () => {
      if (existsSync(done)) return;
      progress(`installing ${name} into ${folder} (once, about a minute)`);
      rmSync(folder, { recursive: true, force: true }); // left by an interrupted installation
      mkdirSync(folder);
      await install();
      writeFileSync(done, '');
    },
  );
}

/** Returns a Python that the wheels run on, the one that `PYTHON` names if it is set; `undefined` if there is none. */
export function findPython(): string | undefined {
  const named = process.env.PYTHON;
  return (named ? [named] : ['python3.13', 'python3.12', 'python3.11', 'python3']).find((name) =>
    runs(name, ['-c', 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))']),
  );
}

const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes'];

/** Makes a Python environment with wheels, each of which is compared with the hash in the lock. */
export async function installWheels({ folder, python }: Place, from: string, lock: string): Promise<void> {
  await run(from, ['-m', 'venv', join(folder, 'venv')]);
  await run(python, [...PIP, '--only-binary', ':all:', '-r', lock]);
}

/** Builds packages that have no wheels, by the build tool that {@link installWheels} has installed. */
export async function installSources({ python }: Place, lock: string): Promise<void> {
  // A wheel in pip's cache could come from any other build tool.
  const build = ['--no-binary', ':all:', '--no-build-isolation', '--use-pep517', '--no-cache-dir'];
  await run(python, [...PIP, ...build, '-r', lock]);
}

/** Tells whether a command ends with 0. */
export function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs a command. @throws {LocalRunError} with the end of its output, if it fails */
export function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new LocalRunError(`${command} ${args.slice(0, 3).join(' ')} failed:\n${said}`));
    });
  });
}

/** Runs work in one process at a time. A file holds the id of that process; a file of a dead process is ignored. */
async function runExclusively(
  file: string,
  waiting: string,
  progress: Progress,
  work: () => Promise<void>,
): Promise<void> {
  let told = false;
  await waitUntil(
    async () => {
      try {
        writeFileSync(file, String(process.pid), { flag: 'wx' });
        return true;
      } catch {
        if (!holderLives(file)) rmSync(file, { force: true });
        else if (!told) {
          told = true;
          progress(waiting);
        }
        return undefined;
      }
    },
    { idleMs: 600_000, everyMs: 500, missing: () => `the installation that holds ${file} has not ended` },
  );
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function holderLives(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
