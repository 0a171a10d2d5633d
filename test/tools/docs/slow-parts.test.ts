import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROOT } from '../../../tools/docs/pictures.js';
import { approved, played, runIfChanged } from '../../../tools/docs/slow-parts.js';

let root: URL;
let runs: number;
beforeEach(() => {
  root = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'docs-'))}/`);
  runs = 0;
  mkdirSync(new URL('sources/below', root), { recursive: true });
  for (const file of ['sources/below/a.ts', 'made.txt']) writeFileSync(new URL(file, root), file);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterEach(() => {
  rmSync(root, { recursive: true });
  vi.restoreAllMocks();
});

/** Runs a part that writes how often it ran, and returns that number. */
async function run(advice = 'Think.'): Promise<number> {
  const write = (file: URL, text: string) => {
    writeFileSync(file, text);
    return true;
  };
  const make = async () => [[new URL('made.txt', root), `run ${++runs}`]] as const;
  const part = { name: 'part', inputs: ['sources', 'made.txt', 'missing'], make, advice };
  await runIfChanged(part, write, { root, stamps: new URL('stamps/part.json', root) });
  return runs;
}

test('a slow part runs once, and again when a file that it reads or writes changes', async () => {
  expect([await run(), await run()]).toEqual([1, 1]);
  writeFileSync(new URL('sources/below/a.ts', root), 'changed');
  expect([await run(), await run()]).toEqual([2, 2]);
  writeFileSync(new URL('made.txt', root), 'edited by hand');
  expect([await run(), await run()]).toEqual([3, 3]);
  expect(readFileSync(new URL('made.txt', root), 'utf8')).toBe('run 3');
  writeFileSync(new URL('sources/b.json', root), 'new');
  expect([await run(), await run()]).toEqual([4, 4]);
});

test('pages and tests are no inputs of a slow part', async () => {
  await run();
  for (const name of ['README.md', 'a.test.ts']) writeFileSync(new URL(`sources/${name}`, root), 'new');
  expect(await run()).toBe(1);
});

test('a slow part that fails runs again', async () => {
  const part = {
    name: 'part',
    inputs: ['sources'],
    make: () => Promise.reject(new Error(`failed ${++runs}`)),
  };
  const at = { root, stamps: new URL('stamps/part.json', root) };
  await expect(runIfChanged(part, () => false, at)).rejects.toThrow('failed 1');
  await expect(runIfChanged(part, () => false, at)).rejects.toThrow('failed 2');
});

test('the inputs of each slow part exist', () => {
  const inputs = [played, ...approved].flatMap((part) => part.inputs);
  expect(inputs.filter((input) => !existsSync(new URL(input, ROOT)))).toEqual([]);
});
