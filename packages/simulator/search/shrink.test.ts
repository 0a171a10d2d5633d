import { expect, test } from 'vitest';
import type { Fault } from '../engine/faults.js';
import { renderReport } from './report.js';
import type { History } from './scenario.js';
import { shrink } from './shrink.js';

const faults = (...points: readonly string[]): readonly Fault[] => points.map((point) => ({ point, kind: 'refused' }));

/** A history that breaks its promise if both of two faults happen. */
const historyOf = (made: readonly Fault[]): History => {
  const broken = ['b', 'e'].every((point) => made.some((fault) => fault.point === point));
  const violations = broken ? [{ invariant: 'nothing is lost', detail: 'order 7', about: 'order-7' }] : [];
  const trace = ['1 order-7 placed', '2 order-8 placed', '3 b FAULT refused'];
  return {
    scenario: { name: 's' },
    seed: '1',
    violations,
    faults: made,
    trace,
    fingerprint: 'f',
  } as unknown as History;
};

test('only the fewest of many faults that break the same promise are left', async () => {
  let replays = 0;
  const found = historyOf(faults('a', 'b', 'c', 'd', 'e', 'f', 'g'));
  const least = await shrink(found, async (fewer) => {
    replays++;
    return historyOf(fewer);
  });
  expect(least.faults.map(({ point }) => point)).toEqual(['b', 'e']);
  expect(replays).toBeLessThan(20);
});

test('a promise that is broken without a fault needs none', async () => {
  const always = (made: readonly Fault[]): History => ({ ...historyOf(faults('b', 'e')), faults: made });
  const least = await shrink(always(faults('a', 'b')), async (fewer) => always(fewer));
  expect(least.faults).toEqual([]);
});

test('a report names the promise, the seed, the faults, what happened to the thing concerned, and the command', () => {
  const told = renderReport(historyOf(faults('b', 'e')), 'npm run simulate -- --seed 1');
  for (const part of [
    'VIOLATED nothing is lost',
    'seed 1',
    'b: refused',
    'order-7 placed',
    'npm run simulate -- --seed 1',
  ])
    expect(told).toContain(part);
  expect(told).not.toContain('order-8');
});
