import { describe, expect, test } from 'vitest';
import type { Cell } from '../server/histories-contract.js';
import { readLines } from './lines.js';
import { afterLine, beginWall, countPlayed, groupCells, lookOf, moveInWall, nameCell } from './wall.js';

const CELLS: readonly Cell[] = [
  { owner: 'Shop/Sell', point: 'Shop/Sell call 1', kind: 'late' },
  { owner: 'Shop/Sell', point: 'Shop/Sell call 1', kind: 'killed-after' },
  { owner: 'Shop/Queue', point: 'Shop/Queue message 1', kind: 'duplicate' },
];
const begun = afterLine(beginWall({ scenario: 'sell' }), { kind: 'cells', cells: CELLS });

describe('a wall', () => {
  test('is empty until its cells are known, and then grey', () => {
    const first = afterLine(beginWall({ scenario: 'sell' }), { kind: 'preparing' });
    expect([first.state, first.cells]).toEqual(['preparing', []]);
    expect(begun.outcomes.map(lookOf)).toEqual(['open', 'open', 'open']);
    expect(begun.state).toBe('playing');
  });

  test('fills as histories are played', () => {
    const held = afterLine(begun, { kind: 'played', at: 2, broken: [] });
    const broken = afterLine(held, { kind: 'played', at: 1, broken: ['a ticket is sold once'] });
    expect(broken.outcomes.map(lookOf)).toEqual(['open', 'broken', 'held']);
    expect(countPlayed(broken)).toEqual({ played: 2, broken: 1 });
    expect(afterLine(broken, { kind: 'ended' }).state).toBe('ended');
  });

  test('says why it is not played', () => {
    expect(afterLine(begun, { kind: 'failed', message: 'gone' })).toMatchObject({ state: 'failed', message: 'gone' });
    const calm = afterLine(beginWall({ scenario: 'sell' }), { kind: 'calm broken', broken: ['once'] });
    expect(calm.calmBroken).toEqual(['once']);
  });

  test('has the cells of a construct together, and a name for each', () => {
    const groups = [...groupCells(CELLS)].map(([owner, group]) => [owner, group.map(({ at }) => at)]);
    expect(groups).toEqual([
      ['Shop/Sell', [0, 1]],
      ['Shop/Queue', [2]],
    ]);
    const [cell] = CELLS as [Cell];
    expect(nameCell(cell, undefined)).toBe('Shop/Sell call 1, late: not played yet');
    expect(nameCell(cell, [])).toBe('Shop/Sell call 1, late: every promise was kept');
    expect(nameCell(cell, ['a ticket is sold once'])).toBe('Shop/Sell call 1, late: broken: a ticket is sold once');
  });
});

test('arrows go along the wall, and to the nearest cell of another row', () => {
  // 0 1 2
  // 3   4
  const places = [
    [0, 0],
    [24, 0],
    [48, 0],
    [0, 24],
    [48, 24],
  ].map(([x = 0, y = 0]) => ({ x, y }));
  const moves = [
    [0, 'ArrowRight', 1],
    [4, 'ArrowRight', 4],
    [0, 'ArrowLeft', 0],
    [2, 'ArrowDown', 4],
    [3, 'ArrowUp', 0],
    [1, 'ArrowUp', 1],
    [1, 'Home', 0],
    [1, 'End', 4],
    [1, 'Enter', undefined],
  ] as const;
  for (const [at, key, next] of moves) expect([at, key, moveInWall(places, at, key)]).toEqual([at, key, next]);
  expect(moveInWall([], 0, 'End')).toBeUndefined();
});

test('lines are read wherever the pieces of an answer end', () => {
  const read: unknown[] = [];
  const next = readLines((line) => read.push(line));
  for (const piece of ['{"kind":', '"preparing"}\n{"kind":"ended"}', '\n', '{"kind"']) next(piece);
  expect(read).toEqual([{ kind: 'preparing' }, { kind: 'ended' }]);
});
