import type { PlacedMark } from './layout.js';

/**
 * Returns the mark to which a key leads: left and right go along time, up and down to the nearest mark of another row. It is a pure function.
 * @param marks in the order of time
 * @returns `undefined` for a key that leads nowhere
 */
export function moveFocus(marks: readonly PlacedMark[], current: string | undefined, key: string): string | undefined {
  const at = Math.max(
    0,
    marks.findIndex(({ id }) => id === current),
  );
  const from = marks[at];
  if (!from) return undefined;
  switch (key) {
    case 'ArrowRight':
      return marks[Math.min(marks.length - 1, at + 1)]?.id;
    case 'ArrowLeft':
      return marks[Math.max(0, at - 1)]?.id;
    case 'Home':
      return marks[0]?.id;
    case 'End':
      return marks.at(-1)?.id;
    case 'ArrowDown':
      return (
        nearest(
          marks.filter(({ y }) => y > from.y),
          from,
        )?.id ?? from.id
      );
    case 'ArrowUp':
      return (
        nearest(
          marks.filter(({ y }) => y < from.y),
          from,
        )?.id ?? from.id
      );
    default:
      return undefined;
  }
}

/** Returns the mark of the next row that has any, as near across as possible. */
function nearest(marks: readonly PlacedMark[], { x, y }: PlacedMark): PlacedMark | undefined {
  const row = Math.min(...marks.map((one) => Math.abs(one.y - y)));
  return marks
    .filter((one) => Math.abs(one.y - y) === row)
    .toSorted((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x))[0];
}
