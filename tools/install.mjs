// Installs the dependencies of a clone, before anything else is imported: plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * File that is there while a command installs: it holds the process id. One that a command has left behind tells that its
 * installation was interrupted, or failed: what is in node_modules then may be incomplete, whatever npm's list says.
 */
const UNDER_WAY = '.build/installing';
/** Milliseconds between two looks at an installation of somebody else. */
const LOOK_EVERY = 300;
/** npm installs what runs in production only if NODE_ENV or its configuration says so. Orderly's commands need everything. */
const EVERYTHING = ['dev', 'optional', 'peer'].map((kind) => `--include=${kind}`);

/** Codes of npm for a registry that it can't reach. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;
/** Codes of npm if somebody else changes node_modules at the same time. */
const DISTURBED = /\b(ENOTEMPTY|EEXIST|ENOENT|EBUSY|ENOTDIR)\b/;

/** An installation that failed. Its message says what to do. */
class InstallError extends Error {
  name = 'LocalRunError';
}

/** Compares npm's list of installed packages in node_modules with the lock file, which `git pull` may have changed. */
export const installed = (root) => !existsSync(join(root, UNDER_WAY)) && noteFits(root);

function noteFits(root) {
  const note = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(note)) return false;
  const have = JSON.parse(readFileSync(note, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(want).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    // Optional packages of other platforms are in the lock file only.
    return have[path] ? have[path].version === version : optional || devOptional;
  });
}

/**
 * Installs what is missing. Of several commands at once one installs, and the others wait for it; all wait for an npm that
 * somebody has started by hand.
 * @throws {InstallError}
 */
export async function install(root) {
  if (installed(root)) return;
  const file = join(root, UNDER_WAY);
  mkdirSync(join(file, '..'), { recursive: true });
  const isLeft = await taken(file);
  // Meanwhile another command may have installed everything.
  if (isLeft || !noteFits(root)) await installAlone(root);
  rmSync(file);
}

/** Takes the file that says who installs. @returns whether somebody has left it behind */
async function taken(file) {
  let isLeft = false;
  await until(`another command that installs the dependencies (if none does: rm ${UNDER_WAY})`, () => {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!lives(file)) {
        isLeft = true;
        rmSync(file, { force: true });
      }
      return false;
    }
  });
  return isLeft;
}

function lives(file) {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two npm at once damage each other's files, and the one that ends last may not notice. */
async function installAlone(root) {
  for (;;) {
    await until('an npm that installs here', () => npmsIn(root).length === 0);
    console.error('Installing dependencies (npm ci) ...');
    const { status, stdout, stderr, error, disturbed } = await npmCi(root);
    if (disturbed) continue;
    process.stderr.write(stdout);
    if (status === 0) return;
    if (error)
      throw new InstallError(`npm can't be started (${error.message}): it comes with Node, https://nodejs.org`);
    const [, code] = UNREACHABLE.exec(stderr) ?? [];
    if (code)
      throw new InstallError(
        `npm can't reach its registry (${code}), so the dependencies are not installed. Connect to the network, or check npm's proxy and registry (npm config list), and run the same again.`,
      );
    const [, clash] = DISTURBED.exec(stderr) ?? [];
    const advice = clash ? ` (${clash}). If another npm installs here, wait for its end; then run the same again` : '';
    throw new InstallError(`${stderr}npm ci failed: see above${advice}.`);
  }
}

/** Waits until something holds. @param what for which it waits, for people */
async function until(what, holds) {
  for (let told = false; !holds(); told = true) {
    if (!told) console.error(`Waiting for ${what} ...`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}

/** Returns the ids of npm's processes that install in a folder. Only Linux tells: elsewhere there are none. */
function npmsIn(root, own) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id) || Number(id) === own) return false;
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return (
        /\bnpm(?:-cli\.js)? (?:ci|i|install)\b/.test(command) && readlinkSync(`/proc/${id}/cwd`) === realpathSync(root)
      );
    } catch {
      return false; // it has ended, or is somebody else's
    }
  });
}

/** Runs npm ci. Where a person reads, a line counts the seconds. */
function npmCi(root) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, ['ci', ...EVERYTHING, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const began = performance.now();
  let disturbed = false;
  const ticker = setInterval(() => {
    disturbed ||= npmsIn(root, child.pid).length > 0;
    if (process.stderr.isTTY)
      process.stderr.write(`\r\u001b[K  ... ${Math.round((performance.now() - began) / 1000)} s`);
  }, 1000);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  return new Promise((resolve) => {
    const end = (result) => {
      disturbed ||= npmsIn(root, child.pid).length > 0;
      clearInterval(ticker);
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
      resolve({ ...said, ...result, disturbed });
    };
    child.on('error', (error) => end({ error }));
    child.on('close', (status) => end({ status }));
  });
}
