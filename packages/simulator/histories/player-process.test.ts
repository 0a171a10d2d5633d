import { fileURLToPath } from 'node:url';
import type { Cell, SearchLine } from '@orderly/console';
import { afterAll, describe, expect, test } from 'vitest';
import { PlayerProcess } from './player-process.js';

const SHOP = { file: fileURLToPath(new URL('../support/histories-of-shop.ts', import.meta.url)) };
const NEVER = new AbortController().signal;

/** Plays a search to its end. */
async function search(player: PlayerProcess, guard?: string) {
  const lines: SearchLine[] = [];
  const choice = { scenario: 'sell-one', ...(guard !== undefined && { guard }) };
  await player.search(choice, (line) => lines.push(line), NEVER);
  const cells = lines.flatMap((line): readonly Cell[] => (line.kind === 'cells' ? line.cells : []));
  const played = lines.flatMap((line) => (line.kind === 'played' ? [line] : []));
  const broken = played.filter((line) => line.broken.length > 0).map(({ at }) => cells[at]);
  return { lines, cells, played, broken };
}

describe('a process that plays histories', () => {
  const player = new PlayerProcess(SHOP);
  afterAll(() => player.stop());

  test('tells what the app offers, without its code', async () => {
    const { scenarios, guards, comparisons } = await player.offer();
    expect(scenarios[0]).toEqual({ id: 'sell-one', label: 'Sell a ticket', about: 'A function sells it.' });
    expect(guards.map(({ id }) => id)).toEqual(['condition']);
    expect(comparisons.map(({ id }) => id)).toEqual(['nobody']);
    expect(await player.compare('nobody')).toEqual({ consumers: [] });
  });

  test('plays every single fault, each cell once, and none breaks a promise', async () => {
    const { lines, cells, played, broken } = await search(player);
    expect(lines[0]).toEqual({ kind: 'preparing' });
    expect(lines.at(-1)).toEqual({ kind: 'ended' });
    expect(cells.length).toBeGreaterThan(8);
    expect(new Set(cells.map(({ owner }) => owner))).toEqual(new Set(['Shop/Sell']));
    expect(played.map(({ at }) => at).toSorted((one, other) => one - other)).toEqual([...cells.keys()]);
    expect(broken).toEqual([]);
  });

  test('finds what a removed guard would have held, and opens it with its fault and its command', async () => {
    const { broken } = await search(player, 'condition');
    expect(broken).toContainEqual({ owner: 'Shop/Sell', point: 'Shop/Sell call 1', kind: 'killed-after' });
    const request = { scenario: 'sell-one', guard: 'condition' };
    const cell = { point: 'Shop/Sell call 1', kind: 'killed-after' };
    const opened = await player.open({ ...request, cell });
    expect(opened).toMatchObject({
      faults: [cell],
      violations: [{ invariant: 'a ticket is sold once', detail: 'sold 2 times', about: 'ticket 1' }],
      replay: 'sell condition killed-after',
    });
    expect(opened.happenings).toMatchObject([{ kind: 'fault', owner: 'Shop/Sell', fault: 'killed-after' }]);
    expect((await player.open({ scenario: 'sell-one', cell })).violations).toEqual([]);
  });

  test('opens a history while others are played', async () => {
    let opened: Promise<unknown> | undefined;
    const order: string[] = [];
    const take = ({ kind }: SearchLine): void => {
      if (kind === 'cells') opened = player.open({ scenario: 'sell-one' }).then(() => order.push('opened'));
      if (kind === 'ended') order.push('ended');
    };
    await player.search({ scenario: 'sell-one' }, take, NEVER);
    await opened;
    expect(order).toEqual(['opened', 'ended']);
  });

  test('plays one search at a time; who comes after one that is stopped waits for its end', async () => {
    const stop = new AbortController();
    let played = 0;
    const first = player.search(
      { scenario: 'sell-many' },
      ({ kind }) => {
        if (kind === 'played' && ++played === 1) stop.abort();
      },
      stop.signal,
    );
    await expect(search(player)).rejects.toThrow('Another page plays histories');
    await first;
    expect(played).toBeLessThan(100);
    const { cells } = await search(player);
    expect(cells.length).toBeGreaterThan(8);
  });

  test.each([
    ['scenario', { scenario: 'other' }, "'other' is not offered; there are sell-one, sell-many"],
    ['guard', { scenario: 'sell-one', guard: 'other' }, "'other' is not offered; there are condition"],
  ])('refuses a %s that is not offered', async (_, choice, message) => {
    await expect(player.open(choice)).rejects.toMatchObject({ message, isRefused: true });
  });
});

test('a module that offers nothing is said to, and so is a process that is gone', async () => {
  const none = new PlayerProcess({ file: fileURLToPath(new URL('./jobs.ts', import.meta.url)) });
  await expect(none.offer()).rejects.toMatchObject({ message: expect.stringContaining('exports no histories') });
  const asked = none.offer();
  none.stop();
  await expect(asked).rejects.toThrow('it was stopped');
});
