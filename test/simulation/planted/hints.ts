import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { faultOf, wordsOf } from '../cli/replay.js';
import type { Hint } from './find.js';

const FILE = fileURLToPath(new URL('hints.json', import.meta.url));

/** A hint as it is stored: a fault is `Orders/PlaceOrder call 1: killed-after`. */
type Stored = Readonly<
  Record<string, { readonly faults: readonly string[]; readonly entry?: string; readonly seed?: string }>
>;

const stored = (): Stored => JSON.parse(readFileSync(FILE, 'utf8')) as Stored;

/**
 * How planted bugs were found, by their names. Only a short cut: where a hint finds nothing any more, the whole search is
 * done. `npm run simulate:planted -- --hints` writes them again.
 */
export const HINTS: Readonly<Record<string, Hint>> = Object.fromEntries(
  Object.entries(stored()).map(([name, { faults, ...where }]) => [name, { faults: faults.map(faultOf), ...where }]),
);

/** @param hint nothing removes it */
export function keepHint(name: string, hint: Hint | undefined): void {
  const { [name]: _, ...others } = stored();
  const kept = hint ? { ...others, [name]: { ...hint, faults: hint.faults.map(wordsOf) } } : others;
  const sorted = Object.fromEntries(Object.entries(kept).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, undefined, 2).replace(LIST, asFormatted)}\n`);
}

/** Longest line that the formatter leaves (`biome.json`). */
const WIDTH = 120;
const LIST = /^( *"faults": )\[\n([^\]]*)\n *\](,?)$/gm;

/** Writes a list on one line if it fits there, as the formatter does. */
function asFormatted(all: string, begin: string, members: string, comma: string): string {
  const line = `${begin}[${members.trim().replace(/,\n */g, ', ')}]${comma}`;
  return line.length <= WIDTH ? line : all;
}
