import { describe, expect, test } from 'vitest';
import { KindCounts } from '../../../tools/prove/counts.js';
import { draw } from '../../../tools/prove/draw.js';
import { generateProofPage, scoreOf } from '../../../tools/prove/page.js';
import { promisesOf, readPromises, readSuites } from '../../../tools/prove/promises.js';
import type { ProofRecord } from '../../../tools/prove/record.js';

const RUN = { at: '2026-03-01T10:00:00Z', commit: 'abcdef012345' };
const GUARD = {
  promise: 'G3',
  guard: 'A record | is written once',
  file: 'packages/kit/a/once.ts',
  line: 7,
  removed: { from: 'if (known)', to: '' },
  test: { file: 'test/kit/a/once.test.ts', name: 'happens once' },
  greenWith: true,
  redWithout: true,
} as const;
const SURVIVOR = { file: 'packages/kit/a/once.ts', line: 3, mutator: 'StringLiteral', from: "'a' | 'b'", to: '""' };
const PATTERN = { pattern: 'once', possible: 200, drawn: 40, killed: 35, survivors: [SURVIVOR] };

const page = (record: ProofRecord): string => generateProofPage(record, readPromises(), readSuites());

describe('the page of proofs', () => {
  test('has each promise in the words of the README', () => {
    const text = page({ guards: { run: RUN, results: [GUARD] } });
    for (const words of readPromises().values()) expect(text).toContain(words);
    expect(text).toContain('Run of 2026-03-01 at `abcdef012345`.');
    expect(text).toContain(
      '| A record \\| is written once | [once.ts:7](../packages/kit/a/once.ts) | happens once ([once.test.ts](../test/kit/a/once.test.ts)) | green | red |',
    );
  });

  test('shows a guard whose test stays green without it', () => {
    const text = page({ guards: { run: RUN, results: [{ ...GUARD, redWithout: false }] } });
    expect(text).toContain('| green | **green** |');
  });

  test('says which parts have not run, and what a run left out', () => {
    expect(page({}).match(/This part has not run yet\./g)).toHaveLength(5);
    const run = { ...RUN, leftOut: 'Bursts.' };
    expect(page({ suites: { run, results: [] } })).toContain('Left out: Bursts.');
    const continued = { ...RUN, continues: [{ at: '2026-02-28T10:00:00Z', commit: '0123456789ab' }] };
    expect(page({ suites: { run: continued, results: [] } })).toContain(
      'Run of 2026-03-01 at `abcdef012345`. It continues the run of 2026-02-28 at `0123456789ab`.',
    );
    const text = page({ guards: { run: { ...RUN, renewed: 'G3' }, results: [GUARD] } });
    expect(text).toContain('It renewed "G3" only; the others are of earlier runs.');
  });

  test('lists survivors as code, and names patterns below the goal', () => {
    const text = page({ mutants: { run: RUN, seed: '1', stryker: '9', results: [PATTERN] } });
    expect(text).toContain("| [once.ts:3](../packages/kit/a/once.ts) | `'a' \\| 'b'` | `\"\"` |  |");
    expect(text).toContain('| once | 200 | 40 | 35 | 0 | 88 % | below the goal |');
  });

  test('an equivalent mutant counts as killed', () => {
    expect(scoreOf({ ...PATTERN, killed: 39, survivors: [{ ...SURVIVOR, equivalent: 'a log line' }] })).toBe(1);
  });

  test('counts histories by the kind of their fault', () => {
    const kinds = new KindCounts();
    const violation = { invariant: 'one', detail: '' };
    kinds.add({ faults: [], violations: [] });
    kinds.add({ faults: [{ point: 'a', kind: 'late' }], violations: [] });
    kinds.add({ faults: [{ point: 'b', kind: 'late' }], violations: [violation] });
    expect(kinds.sorted()).toEqual({ late: { histories: 2, broken: 1 }, none: { histories: 1, broken: 0 } });
    const result = { scenario: 'place-one', possible: 9, byKind: kinds.sorted(), seconds: 1 };
    const text = page({ histories: { run: RUN, budget: 10, results: [result] } });
    expect(text).toContain('| late | 2 | 1 |');
    expect(text).toContain('| `place-one` | 3 | 9 | 1 |');
  });

  test('lists what was not found, and the slowest searches', () => {
    const found = {
      bug: 'b',
      scenario: 's',
      file: 'f',
      found: true,
      broken: 'one',
      faults: [],
      histories: 2,
      seconds: 9,
    };
    const missed = { bug: 'm', scenario: 's', file: 'f', found: false, faults: [], histories: 51, seconds: 1 };
    const text = page({ planted: { run: RUN, results: [found, missed] } });
    expect(text).toContain('1 of 2 were found, 1 of them without any fault.');
    expect(text).toContain('- Not found in 51 histories of `s`: m');
    expect(text).toContain('| `s` | 2 | 1 | 53 | 10 |');
    expect(text).toContain('| b | `s` | one | 9 |');
  });
});

test('the suites have rows, each with what is not held', () => {
  expect(readSuites().map(({ service }) => service)).toContain('DynamoDB');
});

test('a README without the eight promises is an error', () => {
  expect(() => promisesOf('| G1 | one | by |')).toThrow('the table of guarantees has 1 promises');
});

test('a sample is the same for the same seed, and has no item twice', () => {
  const all = Array.from({ length: 100 }, (_, at) => at);
  const sample = draw(all, 40, 'one');
  expect(new Set(sample).size).toBe(40);
  expect(draw(all, 40, 'one')).toEqual(sample);
  expect(draw(all, 40, 'other')).not.toEqual(sample);
  expect(draw([1, 2], 40, 'one')).toHaveLength(2);
});
