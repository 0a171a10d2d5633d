import { describe, expect, test } from 'vitest';
import { fit, layOut, type Place, pathOf } from './layout.js';
import type { Picture, PictureBox } from './picture.js';

const box = (id: string, title = id): PictureBox => ({
  id,
  kind: 'function',
  title,
  detail: 'function',
  members: [id],
  place: id,
  isDeadLetter: false,
  isOwn: true,
});
const pictureOf = (ids: readonly string[], lines: readonly (readonly [string, string])[]): Picture => ({
  boxes: ids.map((id) => box(id)),
  lines: lines.map(([from, to]) => ({ from, to, kinds: ['calls'], types: [], members: [] })),
});
const overlap = (one: Place, other: Place): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe('the layout of a map', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `node ${at}`);
  const lines = ids.flatMap((id, at) => (at < 3 ? [] : [[ids[Math.floor(at / 3)] ?? '', id] as const]));
  const layout = layOut(pictureOf(ids, lines));

  test('a line leads from left to right', () => {
    for (const [from, to] of lines)
      expect(layout.boxes.get(from)?.x).toBeLessThan(layout.boxes.get(to)?.x ?? Number.NaN);
  });

  test('no box lies on another, and all are in the picture', () => {
    const places = [...layout.boxes.values()];
    expect(places).toHaveLength(ids.length);
    for (const [at, one] of places.entries()) {
      expect(places.slice(at + 1).some((other) => overlap(one, other))).toBe(false);
      expect(one.x).toBeGreaterThanOrEqual(0);
      expect(one.y + one.height).toBeLessThanOrEqual(layout.height);
      expect(one.x + one.width).toBeLessThanOrEqual(layout.width);
    }
  });

  test('the same picture has the same layout', () => {
    expect(layOut(pictureOf(ids, lines))).toEqual(layout);
  });
});

test('a circle and a picture without lines or boxes have a layout', () => {
  expect(
    layOut(
      pictureOf(
        ['a', 'b'],
        [
          ['a', 'b'],
          ['b', 'a'],
        ],
      ),
    ).lines.map(({ length }) => length > 1),
  ).toEqual([true, true]);
  expect(layOut(pictureOf(['a'], [])).boxes.size).toBe(1);
  expect(layOut(pictureOf([], []))).toMatchObject({ width: 0, height: 0 });
});

test('a title that fits into no box is cut off', () => {
  expect(fit('Orders/PlaceOrder')).toBe('Orders/PlaceOrder');
  const long = 'A'.repeat(100);
  expect(fit(long)).toMatch(/^A+…$/);
  const [place] = layOut({ boxes: [box('a', long)], lines: [] }).boxes.values();
  expect(place?.width).toBe(280);
});

test('a path begins and ends at the ends of its line', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 10 },
    { x: 20, y: 0.04 },
  ];
  expect(pathOf(points)).toBe('M0 0Q10 10 15 5L20 0');
  expect(pathOf([])).toBe('');
});
