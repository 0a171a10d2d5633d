import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pagerFor } from '../../packages/operator/cli/pager.js';

const terminal = { isTTY: true, columns: 40, rows: 10 } as const;
const lines = (count: number, text = 'row') => Array.from({ length: count }, () => text).join('\n');
const asked = (text: string, env: NodeJS.ProcessEnv = {}, stdout: object = terminal) =>
  pagerFor(text, { variable: 'CINEMA_PAGER', env, stdout: stdout as typeof terminal });

describe('a pager', () => {
  test('is for texts that the terminal doesn’t hold', () => {
    expect(asked(lines(9))).toBeUndefined();
    expect(asked(lines(10))).toBe('less');
    expect(asked(lines(5, 'x'.repeat(41)))).toBe('less');
    expect(asked(lines(5, `\u001b[31m${'x'.repeat(40)}\u001b[0m`))).toBeUndefined();
  });

  test('is the application’s, or the user’s', () => {
    expect(asked(lines(99), { PAGER: 'more' })).toBe('more');
    expect(asked(lines(99), { PAGER: 'more', CINEMA_PAGER: 'less -S' })).toBe('less -S');
  });

  test.each([
    ['NO_PAGER', { NO_PAGER: '1' }],
    ['an empty PAGER', { PAGER: '' }],
    ['cat', { PAGER: 'more', CINEMA_PAGER: 'cat' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('is not started with %s', (_, env) => expect(asked(lines(99), env)).toBeUndefined());

  test('is not started where there is no terminal', () => expect(asked(lines(99), {}, { rows: 10 })).toBeUndefined());
});

describe('a process that pages', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orderly-pager-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Code of a process that shows a text of three lines, and says so. */
  const program = (pager: string): string => {
    const file = join(folder, 'pages.ts');
    const module = join(process.cwd(), 'packages/operator/cli/pager.ts');
    writeFileSync(
      file,
      `import { showInPager } from ${JSON.stringify(module)};
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
showInPager(${JSON.stringify(pager)}, 'one\\ntwo\\nthree').then((shown) => console.log(shown));`,
    );
    return file;
  };
  /** The timeout ends what hangs: no busy machine reaches it. */
  const run = (pager: string) =>
    spawnSync(process.execPath, ['--import', 'tsx', program(pager)], { encoding: 'utf8', timeout: 1_800_000 });

  test('waits until it is closed', () => expect(run('cat').stdout).toBe('one\ntwo\nthree\ntrue\n'));
  test('is not ended by a pager that reads nothing', () => expect(run('true').stdout).toBe('true\n'));
  test('learns that there is none', () => expect(run('no-such-pager 2> /dev/null').stdout).toBe('false\n'));

  test('leaves Ctrl-C to the pager, and leaves no pager behind', async () => {
    const note = join(folder, 'pid');
    const child = spawn(process.execPath, ['--import', 'tsx', program(`echo $$ > ${note}; exec sleep 600`)]);
    const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
    const pid = await eventually(() => Number(readFileSync(note, 'utf8')));
    child.kill('SIGINT');
    await new Promise((resolve) => void setImmediate(resolve));
    expect(child.exitCode).toBeNull();
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    await eventually(() => (isAlive(pid) ? undefined : true));
  });
});

function isAlive(pid: number): boolean {
  try {
    // A child that nobody waits for any more is a zombie for a moment.
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits for a value. */
async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let times = 0; times < 600; times++) {
    try {
      const found = look();
      if (found) return found;
    } catch {
      // not yet
    }
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  throw new Error('Nothing came.');
}

test('a text whose reader ends early is no error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-print-'));
  const module = join(process.cwd(), 'packages/operator/cli/print.ts');
  // More than a pipe holds.
  writeFileSync(
    join(folder, 'prints.ts'),
    `import { print } from ${JSON.stringify(module)};
print('row\\n'.repeat(500_000), { paged: true, app: 'cinema' });`,
  );
  const shell = `set -o pipefail; '${process.execPath}' --import tsx '${join(folder, 'prints.ts')}' | head -1`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'row\n', stderr: '' });
});
