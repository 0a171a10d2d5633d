import { expect, test } from 'vitest';
import { HotKeys } from '../../../packages/kit/lane/hot-keys.js';

const SECOND = 1_000;
const begun = Date.UTC(2026, 0, 5);
const hotKeys = (always: readonly string[] = []) => new HotKeys({ always, conflictsPerSecond: 3 });

test('a key that is always hot needs no conflict', () => {
  expect(hotKeys(['TEA-1']).isHot('TEA-1', begun)).toBe(true);
  expect(hotKeys(['TEA-1']).isHot('TEA-2', begun)).toBe(false);
});

test('a key becomes hot by so many conflicts within one second', () => {
  const keys = hotKeys();
  for (const after of [0, 400, 1_100]) keys.recordConflict('TEA-1', begun + after);
  expect(keys.isHot('TEA-1', begun + 1_100)).toBe(false);
  keys.recordConflict('TEA-1', begun + 1_500);
  expect(keys.isHot('TEA-1', begun + 1_500)).toBe(false);
  keys.recordConflict('TEA-1', begun + 1_600);
  expect(keys.isHot('TEA-1', begun + 1_600)).toBe(true);
  expect(keys.isHot('TEA-2', begun + 1_600)).toBe(false);
});

test('it is no longer hot 30 seconds after its last contention', () => {
  const keys = hotKeys();
  keys.recordConflict('TEA-1', begun, 3);
  expect(keys.isHot('TEA-1', begun + 30 * SECOND - 1)).toBe(true);
  expect(keys.isHot('TEA-1', begun + 30 * SECOND)).toBe(false);
});

test('it stays hot for as long as the lane avoids as many conflicts, and not by single requests', () => {
  const keys = hotKeys();
  keys.recordConflict('TEA-1', begun, 3);
  keys.recordConflict('TEA-1', begun + 20 * SECOND, 9);
  keys.recordConflict('TEA-1', begun + 40 * SECOND, 0);
  keys.recordConflict('TEA-1', begun + 45 * SECOND, 1);
  expect(keys.isHot('TEA-1', begun + 49 * SECOND)).toBe(true);
  expect(keys.isHot('TEA-1', begun + 50 * SECOND)).toBe(false);
});

test('it forgets no hot key, however many others have conflicts', () => {
  const keys = hotKeys();
  keys.recordConflict('HOT', begun, 3);
  for (let number = 0; number < 500; number++) keys.recordConflict(`calm-${number}`, begun + 2 * SECOND + number * 10);
  expect(keys.isHot('HOT', begun + 10 * SECOND)).toBe(true);
});
