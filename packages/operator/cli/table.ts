import { alignColumns } from './text-format.js';

/**
 * Returns the width of the terminal in characters; undefined where the output is a file or a pipe. Then nothing is cut or
 * shortened.
 */
export const terminalWidth = (): number | undefined =>
  process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;

/** Most characters of a line of a list: a terminal may be wider, and nobody reads longer lines. */
const WIDEST = 200;

/** Returns the width of a list's lines: that of the terminal, up to 200. Where the output is a file or a pipe, 100. */
export const listWidth = (width = terminalWidth()): number => Math.min(WIDEST, width ?? 100);

/** Cuts a text to a length; an ellipsis says so. */
export const cutToWidth = (length: number, text: string): string =>
  text.length > length ? `${text.slice(0, Math.max(0, length - 1))}…` : text;

/** Cuts each line of a text to the width of the terminal. */
export const fitToTerminal = (text: string, width = terminalWidth()): string =>
  width === undefined
    ? text
    : text
        .split('\n')
        .map((line) => cutToWidth(width, line))
        .join('\n');

/** Minimum width of a column that is cut. */
const NARROWEST = 8;

/**
 * Formats a table that fits the terminal: columns are cut in turn, as far as needed. Columns with ids that a next command
 * needs are not among them, so a table may stay too wide.
 * @param cut heads of the columns that may be cut; the first one is cut first
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  cut: readonly string[],
  width = terminalWidth(),
): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  let excess = width === undefined ? 0 : widths.reduce((sum, one) => sum + one + 2, -2) - width;
  for (const at of cut.map((name) => head.indexOf(name))) {
    const had = widths[at] ?? 0;
    const has = Math.max(had - Math.max(0, excess), Math.min(had, Math.max(NARROWEST, head[at]?.length ?? 0)));
    widths[at] = has;
    excess -= had - has;
  }
  return alignColumns([head, ...rows].map((row) => row.map((cell, at) => cutToWidth(widths[at] ?? 0, cell))));
}

/** Minimum width of a column that is cut, so that one row says enough. A terminal with less room gets two lines for each row. */
const READABLE = 16;

/** Columns of a list. */
export interface ListColumns {
  readonly head: readonly string[];
  /** Heads of the columns that may be cut; the first one is cut first. Ids that a next command needs are not among them. */
  readonly cut: readonly string[];
  /** Heads of the columns that stand in a second line where one line has no room. */
  readonly below: readonly string[];
}

/**
 * Formats a list of rows: as a table where the terminal has room for it, up to 200 characters, and else with two lines for each
 * row. Where the output is a file or a pipe, each row is one line, and nothing is cut.
 * @param empty cells that a second line leaves out
 */
export function renderList(
  { head, cut, below }: ListColumns,
  rows: readonly (readonly string[])[],
  width = terminalWidth(),
  empty: readonly string[] = ['', '-'],
): string {
  if (width === undefined) return renderTable(head, rows, cut, width);
  const widest = Math.min(WIDEST, width);
  const needed = head.map((name, at) => {
    const whole = Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0));
    return cut.includes(name) ? Math.min(whole, READABLE) : whole;
  });
  if (needed.reduce((sum, one) => sum + one + 2, -2) <= widest) return renderTable(head, rows, cut, widest);
  const isBelow = (at: number): boolean => below.includes(head[at] ?? '');
  const firstOf = (row: readonly string[]) => row.filter((_, at) => !isBelow(at));
  const [titles = '', ...lines] = renderTable(firstOf(head), rows.map(firstOf), cut, widest).split('\n');
  const details = rows.map((row) => row.filter((cell, at) => isBelow(at) && !empty.includes(cell)).join('  '));
  return [
    titles,
    ...lines.flatMap((line, at) => {
      const detail = details[at] ?? '';
      return detail === '' ? [line] : [line, cutToWidth(widest, `    ${detail}`)];
    }),
  ].join('\n');
}
