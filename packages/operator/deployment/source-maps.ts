import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { SOURCE_MAPS } from '@orderly/kit/internal/base/outputs.js';

/** Place in a bundle, which is named by its entry point and its content: `orders/place-order@1f3a9c2e.js:29:34079`. */
const PLACE = /([\w./-]+)@([0-9a-f]{8})\.js:(\d+):(\d+)/;

/**
 * Replaces places in bundles by places in their sources.
 * @param folder of the source maps. A frame stays as it is where the map of just this code isn't there: another release
 */
export const mapToSources = (frames: readonly string[], folder = SOURCE_MAPS): readonly string[] =>
  frames.map((frame) =>
    frame.replace(PLACE, (place, entry: string, content: string, line: string, column: string) => {
      const payload = readSourceMap(join(folder, entry, 'index.js.map'));
      if (payload?.file !== `${entry}@${content}.js`) return place;
      const found = new SourceMap(payload).findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in found) || found.originalSource === undefined) return place;
      return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    }),
  );

function readSourceMap(file: string): SourceMapPayload | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // another machine has synthesized
  }
}
