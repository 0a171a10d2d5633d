/** Returns a command that can be pasted, from its words without the program. */
export type CommandFormatter = (...words: readonly string[]) => string;

/** @param program command that starts the tool */
export const commandFormatter =
  (program: string): CommandFormatter =>
  (...words) =>
    [program, ...words.map(quoteWord)].join(' ');

/** Quotes a word so that a POSIX shell takes it literally. */
const quoteWord = (word: string): string => (/^[\w.:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Aligns the cells of rows in columns, without spaces at the ends of lines. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) => (indent + row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).trimEnd())
    .join('\n');
}

/** `1 event`, `2 events`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Formats a length of time in a suitable unit. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

const SECONDS_OF_UNIT = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Returns the seconds of a time span: `90s`, `15m`, `1h`, `7d`; `undefined` for any other text. */
export function parseTimeSpan(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * SECONDS_OF_UNIT[unit as keyof typeof SECONDS_OF_UNIT];
}

/** Breaks a text between words, and a longer word anywhere. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    for (let rest = word; ; rest = rest.slice(width)) {
      const part = rest.slice(0, width);
      const line = lines.at(-1) ?? '';
      if (line === '') lines[lines.length - 1] = part;
      else if (line.length + 1 + part.length <= width) lines[lines.length - 1] = `${line} ${part}`;
      else lines.push(part);
      if (rest.length <= width) break;
    }
  }
  return lines;
}
