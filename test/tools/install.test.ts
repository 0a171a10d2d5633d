import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installed } from '../../tools/install.mjs';
import { waitUntil } from '../../tools/local/progress.js';

const INSTALL = fileURLToPath(new URL('../../tools/install.mjs', import.meta.url));
const PACKAGES = JSON.stringify({ packages: { '': {}, 'node_modules/tsx': { version: '4.0.0' } } });

let root = '';
const started: ChildProcess[] = [];
const at = (path: string): string => join(root, path);
const runs = (): readonly string[] =>
  existsSync(at('runs')) ? readFileSync(at('runs'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-install-')));
  mkdirSync(at('fake'));
  mkdirSync(at('node_modules'));
  writeFileSync(at('package-lock.json'), PACKAGES);
  // Instead of npm: it writes its list first, and ends when the test lets it.
  writeFileSync(
    at('fake/npm'),
    `#!/bin/sh
echo "$@" >> runs
cp package-lock.json node_modules/.package-lock.json
while [ ! -e may-end ]; do sleep 0.05; done
cat says >&2 2>/dev/null
[ ! -e fails ]
`,
    { mode: 0o755 },
  );
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

interface Command {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

/** Starts a first command of a clone. */
function command(): Command {
  const code = `const { install } = await import(${JSON.stringify(INSTALL)});
    await install(process.cwd()).catch((error) => { console.error(error.message); process.exit(1); });`;
  const env = { ...process.env, NODE_ENV: 'production', PATH: `${at('fake')}:${process.env.PATH}` };
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: root, env });
  started.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return { child, said: () => said, ended: new Promise((resolve) => child.on('close', resolve)) };
}

const until = (what: () => boolean, missing: string) =>
  waitUntil(async () => (what() ? true : undefined), { missing: () => missing, everyMs: 20 });
const mayEnd = (): void => writeFileSync(at('may-end'), '');

test('installs what development needs, too, whatever NODE_ENV and npm’s configuration say', async () => {
  mayEnd();
  const { ended, said } = command();
  expect(await ended, said()).toBe(0);
  expect(runs()).toEqual(['ci --include=dev --include=optional --include=peer --no-audit --no-fund --loglevel=error']);
  expect(installed(root)).toBe(true);
});

test('one of two commands at once installs, and the other waits until that one has ended', async () => {
  const first = command();
  await until(() => runs().length === 1, first.said());
  expect(installed(root)).toBe(false); // although npm's list says so
  const second = command();
  await until(() => second.said().includes('Waiting for another command that installs'), second.said());
  mayEnd();
  expect([await first.ended, await second.ended]).toEqual([0, 0]);
  expect(runs()).toHaveLength(1);
  expect(installed(root)).toBe(true);
});

test('an installation that was interrupted is done again', async () => {
  const first = command();
  await until(() => runs().length === 1, first.said());
  first.child.kill('SIGKILL');
  await first.ended;
  mayEnd();
  expect(installed(root)).toBe(false); // although npm's list says so
  expect(await command().ended).toBe(0);
  expect(runs()).toHaveLength(2);
  expect(installed(root)).toBe(true);
});

test('a failed installation is done again by the next command, which says what may be the reason', async () => {
  mayEnd();
  writeFileSync(at('fails'), '');
  writeFileSync(at('says'), 'npm error code ENOTEMPTY\n');
  const { ended, said } = command();
  expect(await ended).toBe(1);
  expect(said()).toContain('(ENOTEMPTY). If another npm installs here, wait for its end; then run the same again.');
  expect(installed(root)).toBe(false);
  rmSync(at('fails'));
  expect(await command().ended).toBe(0);
  expect(installed(root)).toBe(true);
});

test.skipIf(process.platform !== 'linux')('waits for an npm that a user has started by hand', async () => {
  const npm = spawn('bash', ['-c', 'exec -a "npm ci" sleep 600'], { cwd: root });
  started.push(npm);
  mayEnd();
  const { ended, said } = command();
  await until(() => said().includes('Waiting for an npm that installs here'), said());
  expect(runs()).toEqual([]);
  npm.kill();
  expect(await ended, said()).toBe(0);
  expect(runs()).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')("installs again if another user's npm ran at the same time", async () => {
  const { ended, said } = command();
  await until(() => runs().length === 1, said());
  const npm = spawn('bash', ['-c', 'exec -a "npm ci" sleep 600'], { cwd: root });
  started.push(npm);
  await until(() => existsSync(`/proc/${npm.pid}/cmdline`), said());
  mayEnd();
  await until(() => said().includes('Waiting for an npm that installs here'), said());
  npm.kill();
  expect(await ended, said()).toBe(0);
  expect(runs()).toHaveLength(2);
});
