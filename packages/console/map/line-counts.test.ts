// @vitest-environment happy-dom
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, test, vi } from 'vitest';
import type { Happened } from '../page/stream.js';
import { middleOf } from './layout.js';
import { describeLineCount, type LineCount, LineCounter, useLineCounts } from './line-counts.js';
import type { Picture } from './picture.js';

const PICTURE: Picture = {
  boxes: [],
  lines: [
    {
      from: 'queue:Store/Queue',
      to: 'function:Store/OnOrders',
      kinds: ['consumes'],
      types: [],
      members: [{ from: 'queue:Store/Queue', to: 'function:Store/OnOrders', kind: 'consumes' }],
    },
    { from: 'a', to: 'b', kinds: [], types: [], members: [] },
  ],
};
const happened = (number: number, outcome: string): Happened => ({
  number,
  at: 0,
  id: '',
  kind: 'delivery',
  owner: 'Store/OnOrders',
  messageId: 'Store-Queue-1',
  outcome,
});

afterEach(() => vi.unstubAllGlobals());

test('what moves along a line is counted once, with what changed nothing and what failed', () => {
  const counter = new LineCounter(PICTURE.lines);
  for (const [at, outcome] of ['applied', 'duplicate', 'crashed', 'applied'].entries())
    counter.add(happened(at + 1, outcome));
  // It comes again, since it was remembered and streamed.
  counter.add(happened(4, 'applied'));
  expect(counter.all).toEqual([
    { all: 4, duplicates: 1, failed: 1 },
    { all: 0, duplicates: 0, failed: 0 },
  ]);
});

test.each<[LineCount, string]>([
  [{ all: 0, duplicates: 0, failed: 0 }, ''],
  [{ all: 7, duplicates: 0, failed: 0 }, '7'],
  [{ all: 7, duplicates: 1, failed: 0 }, '7, 1 duplicate'],
  [{ all: 7, duplicates: 2, failed: 3 }, '7, 2 duplicates, 3 failed'],
])('%o is said as "%s"', (count, said) => expect(describeLineCount(count)).toBe(said));

test('the numbers begin with what the local cloud remembers', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return new Response(JSON.stringify({ events: [happened(1, 'applied'), happened(2, 'duplicate')], last: '2' }));
  });
  let counts: readonly LineCount[] = [];
  function Shown() {
    counts = useLineCounts(PICTURE).value;
    return null;
  }
  const place = document.createElement('div');
  await act(() => render(h(Shown, {}), place));
  await vi.waitFor(() => expect(counts[0]).toEqual({ all: 2, duplicates: 1, failed: 0 }));
  expect(asked).toEqual(['/_local/events?kind=delivery,record,timer,call']);
  render(null, place);
});

test('a number stands in the middle of its line', () => {
  expect(middleOf([])).toEqual({ x: 0, y: 0 });
  expect(
    middleOf([
      { x: 0, y: 0 },
      { x: 5, y: 9 },
      { x: 20, y: 0 },
    ]),
  ).toEqual({ x: 5, y: 9 });
  expect(
    middleOf([
      { x: 0, y: 0 },
      { x: 10, y: 4 },
    ]),
  ).toEqual({ x: 5, y: 2 });
});
