import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Clone } from './support/clone.js';

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
  expect(output).toContain('Remove the file to begin anew.');
  expect(output).not.toContain('    at ');
  expect(readFileSync(file, 'utf8')).toBe(text);
});
