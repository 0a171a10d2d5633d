import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { setV8Flag } from './v8-flags.js';

const set = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
beforeEach(() => void set.mockClear());
afterAll(() => set.mockRestore());

test('sets a flag that this V8 has', () => {
  expect(setV8Flag('heap-growing-percent', 20)).toBe(true);
  expect(set).toHaveBeenCalledExactlyOnceWith('--heap-growing-percent=20');
});

test.each([
  ['a flag that this V8 does not have', 'interrupt-budget-of-yesterday', process.execPath],
  ['a program that is no Node', 'heap-growing-percent', '/bin/true'],
  ['a program that is not there', 'heap-growing-percent', '/none'],
])('leaves V8 alone for %s', (_what, name, node) => {
  expect(setV8Flag(name, 1, node)).toBe(false);
  expect(set).not.toHaveBeenCalled();
});

test('no other file of the product sets a flag of V8', () => {
  const sources = ['bin', 'lambdas', 'lib', 'packages', 'tools'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const own = sources.filter((path) => /\.m?[jt]s$/.test(path) && !/node_modules|\.test\.ts$/.test(path));
  expect(own.length).toBeGreaterThan(500);
  expect(own.filter((path) => readFileSync(path, 'utf8').includes('setFlagsFromString('))).toEqual([
    'packages/simulator/runtime/v8-flags.ts',
  ]);
});
