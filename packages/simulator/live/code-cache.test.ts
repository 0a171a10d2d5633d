import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bundle } from '../runtime/bundle.js';
import type { ProvidedGlobals } from '../runtime/realm.js';
import { CodeCache } from './code-cache.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'code-cache-'));
const SOURCE = 'exports.handler = () => 1;';
const run = (bundle: Bundle): unknown => {
  const { handler } = bundle.load({} as ProvidedGlobals, { now: () => 0, random: () => 0 }, () => undefined);
  return (handler as () => unknown)();
};

let starts = 0;

/**
 * Runs a bundle of one start, for as long as its compiled code takes to be kept. Each has a name of its own, since V8 remembers
 * what this process has compiled under a name.
 */
function start(folder: string, source = SOURCE): Bundle {
  const bundle = new CodeCache(folder).bundle(`Start${++starts}`, source);
  expect(run(bundle)).toBe(1);
  vi.runAllTimers();
  return bundle;
}

test('the next start runs what the first has compiled', () => {
  const folder = join(newFolder(), 'not there yet');
  expect(start(folder).isFromCache).toBe(false);
  expect(start(folder).isFromCache).toBe(true);
});

test('another source of the same length is compiled', () => {
  const folder = newFolder();
  start(folder, 'exports.handler = () => 2 - 1;');
  expect(start(folder, 'exports.handler = () => 0 + 1;').isFromCache).toBe(false);
});

test('a file that V8 refuses is compiled again, and replaced', () => {
  const folder = newFolder();
  start(folder);
  for (const file of readdirSync(folder)) writeFileSync(join(folder, file), 'broken');
  expect(start(folder).isFromCache).toBe(false);
  expect(start(folder).isFromCache).toBe(true);
});
