import { expect, test } from 'vitest';
import { CALL_FAULTS, type FaultKind, FOLLOWING_FAULTS, MESSAGE_FAULTS, RandomFaults, READ_FAULTS } from './faults.js';
import { Random } from './random.js';

const POINTS = 2_000;

/** Returns the faults that a seed chooses for the same points. */
function made(seed: number, kindsAt: (number: number) => readonly FaultKind[]): readonly (FaultKind | undefined)[] {
  const plan = new RandomFaults(new Random(String(seed)), 0.1);
  return Array.from({ length: POINTS }, (_, number) => plan.faultAt({ id: String(number), kinds: kindsAt(number) }));
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed);

test('kinds that draw numbers of their own leave the other faults of a seed as they were', () => {
  const newer: readonly FaultKind[] = [...READ_FAULTS, ...FOLLOWING_FAULTS];
  const earlier = (number: number) => (number % 2 === 0 ? CALL_FAULTS : MESSAGE_FAULTS);
  const now = (number: number) => [...earlier(number), ...(number % 2 === 0 ? READ_FAULTS : FOLLOWING_FAULTS)];
  for (const seed of seeds) {
    const others = made(seed, now).map((kind) => (kind && newer.includes(kind) ? undefined : kind));
    expect(others, `seed ${seed}`).toEqual(made(seed, earlier));
  }
});

test('some seeds make no read stale, some a part of them, some all', () => {
  const counts = seeds.map((seed) => made(seed, () => READ_FAULTS).filter((kind) => kind === 'stale').length);
  expect(counts).toContain(0);
  expect(counts).toContain(POINTS);
  expect(counts.some((count) => count > 0 && count < POINTS)).toBe(true);
});

test('both faults that follow a message come, in some seeds', () => {
  const kinds = new Set(seeds.flatMap((seed) => made(seed, () => [...MESSAGE_FAULTS, ...FOLLOWING_FAULTS])));
  expect([...kinds]).toEqual(expect.arrayContaining([...FOLLOWING_FAULTS]));
});
