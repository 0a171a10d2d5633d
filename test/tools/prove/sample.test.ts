import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { EQUIVALENT, equivalenceOf } from '../../../tools/prove/equivalent.js';
import { sourcesOf } from '../../../tools/prove/mutants.js';
import { PATTERNS } from '../../../tools/prove/patterns.js';
import { readRecord } from '../../../tools/prove/record.js';
import { instrument } from '../../../tools/prove/sample.js';

test('mutants have their line, and the source text before and after', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    writeFileSync(join(folder, 'a.ts'), 'export const isFew = (count: number): boolean =>\n  count < 3;\n');
    const { mutants, sources } = await instrument(pathToFileURL(`${folder}/`), ['a.ts']);
    expect(mutants).toContainEqual(
      expect.objectContaining({
        file: 'a.ts',
        line: 2,
        source: 'count < 3;',
        mutator: 'EqualityOperator',
        from: 'count < 3',
        to: 'count <= 3',
      }),
    );
    expect(sources.get('a.ts')).toContain('stryMutAct');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(PATTERNS)('the sources of the $name are run-time code', (pattern) => {
  const files = sourcesOf(pattern);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => /construct|index\.ts|\.md$/.test(file))).toEqual([]);
});

test('a mutant is equivalent on its own line only', () => {
  const [one] = EQUIVALENT;
  if (!one) throw new Error('expected an equivalent mutant');
  const { line, because, ...change } = one;
  expect(equivalenceOf({ ...change, source: `  ${line};` })).toBe(because);
  expect(equivalenceOf({ ...change, source: 'another line' })).toBeUndefined();
  expect(equivalenceOf(change)).toBeUndefined();
});

test('each equivalent mutant is one that a run has drawn', () => {
  const survivors = (readRecord().mutants?.results ?? []).flatMap((one) => one.survivors);
  expect(EQUIVALENT.filter((one) => !survivors.some((mutant) => equivalenceOf(mutant) === one.because))).toEqual([]);
});
