import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Clone } from '../support/local/clone.js';

const clone = new Clone();
afterAll(() => clone.remove());

test.each([
  [['--nonsense'], 2, "Unknown option '--nonsense'"],
  [['--port'], 2, "'--port <value>' argument missing"],
  [['--keep', '--localstack'], 2, '--keep is for the local cloud only'],
  [['--port', 'many'], 1, '--port many: a number from 1 to 65535 was expected'],
])('npm start -- %j is refused with words', async (args, code, words) => {
  const { output, ...ended } = await clone.run('start', ...args).ended();
  expect(ended.code, output).toBe(code);
  expect(output).toContain(words);
  if (code === 2) expect(output).toContain('npm start -- [options]');
  expect(output).not.toContain('    at ');
});

test('a kept state that does not fit is refused with words, and stays as it is', async () => {
  const file = clone.at('.orderly/state/dev.json');
  mkdirSync(clone.at('.orderly/state'));
  const text = '{"format":"orderly-local","version":0}';
  writeFileSync(file, text);
  const { code, output } = await clone.run('start', '--no-demo', '--keep').ended();
  expect(code, output).toBe(1);
  expect(output).toContain(`${file} can't be taken: it has version 0 of the format`);
  expect(output).toContain('Remove the file to begin with an empty state.');
  expect(output).not.toContain('    at ');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a demo needs a local cloud that runs: it is refused with words and the next command', async () => {
  const { code, output } = await clone.run('demo', 'charge').ended();
  expect(code, output).toBe(1);
  expect(output).toBe('No local cloud runs here.\nNext: npm start   (in another terminal)\n');
});

describe('a clone without modules', () => {
  // Instead of npm: it takes two seconds, and can't reach its registry.
  const npm = '#!/bin/sh\nsleep 2.5\necho "added nothing"\necho "npm error code ENOTFOUND" >&2\nexit 1\n';
  const start = 'PATH="$PWD/fake:$PATH" node tools/run.mjs start';

  beforeAll(() => {
    mkdirSync(clone.at('fake'));
    writeFileSync(clone.at('fake/npm'), npm, { mode: 0o755 });
    rmSync(clone.at('node_modules/.package-lock.json'), { force: true });
  });

  test('npm ci says one line in a file, and then what was wrong', async () => {
    const { code, output } = await clone.paste(start).ended();
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /^Installing dependencies \(npm ci\) \.\.\.\nadded nothing\nnpm can't reach its registry \(ENOTFOUND\)/,
    );
  });

  test.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))(
    'npm ci counts its seconds at a terminal',
    async () => {
      const { output } = await clone.paste(`script -qec '${start}' /dev/null`).ended();
      expect(output.replaceAll('\u001b', 'ESC')).toMatch(/\rESC\[K {2}\.\.\. \d s\rESC\[Kadded nothing/);
    },
  );
});
