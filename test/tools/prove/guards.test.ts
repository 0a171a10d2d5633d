import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lineOf, removedBy, withoutGuard } from '../../../tools/prove/guard.js';
import { GUARDS } from '../../../tools/prove/guards.js';
import { readPromises } from '../../../tools/prove/promises.js';
import { readRecord } from '../../../tools/prove/record.js';

/** Guards of each promise, at least. */
const AT_LEAST = 3;

describe('a declared guard', () => {
  test.each(GUARDS)('$promise: $guard', (guard) => {
    const text = readFileSync(guard.file, 'utf8');
    expect(lineOf(text, guard)).toBeGreaterThan(0);
    expect(withoutGuard(text, guard)).not.toBe(text);
    expect(titlesOf(guard.test.file), `${guard.test.file} has no such test`).toContain(guard.test.name);
  });

  test('has a name of its own', () => {
    const names = GUARDS.map(({ guard }) => guard);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test.each([...readPromises().keys()])('there are at least three of %s', (id) => {
    expect(GUARDS.filter(({ promise }) => promise === id).length).toBeGreaterThanOrEqual(AT_LEAST);
  });

  test('has been removed by a run, as it is declared', () => {
    const declared = GUARDS.map(({ promise, guard, file, test, to }) => ({ promise, guard, file, test, to }));
    const run = (readRecord().guards?.results ?? []).map(({ promise, guard, file, test, removed }) => {
      return { promise, guard, file, test, to: removed.to };
    });
    expect(run, 'a guard has changed: npm run prove -- --guards').toEqual(declared);
  });
});

/** Returns the text of a test file and of the suites that it imports from its folder, which may hold its titles. */
function titlesOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  const folder = file.slice(0, file.lastIndexOf('/'));
  const suites = [...text.matchAll(/from '\.\/([\w-]+-suite)\.js'/g)].map(([, name]) => `${folder}/${name}.ts`);
  return [text, ...suites.map((suite) => readFileSync(suite, 'utf8'))].join('\n');
}

describe('the place of a guard', () => {
  const guard = { file: 'a.ts', from: 'if (known) return;', to: '' };

  test('is the line on which its text begins', () => {
    expect(lineOf('one\ntwo\n  if (known) return;\n', guard)).toBe(3);
    expect(lineOf('one\ntwo', { ...guard, from: /t\w+/ })).toBe(2);
  });

  test('is an error if the text has moved away', () => {
    expect(() => lineOf('one', guard)).toThrow('a.ts has no: if (known) return;');
    expect(() => withoutGuard('one', guard)).toThrow('a.ts has no: if (known) return;');
  });

  test('is removed literally, whatever a replacement means to a pattern', () => {
    expect(withoutGuard('a if (known) return; b', { ...guard, to: '$&' })).toBe('a $& b');
  });

  test('is no planted bug that does not exist', () => {
    const declared = { promise: 'G1', guard: 'none', test: { file: 'a.test.ts', name: 'none' } } as const;
    expect(() => removedBy('no such bug', declared)).toThrow("no planted bug in a source is called 'no such bug'");
  });
});
