import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columns, renderDeliveries } from '../../../tools/local/demos/dedupe-texts.js';
import { DEMOS, LIST } from '../../../tools/local/demos/demos.js';
import { main } from '../../../tools/local/demos/main.js';

test('the demos are the examples of the texts, and two more', () => {
  expect(DEMOS.map(({ name }) => name).join(' ')).toBe(
    'dedupe charge numbers basket suspect rewards report saga forget time outbox',
  );
});

test('docs/demos.md shows the list that is printed', () => {
  const [, shown] = /```text\n(.*?)\n```/s.exec(readFileSync('docs/demos.md', 'utf8')) ?? [];
  expect(shown).toBe(LIST);
  for (const line of LIST.split('\n')) expect(line.length).toBeLessThan(125);
});

test.each([
  [['nonsense'], "There is no demo 'nonsense': dedupe, charge, "],
  [['charge', 'numbers'], "Unexpected argument 'numbers'."],
])('npm run demo %j is a wrong call, with the right one behind it', async (args, words) => {
  const errors: string[] = [];
  const before = console.error;
  console.error = (text: string) => errors.push(text);
  try {
    expect(await main(args)).toBe(2);
  } finally {
    console.error = before;
  }
  expect(errors.join('\n')).toContain(words);
  expect(errors.join('\n')).toMatch(/\nCorrect usage: npm run demo charge$/);
});

test('deliveries are short lines, and the stock of three consumers has a column for each step', () => {
  const id = '01a2bf04-b126-7133-9674-b35d15adcdfd';
  const at = '2026-11-22T23:38:06.274Z';
  const consumer = 'inventory-commands';
  const lines = renderDeliveries(new Set([id]), {
    naive: [{ id, at, what: 'took 1, 9 left' }],
    powertools: [{ id: 'another', at, what: 'took 1, 9 left' }],
    ours: {
      name: consumer,
      handled: (['applied', 'duplicate'] as const).map((outcome) => ({ consumer, eventId: id, outcome, at })),
    },
  });
  expect(lines).toEqual([
    '23:38:06.274  naive               15adcdfd  took 1, 9 left',
    '23:38:06.274  inventory-commands  15adcdfd  applied',
    '23:38:06.274  inventory-commands  15adcdfd  duplicate: nothing changed',
  ]);
  const [heads = '', ...rows] = columns(
    [
      [7, 7, 7],
      [4, 7, 7],
      [2, 5, 6],
    ],
    consumer,
  );
  expect(rows.map((row) => row.trim().split(/ {3,}/))).toEqual([
    ['naive consumer', '7', '4', '2'],
    ['Powertools idempotency', '7', '7', '5'],
    [consumer, '7', '7', '6'],
  ]);
  for (const row of rows) expect(row.length).toBe(heads.length);
});
