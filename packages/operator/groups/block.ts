import { listWidth } from '../cli/table.js';
import { type CommandFormatter, formatDuration, wrapText } from '../cli/text-format.js';
import { shortenId } from '../records/list-format.js';
import type { Member } from './group.js';

/** A line of a block: its name, and its text, of which it is left out if there is none. */
export type BlockRow = readonly [name: string, text: string | false | undefined];

/**
 * Renders a group or a cause as a head with indented rows, wrapped at the width of a list. A command stays in one line, since nobody
 * can paste two.
 */
export function renderBlock(head: string, rows: readonly BlockRow[]): readonly string[] {
  const shown = rows.flatMap(([name, text]) => (text ? [{ name, text }] : []));
  const width = Math.max(9, ...shown.map(({ name }) => name.length + 2));
  return [
    head,
    ...shown.flatMap(({ name, text }) => {
      const indent = `  ${name === '' ? '' : name.padEnd(width)}`;
      if (name === 'sample') return [indent + text];
      return wrapText(text, listWidth() - indent.length).map(
        (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
      );
    }),
  ];
}

/** Says how long ago something was: `3 min ago`. */
export const formatAgo = (seconds: number): string => `${formatDuration(Math.max(0, seconds))} ago`;

/** Names the newest ones, and counts the others. */
export function joinSample({ count, newest }: { readonly count: number; readonly newest: readonly string[] }): string {
  const others = count - newest.length;
  return `${newest.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Returns the command that shows the newest one, with a shortened id where the whole one doesn't fit. */
export function sampleCommand(
  { members }: { readonly members: readonly Member[] },
  { command }: { readonly command: CommandFormatter },
): string | undefined {
  const newest = members.at(-1);
  if (!newest) return undefined;
  const whole = command(...newest.show, newest.id);
  if (whole.length + 13 <= listWidth()) return whole;
  const ids = members.map(({ id }) => id);
  return command(...newest.show, shortenId(newest.id, ids, 'body:'.length + 7));
}
