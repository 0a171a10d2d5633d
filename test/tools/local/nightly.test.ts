import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listSearches, main, WITHOUT_SEEDS } from '../../../tools/local/nightly.js';
import { scenarioCalled } from '../../simulation/scenarios/all.js';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((line) => lines.push(line));
});
afterEach(() => vi.restoreAllMocks());

test('a night runs all searches, also after one that found something, and names that one with its seed', async () => {
  const ran: (readonly string[])[] = [];
  const code = await main(['--day', '20782'], (search) => (ran.push(search) === WITHOUT_SEEDS.length + 1 ? 1 : 0));
  expect(code).toBe(1);
  expect(ran).toEqual(listSearches(20_782));
  expect(lines.slice(-2)).toEqual([
    '\nday 20782: something was found by',
    '  node tools/run.mjs fuzz-api --seed 2078200',
  ]);
});

test('a night that finds nothing ends with 0', async () => {
  expect(await main([], () => 0)).toBe(0);
});

test('a night plays scenarios while messages are lost, too', () => {
  const scenarios = listSearches(1).flatMap((search) => search.filter((word) => word.endsWith(':losses')));
  expect(scenarios).toEqual(['place-one:losses', 'keys:losses', 'hot-orders:losses']);
  for (const name of scenarios) expect(scenarioCalled(name)).toMatchObject({ name, conditions: { losses: true } });
});

test('another night has other seeds, and every search is a command', () => {
  const [one, next] = [listSearches(1), listSearches(2)];
  const seeded = one.slice(WITHOUT_SEEDS.length);
  for (const [at, search] of seeded.entries()) expect(search).not.toEqual(next[at + WITHOUT_SEEDS.length]);
  const commands = readFileSync('tools/run.mjs', 'utf8');
  for (const [command] of one) expect(commands).toMatch(new RegExp(`^  '?${command}'?: `, 'm'));
});

test.each([[['--day', 'today']], [['--nights', '2']]])('%j is refused', async (args) => {
  expect(await main(args, () => 0)).toBe(2);
  expect(lines).toEqual([expect.stringContaining('npm run nightly')]);
});
