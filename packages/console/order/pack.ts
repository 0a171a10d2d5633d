/** Something with a place across. */
export interface Span {
  readonly x: number;
  readonly width: number;
}

/** Marks that share one place, since there is no room for each. */
export interface Packed<Item extends Span> {
  readonly row: number;
  readonly x: number;
  readonly width: number;
  readonly items: readonly Item[];
}

/** Pixels between two marks of a row. */
const GAP = 6;

/**
 * Puts marks into as few rows as they need, so that none covers another. Where the rows are full, a mark joins the one that is nearest
 * before it, of its own kind if there is one. It is a pure function.
 * @param items in the order of their places @param rows at most
 */
export function pack<Item extends Span>(
  items: readonly Item[],
  { rows, kindOf }: { readonly rows: number; readonly kindOf: (item: Item) => string },
): readonly Packed<Item>[] {
  const packed: { row: number; x: number; width: number; items: Item[] }[] = [];
  const lastOf = new Map<number, (typeof packed)[number]>();
  for (const item of items.toSorted((one, other) => one.x - other.x)) {
    const free = Array.from({ length: rows }, (_, row) => row).find((row) => {
      const last = lastOf.get(row);
      return last === undefined || last.x + last.width + GAP <= item.x;
    });
    if (free !== undefined) {
      const placed = { row: free, x: item.x, width: item.width, items: [item] };
      packed.push(placed);
      lastOf.set(free, placed);
      continue;
    }
    const ends = [...lastOf.values()].toSorted((one, other) => other.x - one.x);
    const joined = ends.find((one) => one.items.some((own) => kindOf(own) === kindOf(item))) ?? ends[0];
    joined?.items.push(item);
  }
  return packed;
}
