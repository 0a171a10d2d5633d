/** Edits that a typing error has at most. */
const MAX_EDITS = 2;

/**
 * Returns the known word that somebody probably meant: the nearest one by edits (of two neighbours that changed places, one
 * edit), or the only one that begins like it.
 */
export function findSimilarWord(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((one) => ({ one, edits: editsBetween(word, one) }))
    .filter(({ edits, one }) => edits <= Math.min(MAX_EDITS, Math.floor(one.length / 2)))
    .toSorted((one, other) => one.edits - other.edits);
  if (near[0]) return near[0].one;
  const longer = known.filter((one) => word.length > 1 && one.startsWith(word));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Optimal string alignment distance. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const [above = 0, diagonal = 0] = [rows[i - 1]?.[j], rows[i - 1]?.[j - 1]];
      const changed = one[i - 1] === other[j - 1] ? diagonal : diagonal + 1;
      const swapped =
        one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : changed;
      row.push(Math.min(above + 1, (row[j - 1] ?? 0) + 1, changed, i > 1 && j > 1 ? swapped : changed));
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
