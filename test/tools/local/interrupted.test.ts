import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);

/** Runs a script as a process, as `tools/run.mjs` does: with a listener of before that ends it with 130. */
function process130(script: string): { readonly status: number | null; readonly stdout: string } {
  const begin = `import { awaitInterruption, onInterruption } from './tools/local/interrupted.ts';
    process.on('SIGINT', () => process.exit(130));
    const lost = setTimeout(() => process.exit(99), 60_000);`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', `${begin}\n${script}\nclearTimeout(lost);`];
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

test('a Ctrl-C that came just before it is awaited is not lost', () => {
  const { status, stdout } = process130(`
    process.kill(process.pid, 'SIGINT');
    await awaitInterruption();
    console.log('saved');`);
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'saved\n' });
});

test('a second Ctrl-C ends the process at once', () => {
  const { status, stdout } = process130(`
    process.kill(process.pid, 'SIGINT');
    await awaitInterruption();
    console.log('saving');
    process.kill(process.pid, 'SIGINT');
    await new Promise(() => {});`);
  expect({ status, stdout }).toEqual({ status: 130, stdout: 'saving\n' });
});

test('signals that were given back end the process as before', () => {
  const { status, stdout } = process130(`
    let giveBack;
    const heard = new Promise((resolve) => (giveBack = onInterruption(resolve)));
    process.kill(process.pid, 'SIGINT');
    console.log('heard', await heard);
    giveBack();
    process.kill(process.pid, 'SIGINT');
    await new Promise(() => {});`);
  expect({ status, stdout }).toEqual({ status: 130, stdout: 'heard 2\n' });
});
