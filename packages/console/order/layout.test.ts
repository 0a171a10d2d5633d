import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildAxis } from './axis.js';
import { buildHistory } from './build-history.js';
import { formatElapsed } from './format-elapsed.js';
import type { AttemptMark, History, Look } from './history.js';
import { moveFocus } from './keyboard.js';
import { type Layout, layOut, MARK_SIZE, type PlacedMark } from './layout.js';

const recorded = JSON.parse(readFileSync(new URL('recorded/order.json', import.meta.url), 'utf8'));
const history = buildHistory({ id: 'order-1', ...recorded });
const BEGIN = Date.parse('2026-01-05T00:00:00Z');

/** One message of one consumer with many attempts. */
function crowded(count: number, lookOf: (at: number) => Look = () => 'applied'): History {
  const attempts = Array.from({ length: count }, (_, at): AttemptMark => {
    const look = lookOf(at);
    return { id: `m ${at}`, look, outcome: 'applied', at: BEGIN + 10 + at * 7, receiveCount: at + 1, messageId: 'm' };
  });
  const commit = { id: 'c', service: 'orders', subject: 'Order/1', at: BEGIN, trigger: 't', correlationId: 'x' };
  return {
    id: 'x',
    title: 'x',
    services: ['orders', 'inventory'],
    commits: [{ ...commit, messages: [{ id: 'e', type: 'OrderPlaced', version: 1 }] }],
    deliveries: [
      {
        ...{ id: 'e stock', eventId: 'e', type: 'OrderPlaced', commit: 'c', consumer: 'stock', service: 'inventory' },
        ...{ sentAt: BEGIN, state: 'processed', isWaiting: false, attempts },
      },
    ],
    ...{ timers: [], sagas: [], forwards: [], doneTwice: 0 },
    counts: { delivered: count, applied: count, duplicate: 0, refused: 0, postponed: 0, crashed: 0 },
  };
}

const overlapping = ({ marks }: Layout): readonly string[] =>
  marks.flatMap((one, at) =>
    marks
      .slice(at + 1)
      .filter(
        (other) =>
          one.y === other.y && one.x < other.x + other.width && other.x < one.x + one.width && one.id !== other.id,
      )
      .map((other) => `${one.name} and ${other.name}`),
  );
const thingsOf = ({ subject }: PlacedMark): number =>
  subject.kind === 'attempt' ? subject.attempts.length : subject.kind === 'commit' ? subject.commits.length : 1;

describe('a layout', () => {
  const widths = [360, 719, 720, 1440, 2560];
  test.each(widths)('of %i pixels has no mark on another one, and none outside', (width) => {
    for (const scale of ['spread', 'linear'] as const) {
      const layout = layOut(history, { width, scale, now: BEGIN });
      expect(overlapping(layout)).toEqual([]);
      for (const mark of layout.marks) {
        expect(mark.x).toBeGreaterThanOrEqual(layout.gutter);
        expect(mark.x + mark.width).toBeLessThanOrEqual(width);
        expect(mark.y + MARK_SIZE).toBeLessThanOrEqual(layout.height);
      }
    }
  });

  test('keeps the order of time across', () => {
    const { marks } = layOut(history, { width: 1440, scale: 'spread', now: BEGIN });
    const commits = marks.filter(({ look }) => look === 'commit');
    for (const [at, mark] of commits.entries()) expect(mark.x).toBeGreaterThanOrEqual(commits[at - 1]?.x ?? 0);
  });

  test('draws each message from its commit to each of its attempts', () => {
    const { lines } = layOut(crowded(3), { width: 1440, scale: 'spread', now: BEGIN });
    expect(lines).toHaveLength(3);
    for (const { from, to } of lines) expect(from.x).toBeLessThan(to.x);
  });

  test('folds 500 attempts into marks that have room, and loses none', () => {
    const layout = layOut(
      crowded(500, (at) => (at % 50 === 49 ? 'crashed' : 'duplicate')),
      { width: 960, scale: 'spread', now: BEGIN },
    );
    expect(overlapping(layout)).toEqual([]);
    expect(layout.marks.length).toBeLessThan(200);
    expect(layout.marks.reduce((sum, mark) => sum + thingsOf(mark), 0)).toBe(501);
    expect(layout.height).toBeLessThan(300);
    const crashed = layout.marks.find(({ look }) => look === 'crashed') ?? expect.fail();
    expect(crashed.name).toContain('crashed');
  });

  test('has the name of a service above those of its rows, unless the first one has room beside it', () => {
    const [delivery] = crowded(1).deliveries;
    const named = (consumer: string) => {
      const one = { ...crowded(1), deliveries: delivery ? [{ ...delivery, consumer }] : [] };
      const { lanes } = layOut(one, { width: 1240, scale: 'spread', now: BEGIN });
      const { nameY = 0, rows = [] } = lanes.find(({ service }) => service === 'inventory') ?? {};
      return (rows[0]?.y ?? 0) + 16 - nameY;
    };
    expect(named('stock')).toBe(0);
    expect(named('inventory-commands')).toBeGreaterThanOrEqual(16);
  });

  test('shows what waits until now', () => {
    const [delivery] = crowded(0).deliveries;
    const waits = { ...crowded(0), deliveries: delivery ? [{ ...delivery, state: 'pending', isWaiting: true }] : [] };
    const { marks } = layOut(waits, { width: 960, scale: 'linear', now: BEGIN + 10_000 });
    const mark = marks.find(({ look }) => look === 'waiting') ?? expect.fail();
    expect(mark.name).toBe('OrderPlaced waits for stock');
    expect(mark.width).toBeGreaterThan(600);
  });
});

describe('an axis', () => {
  const room = { left: 0, right: 1000 };
  const DAY = 86_400_000;

  test('folds days in which nothing happens', () => {
    const axis = buildAxis([0, 100, 36 * DAY, 36 * DAY + 100], { ...room, scale: 'linear' });
    expect(axis.folds.map(({ milliseconds }) => milliseconds)).toEqual([36 * DAY - 100]);
    expect(axis.xOf(100)).toBeCloseTo(485);
    expect(axis.xOf(36 * DAY + 100)).toBe(1000);
    expect(axis.ticks.map(({ text }) => text)).toEqual(['+0 ms', '+36 d', '… +100 ms']);
  });

  test('folds days spread out, too', () => {
    const axis = buildAxis([0, 60_000, 36 * DAY], { ...room, scale: 'spread' });
    expect(axis.folds.map(({ milliseconds }) => milliseconds)).toEqual([36 * DAY - 60_000]);
  });

  test('to scale, folds a minute beside milliseconds; spread out, it does not', () => {
    const moments = [0, 5, 60_000, 60_005];
    expect(buildAxis(moments, { ...room, scale: 'linear' }).folds).toHaveLength(1);
    const spread = buildAxis(moments, { ...room, scale: 'spread' });
    expect(spread.folds).toEqual([]);
    expect(spread.xOf(5)).toBeGreaterThan(20);
  });

  test('places a moment before the first and behind the last one at the edges', () => {
    const axis = buildAxis([10, 20], { ...room, scale: 'linear' });
    expect([axis.xOf(0), axis.xOf(15), axis.xOf(99)]).toEqual([0, 500, 1000]);
  });

  test('of one moment has a place', () => expect(buildAxis([7], { ...room, scale: 'spread' }).xOf(7)).toBe(0));
});

test('a time since the beginning has one unit', () =>
  expect([0, 340, 1_240, 60_000, 119_000, 3_600_000, 36 * 86_400_000].map(formatElapsed)).toEqual([
    ...['+0 ms', '+340 ms', '+1.2 s', '+1 min', '+2 min', '+1 h', '+36 d'],
  ]));

describe('the keyboard', () => {
  const { marks } = layOut(history, { width: 1440, scale: 'spread', now: BEGIN });
  const [first, second] = marks;

  test('goes along time with left and right, and to the ends', () => {
    expect(moveFocus(marks, first?.id, 'ArrowRight')).toBe(second?.id);
    expect(moveFocus(marks, second?.id, 'ArrowLeft')).toBe(first?.id);
    expect(moveFocus(marks, first?.id, 'ArrowLeft')).toBe(first?.id);
    expect(moveFocus(marks, first?.id, 'End')).toBe(marks.at(-1)?.id);
    expect(moveFocus(marks, marks.at(-1)?.id, 'Home')).toBe(first?.id);
  });

  test('goes to the nearest mark of the next row with up and down', () => {
    const below = marks.find(({ id }) => id === moveFocus(marks, first?.id, 'ArrowDown')) ?? expect.fail();
    expect(below.y).toBeGreaterThan(first?.y ?? 0);
    expect(moveFocus(marks, below.id, 'ArrowUp')).toBeDefined();
  });

  test('leaves other keys alone', () => expect(moveFocus(marks, first?.id, 'a')).toBeUndefined());
});
