import { expect, test } from 'vitest';
import { Pace } from './pace.js';

const paceOf = (...warm: readonly number[]): string => {
  const pace = new Pace();
  for (let number = 1; number <= 20; number++) pace.add(number, 9_000);
  for (const [at, cpu] of warm.entries()) pace.add(21 + at, cpu);
  return pace.told();
};

test('the median excludes the first twenty histories of a process, which are not warm', () => {
  expect(paceOf(300, 100, 2_000)).toBe(', median 300 ms of CPU (3 warm)');
  expect(paceOf(300, 100, 2_000, 200)).toBe(', median 250 ms of CPU (4 warm)');
});

test('a search without a warm history reports no median', () => {
  expect(paceOf()).toBe('');
});
