import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BundleCache } from '../../packages/kit/base/bundle-cache.js';

let root = '';
let folder = '';
let made = 0;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-cache-'));
  folder = join(root, 'cache');
  made = 0;
  source('a.ts', 'one');
  source('b.ts', 'two');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes a source, as long ago as its author needs to start the next synthesis. */
function source(name: string, text: string): void {
  writeFileSync(join(root, name), text);
  aged(name);
}

function aged(name: string, seconds = 60): void {
  const time = new Date(Date.now() - seconds * 1000);
  utimesSync(join(root, name), time, time);
}

/** Makes a bundle of both files, and returns what the cache says that it is. */
function bundled({ settings = 'minified', at = root, files = ['a.ts', 'b.ts'] } = {}): string {
  const found = new BundleCache(folder).obtain({ root: at, settings }, (to) => {
    made++;
    writeFileSync(join(to, 'bundle'), files.map((file) => readFileSync(join(at, file), 'utf8')).join(' '));
    return files;
  });
  return readFileSync(join(found, 'bundle'), 'utf8');
}

test('a bundle of the same sources is made once', () => {
  expect([bundled(), bundled()]).toEqual(['one two', 'one two']);
  expect(made).toBe(1);
});

test('a file that was only touched is the same', () => {
  bundled();
  utimesSync(join(root, 'a.ts'), new Date(), new Date(0));
  bundled();
  expect(made).toBe(1);
});

test('a change of any source makes another one, and what was made of the earlier sources stays', () => {
  bundled();
  source('b.ts', 'three');
  expect(bundled()).toBe('one three');
  source('b.ts', 'two');
  expect(bundled()).toBe('one two');
  expect(made).toBe(2);
});

test('a source that is gone is not looked for', () => {
  bundled();
  rmSync(join(root, 'b.ts'));
  expect(bundled({ files: ['a.ts'] })).toBe('one');
});

test('a file that is saved while it is bundled is bundled again', () => {
  const cache = new BundleCache(folder);
  const obtain = () =>
    cache.obtain({ root, settings: 'minified' }, (to) => {
      made++;
      writeFileSync(join(to, 'bundle'), readFileSync(join(root, 'a.ts'), 'utf8'));
      if (made === 1) source('a.ts', 'saved meanwhile');
      aged('a.ts', made === 1 ? 0 : 60);
      return ['a.ts'];
    });
  expect(readFileSync(join(obtain(), 'bundle'), 'utf8')).toBe('saved meanwhile');
  expect(readFileSync(join(obtain(), 'bundle'), 'utf8')).toBe('saved meanwhile');
  expect(made).toBe(2);
});

test('a file with a time in the future is bundled, and not kept', () => {
  aged('a.ts', -3600);
  expect([bundled(), bundled()]).toEqual(['one two', 'one two']);
  expect(made).toBe(6);
});

test('other processes may make drafts and remove them meanwhile', () => {
  bundled();
  symlinkSync(join(root, 'gone'), join(folder, 'draft-of-another'));
  source('a.ts', 'changed');
  aged('a.ts');
  expect(bundled()).toBe('changed two');
});

test('other settings make another one', () => {
  bundled();
  bundled({ settings: 'readable' });
  expect(made).toBe(2);
});

test('another clone with the same sources uses it', () => {
  bundled();
  const clone = join(root, 'clone');
  mkdirSync(clone);
  for (const name of ['a.ts', 'b.ts']) {
    writeFileSync(join(clone, name), readFileSync(join(root, name)));
  }
  expect(bundled({ at: clone })).toBe('one two');
  expect(made).toBe(1);
});

test('only the newest three of the drafts and bundles unused for an hour stay, and no draft', () => {
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (let version = 0; version < 6; version++) {
    source('a.ts', String(version));
    bundled();
    for (const { name } of folders()) utimesSync(join(folder, name), old, old);
  }
  expect(folders()).toHaveLength(3);
  expect(folders().filter(({ name }) => name.startsWith('draft'))).toEqual([]);
});

const folders = () => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
